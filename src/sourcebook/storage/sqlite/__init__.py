"""A base in one SQLite file."""
