"""Learns and measures the weights of the judge that accepts or declines a question."""
