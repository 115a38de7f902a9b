"""The one reader of the environment, `.env` and `sourcebook.toml`.

A flag wins over the environment, the environment over `.env`, `.env` over `sourcebook.toml`, and that over
the default. Everything else in the house is handed values and asks nobody where they came from.
"""

from sourcebook.settings.fields import Settings
from sourcebook.settings.loader import (
    DOTENV_FILE,
    PREFIX,
    TOML_FILE,
    Given,
    LoadedSettings,
    SettingOrigin,
    load,
)
from sourcebook.settings.masks import masked

__all__ = [
    "DOTENV_FILE",
    "PREFIX",
    "TOML_FILE",
    "Given",
    "LoadedSettings",
    "SettingOrigin",
    "Settings",
    "load",
    "masked",
]
