"""The plugs for storing: one truth in a database, and everything derived from it."""
