"""How well a base finds, measured with questions whose documents are known."""
