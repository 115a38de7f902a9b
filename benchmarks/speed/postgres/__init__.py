"""Vector search on a PostgreSQL server, beside SQL written by hand for one table."""
