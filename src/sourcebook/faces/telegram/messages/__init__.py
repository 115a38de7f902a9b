"""What messages look like: text, marks, length, buttons."""
