"""The doors of the client: what it can do besides adding, searching and asking, one file for each subject."""
