"""Keeping a base healthy: doctor, repair, copy."""
