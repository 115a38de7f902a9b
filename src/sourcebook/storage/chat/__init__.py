"""Conversations and their citations."""
