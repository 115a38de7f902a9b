"""What it costs to keep a base equal to a folder."""
