"""The client's doors: everything besides add, search and ask, one file per subject."""
