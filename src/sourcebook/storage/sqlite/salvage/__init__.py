"""Saving what can be read of a damaged file."""
