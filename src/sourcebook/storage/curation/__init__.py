"""Approved answers, drafts that wait for a decision, and preferred terms."""
