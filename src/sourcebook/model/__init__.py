"""The nouns: frozen dataclasses without behaviour, which every room may use."""
