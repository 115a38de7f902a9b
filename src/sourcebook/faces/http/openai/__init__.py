"""The OpenAI-compatible face: chat programs that take a base URL ask here."""
