"""How well the check of support tells true sentences from false ones."""
