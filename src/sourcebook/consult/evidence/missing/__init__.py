"""What a question has or wants, and passages lack: its thing, its names, the form of its answer, what is new in it."""
