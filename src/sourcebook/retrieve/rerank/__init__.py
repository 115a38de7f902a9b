"""The best candidates put in order anew by a reranker."""
