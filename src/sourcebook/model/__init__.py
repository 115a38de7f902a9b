"""The nouns: frozen dataclasses that every room may use and that do nothing by themselves."""
