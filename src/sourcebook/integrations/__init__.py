"""Thin adapters to other libraries, each in an extra of its own."""
