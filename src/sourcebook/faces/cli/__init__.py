"""The command `sourcebook`: for people at a terminal and for scripts."""

from sourcebook.faces.cli.main import main

__all__ = ["main"]
