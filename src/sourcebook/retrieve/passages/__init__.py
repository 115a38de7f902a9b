"""From chunks to the passages and texts that are shown."""
