"""How well the product finds, on public sets with known answers."""
