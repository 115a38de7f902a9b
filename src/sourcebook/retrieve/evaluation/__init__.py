"""Measures how well a base finds documents, with questions whose documents are known."""
