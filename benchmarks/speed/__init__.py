"""How fast this engine is beside others, in one interleaved run."""
