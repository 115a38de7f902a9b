"""Texts that are given as they are, not in files."""
