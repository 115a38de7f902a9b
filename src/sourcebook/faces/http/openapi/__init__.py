"""The API's description, and the examples in it."""
