"""What is read of files, beside what other programs read of them."""
