from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from sourcebook.errors import BadSetting
from sourcebook.settings import LoadedSettings, SettingOrigin, load, masked

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET = "pa:ss@wörd/1"


def loaded(
    folder: Path,
    *,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    dotenv: str = "",
    toml: str = "",
) -> LoadedSettings:
    if dotenv:
        (folder / ".env").write_text(dotenv, encoding="utf-8")
    if toml:
        (folder / "sourcebook.toml").write_text(toml, encoding="utf-8")
    return load(flags, cwd=folder, environ=environ or {})


def test_without_anything_every_setting_has_its_default(tmp_path: Path) -> None:
    found = loaded(tmp_path)
    assert found.settings.db == "data/knowledge_base.db"
    assert {entry["origin"] for entry in found.as_dict().values()} == {"default"}


SOURCES: dict[SettingOrigin, dict[str, Any]] = {
    SettingOrigin.FLAG: {"flags": {"readers": 5}},
    SettingOrigin.ENVIRONMENT: {"environ": {"SOURCEBOOK_READERS": "6"}},
    SettingOrigin.DOTENV: {"dotenv": "SOURCEBOOK_READERS=7\n"},
    SettingOrigin.TOML: {"toml": "readers = 8\n"},
}


@pytest.mark.parametrize("present", range(1, len(SOURCES) + 1))
def test_the_more_important_source_wins(tmp_path: Path, present: int) -> None:
    weakest_first = list(reversed(SOURCES.items()))[:present]
    given = {name: value for _, source in weakest_first for name, value in source.items()}
    found = loaded(tmp_path, **given)
    winner = weakest_first[-1][0]
    assert found.origins["readers"] is winner
    assert found.settings.readers == {"flag": 5, "environment": 6, ".env": 7, "sourcebook.toml": 8}[winner]


def test_a_flag_that_was_not_given_hides_nothing(tmp_path: Path) -> None:
    found = loaded(tmp_path, flags={"db": None}, environ={"SOURCEBOOK_DB": "mine.db"})
    assert found.settings.db == "mine.db"


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    assert loaded(tmp_path, environ={"SOURCEBOOK_DB": ""}, toml='db = "toml.db"').settings.db == "toml.db"


def test_what_only_tests_and_benchmarks_read_is_no_setting(tmp_path: Path) -> None:
    read = re.compile(r"""(?:environ\.get\(|VARIABLE = )"(SOURCEBOOK_\w+)\"""")
    tests = Path(__file__).parents[1]
    texts = (
        file.read_text("utf-8")
        for folder in (tests, tests.parent / "benchmarks")
        for file in folder.rglob("*.py")
    )
    names = {name for text in texts for name in read.findall(text)}
    assert {"SOURCEBOOK_CHAOS_SECONDS", "SOURCEBOOK_TEST_CITUS", "SOURCEBOOK_BENCH_DATA"} <= names
    assert not loaded(tmp_path, environ=dict.fromkeys(names, "1")).origins


def test_dotenv_values_are_taken_as_they_stand(tmp_path: Path) -> None:
    found = loaded(tmp_path, dotenv="export SOURCEBOOK_DB='a $HOME b.db'  # the base\nOTHER=1\n")
    assert found.settings.db == "a $HOME b.db"


@pytest.mark.parametrize(
    "given",
    [
        {"flags": {"db": "~/mine.db"}},
        {"environ": {"SOURCEBOOK_DB": "~/mine.db"}},
        {"dotenv": "SOURCEBOOK_DB=~/mine.db"},
        {"toml": 'db = "~/mine.db"'},
    ],
)
def test_a_tilde_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert loaded(tmp_path, **given).settings.db == "/home/somebody/mine.db"


@pytest.mark.parametrize("db", ["~nobody-is-called-so/mine.db", "a~/mine.db", "postgresql://~@server/~"])
def test_a_tilde_that_is_no_home_folder_stays(tmp_path: Path, db: str) -> None:
    assert loaded(tmp_path, flags={"db": db}).settings.db == db


def test_files_with_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    assert loaded(tmp_path, toml='\ufeffdb = "bom.db"').settings.db == "bom.db"


