"""Backups of a base in one file, and putting them back."""
