"""What responses have in common: errors, events, parts of lists, tags."""
