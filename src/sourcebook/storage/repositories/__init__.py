"""Modules of functions over named SQL, written once for both databases."""
