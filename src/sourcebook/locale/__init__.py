"""The texts that people read; of the command line, only what it says around an answer.

There is one TOML file per language, with the same keys in each.

A value is a sentence with `{names}` in it, or a table of the plural forms of one, chosen by `n`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TypeAlias

from sourcebook.locale.plural_rules import PLURAL_FORM_OF

LANGUAGES = ("en", "ru", "pt")
DEFAULT = "en"
NAMES = MappingProxyType({"en": "English", "ru": "Русский", "pt": "Português"})

Entry: TypeAlias = str | Mapping[str, str]


class Texts:
    """The sentences of one language: `texts("balance", n=3)`."""

    def __init__(self, language: str, entries: Mapping[str, Entry]) -> None:
        self.language = language
        self.entries = entries

    def __call__(self, key: str, **values: object) -> str:
        """The sentence for this key. Values are inserted unchanged, even if they contain braces."""
        entry = self.entries[key]
        if isinstance(entry, str):
            return entry.format(**values)
        return entry[PLURAL_FORM_OF[self.language](int(str(values["n"])))].format(**values)


def texts(language: str | None) -> Texts:
    """The sentences in this language (`pt` also serves `pt-BR`), or in English if there are none."""
    return _read(known(language))


def page_texts(language: str | None) -> Texts:
    """The sentences of the page in this language. They have files of their own, in the folder `page`."""
    return _read(known(language), "page")


def error_texts(language: str | None) -> Mapping[str, Mapping[str, str]]:
    """What the page says of errors in this language: by code, what was `said` and a `hint` what to do."""
    entries = _read(known(language), "page_errors").entries
    return {code: entry for code, entry in entries.items() if isinstance(entry, Mapping)}


def setting_texts(language: str | None) -> Mapping[str, str]:
    """What the page says of each setting in this language. The English texts are the settings' own descriptions."""
    if known(language) == DEFAULT:
        return {}
    entries = _read(known(language), "settings").entries
    return {name: entry for name, entry in entries.items() if isinstance(entry, str)}


def known(language: str | None) -> str:
    """The language to use for a language code, such as the one a person's Telegram client reports."""
    code = (language or "").replace("_", "-").partition("-")[0].lower()
    return code if code in LANGUAGES else DEFAULT


@cache
def _read(language: str, folder: str = "") -> Texts:
    source = resources.files(__name__).joinpath(folder, f"{language}.toml").read_text("utf-8")
    return Texts(language, tomllib.loads(source))
