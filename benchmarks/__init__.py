"""What is measured rather than tested: how fast, and how well."""
