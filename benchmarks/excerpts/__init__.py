"""Excerpts: which stretch of what was found is quoted? Learns the weights, and measures them on folders left out."""
