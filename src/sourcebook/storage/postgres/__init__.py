"""A base on a PostgreSQL server with pgvector."""