@pytest.mark.parametrize(
    ("given", "name", "nearest"),
    [
        ({"toml": 'bd = "x"'}, "`bd`", "`db`"),
        ({"toml": "[storage]\nbusy_timeout = 1"}, "`storage`", "Remove it, or correct its name."),
        (
            {"environ": {"SOURCEBOOK_BUSY_TIMOUT": "1"}},
            "`SOURCEBOOK_BUSY_TIMOUT`",
            "`SOURCEBOOK_BUSY_TIMEOUT`",
        ),
        ({"dotenv": "SOURCEBOOK_READER=1"}, "`SOURCEBOOK_READER`", "`SOURCEBOOK_READERS`"),
        ({"flags": {"reader": 1}}, "`reader`", "`readers`"),
    ],
)
def test_an_unknown_name_is_an_error_that_suggests_the_nearest(
    tmp_path: Path, given: dict[str, Any], name: str, nearest: str
) -> None:
    with pytest.raises(BadSetting) as caught:
        loaded(tmp_path, **given)
    assert name in caught.value.message
    assert nearest in caught.value.hint


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"environ": {"SOURCEBOOK_READERS": "many"}}, ("SOURCEBOOK_READERS", "'many'", "the environment")),
        ({"dotenv": "SOURCEBOOK_BUSY_TIMEOUT=nan"}, ("SOURCEBOOK_BUSY_TIMEOUT", "'nan'", ".env")),
        ({"toml": "busy_timeout = -1"}, ("busy_timeout", "-1", "sourcebook.toml")),
        ({"toml": "db = 5"}, ("db", "5", "sourcebook.toml")),
        ({"flags": {"log_level": "loud"}}, ("--log-level", "'loud'", "a flag")),
    ],
)
def test_a_bad_value_is_named_with_its_key_and_source(
    tmp_path: Path, given: dict[str, Any], said: tuple[str, ...]
) -> None:
    with pytest.raises(BadSetting) as caught:
        loaded(tmp_path, **given)
    for part in said:
        assert part in caught.value.message


def test_broken_toml_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"sourcebook\.toml is not valid TOML.*line 2"):
        loaded(tmp_path, toml='db = "x"\nreaders = = 4\n')


def test_a_file_that_is_no_text_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "sourcebook.toml").write_bytes(b"db = '\xff'")
    with pytest.raises(BadSetting, match="cannot be read"):
        loaded(tmp_path)


SERVER = {
    "DB_HOST": "server",
    "DB_PORT": "5433",
    "DB_NAME": "garden",
    "DB_USER": "bot",
    "DB_PASSWORD": SECRET,
}


def test_the_address_of_a_server_is_made_of_its_parts(tmp_path: Path) -> None:
    found = loaded(tmp_path, environ=SERVER)
    assert found.settings.db == "postgresql://bot:pa%3Ass%40w%C3%B6rd%2F1@server:5433/garden"
    assert found.origins["db"] is SettingOrigin.ENVIRONMENT


def test_the_parts_of_an_address_may_come_from_dotenv(tmp_path: Path) -> None:
    found = loaded(tmp_path, environ={"DB_NAME": "mine"}, dotenv="DB_HOST=::1\nDB_NAME=theirs\n")
    assert found.settings.db == "postgresql://[::1]/mine"
    assert found.origins["db"] is SettingOrigin.DOTENV


def test_a_named_base_is_never_replaced_by_the_parts_of_an_address(tmp_path: Path) -> None:
    assert loaded(tmp_path, environ=SERVER, toml='db = "mine.db"').settings.db == "mine.db"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://bot:{quote(SECRET, safe='')}@server/garden",
        f"postgresql://:{quote(SECRET, safe='')}@server/garden",
        f"postgresql://server/garden?sslmode=require&password={SECRET}",
        f"mysql://bot:{SECRET}@server/garden",
    ],
)
def test_a_password_is_never_shown(tmp_path: Path, address: str) -> None:
    found = loaded(tmp_path, flags={"db": address})
    assert found.settings.db == address
    shown = f"{found.settings!r} {found.settings} {found!r} {found.as_dict()} {masked(address)}"
    assert SECRET not in shown
    assert quote(SECRET, safe="") not in shown
    assert "***" in shown


def test_an_address_without_a_password_is_shown_as_it_is() -> None:
    for address in ("data/my base.db", "postgresql://bot@server:5432/garden", "C:\\data\\base.db"):
        assert masked(address) == address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://host:1/v1?api_key=S3CRET", "http://host:1/v1?api_key=***"),
        ("http://host/v1?version=2&access_token=S3CRET#top", "http://host/v1?version=2&access_token=***#top"),
        ("https://S3CRET@host:1/v1", "https://***@host:1/v1"),
    ],
)
def test_a_key_in_an_address_is_never_shown(tmp_path: Path, address: str, shown: str) -> None:
    assert masked(address) == shown
    assert "S3CRET" not in str(loaded(tmp_path, flags={"embedder_base_url": address}).as_dict())


def test_a_bad_value_with_a_password_is_masked_too(tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as caught:
        loaded(tmp_path, toml=f'readers = "postgresql://bot:{SECRET}@server"')
    assert SECRET not in str(caught.value.as_dict())


def test_settings_cannot_be_changed_after_they_were_read(tmp_path: Path) -> None:
    settings = loaded(tmp_path).settings
    with pytest.raises(ValueError, match="frozen"):
        settings.readers = 9
