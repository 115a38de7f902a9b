"""Search at the speed of memory: what is held here follows the base and can always be made from it again."""
