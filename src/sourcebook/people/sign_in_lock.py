"""How many wrong passwords are free, and how long the next attempts wait."""

from __future__ import annotations

from sourcebook.model.accounts import LockRule

FIRST_PAUSE, LONGEST_PAUSE = 30, 900
"""Seconds. The pause doubles with each attempt."""

HERE = LockRule(5, FIRST_PAUSE, LONGEST_PAUSE)
"""Guesses at one account from one address."""
ANYWHERE = LockRule(30, FIRST_PAUSE, LONGEST_PAUSE)
"""Guesses at one account from anywhere."""
FROM_ADDRESS = LockRule(20, FIRST_PAUSE, LONGEST_PAUSE)
"""Guesses at any account from one address."""
