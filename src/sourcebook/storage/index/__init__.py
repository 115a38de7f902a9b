"""What search stands on: documents, chunks, vectors and words, written once for both databases."""
