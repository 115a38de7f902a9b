"""Whole stacks beside each other: the splitter, store and search of each, and one embedder for all."""
