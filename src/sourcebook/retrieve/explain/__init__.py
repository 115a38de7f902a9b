"""What a search notes about itself, and why a document was not found."""
