"""Bases of other programs, read into one of ours: a file with documents and chats, and the database of a bot."""
