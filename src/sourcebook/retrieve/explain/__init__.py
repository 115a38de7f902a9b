"""Explains how results were ranked, and why a document was not found."""
