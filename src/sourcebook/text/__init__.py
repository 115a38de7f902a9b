"""Language: which one a text is in, and what its words and sentences are; the one analyser of every room."""
