"""How well the product knows what it does not know."""
