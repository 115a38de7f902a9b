"""What a question has or wants and passages may lack: its thing, names, words, and the form of its answer."""
