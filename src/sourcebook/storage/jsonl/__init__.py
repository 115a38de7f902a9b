"""Indexes and bundles in files: one JSON object a line."""
