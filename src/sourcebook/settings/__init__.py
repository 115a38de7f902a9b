"""Settings: the only module that reads the environment, `.env` and `sourcebook.toml`.

A flag beats the environment, the environment beats `.env`, `.env` beats `sourcebook.toml`, and that beats the
default. All other code receives plain values.
"""

from sourcebook.settings.all_settings import Settings
from sourcebook.settings.loader import (
    DOTENV_FILE,
    PREFIX,
    TOML_FILE,
    GivenSetting,
    LoadedSettings,
    SettingOrigin,
    load,
)
from sourcebook.settings.secret_masks import masked
from sourcebook.settings.writer import shadowed_by, write_setting

__all__ = [
    "DOTENV_FILE",
    "PREFIX",
    "TOML_FILE",
    "GivenSetting",
    "LoadedSettings",
    "SettingOrigin",
    "Settings",
    "load",
    "masked",
    "shadowed_by",
    "write_setting",
]
