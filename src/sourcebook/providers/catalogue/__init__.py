"""The models that Sourcebook knows how to run: a table of data, and what was put beside it on this machine."""
