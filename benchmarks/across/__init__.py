"""Measures questions in another language than the texts, on small bases and on a public set, through `ask`."""
