"""What a person sees on a terminal: answers, tables, charts, progress."""
