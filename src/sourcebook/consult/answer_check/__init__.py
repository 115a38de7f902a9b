"""Checks approved answers against a folder of documents, without a base and without a model."""
