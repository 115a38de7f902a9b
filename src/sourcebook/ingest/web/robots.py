"""What a site asks of programs that read it: robots.txt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

AGENT = "sourcebook"
LONGEST = 500_000
MOST_RULES = 5_000
LONGEST_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class _Rule:
    allows: bool
    path: str

    def matches(self, path: str) -> bool:
        """`*` stands for anything, a `$` at the end for the end."""
        ends = self.path.endswith("$")
        parts = (self.path[:-1] if ends else self.path).split("*")
        pattern = ".*".join(map(re.escape, parts))
        return re.match(pattern + (r"\Z" if ends else ""), path, re.DOTALL) is not None


@dataclass(slots=True)
class _Group:
    agents: list[str] = field(default_factory=list[str])
    rules: list[_Rule] = field(default_factory=list[_Rule])
    pause: float = 0.0


@dataclass(frozen=True)
class Robots:
    """The rules for this program: its own, if the site has some, else those for everybody."""

    rules: Sequence[_Rule] = ()
    pause: float = 0.0
    maps: Sequence[str] = ()

    @classmethod
    def of(cls, text: str) -> Robots:
        groups, maps = _groups(text[:LONGEST])
        own = [group for group in groups if AGENT in group.agents] or [g for g in groups if "*" in g.agents]
        rules = [rule for group in own for rule in group.rules]
        pause = max((group.pause for group in own), default=0.0)
        return cls(rules[:MOST_RULES], min(pause, LONGEST_PAUSE), maps)

    @classmethod
    def nothing_allowed(cls) -> Robots:
        return cls([_Rule(allows=False, path="/")])

    @cached_property
    def _longest_first(self) -> list[_Rule]:
        """Of two rules that match, the longer one counts; of two as long, the one that allows."""
        return sorted(self.rules, key=lambda rule: (-len(rule.path), not rule.allows))

    def allows(self, address: str) -> bool:
        parts = urlsplit(address)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        found = next((rule for rule in self._longest_first if rule.matches(path)), None)
        return found is None or found.allows


def _groups(text: str) -> tuple[list[_Group], list[str]]:
    groups: list[_Group] = []
    maps: list[str] = []
    is_naming = False
    for line in text.splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "sitemap":
            maps.append(value)
        elif key == "user-agent":
            if not is_naming:
                groups.append(_Group())
            groups[-1].agents.append(value.lower().partition("/")[0])
            is_naming = True
        elif groups:
            is_naming = False
            _put(groups[-1], key, value)
    return groups, maps


def _put(group: _Group, key: str, value: str) -> None:
    if key in ("allow", "disallow") and value:
        # More than a few `*` would take a matcher for ever.
        if value.count("*") <= 8:
            group.rules.append(_Rule(key == "allow", value))
    elif key == "crawl-delay" and re.fullmatch(r"\d{1,4}(?:\.\d{1,3})?", value, re.ASCII):
        group.pause = float(value)
