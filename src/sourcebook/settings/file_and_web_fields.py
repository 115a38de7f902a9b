"""The settings of what is added: files, web pages and recordings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from sourcebook.ingest.folder.type_rules import parse_rules
from sourcebook.settings.embedder_fields import EmbedderFields


class FileAndWebFields(EmbedderFields):
    """How files, web pages and recordings are read and split."""

    max_file_mb: float = Field(
        default=50.0,
        gt=0,
        le=1000,
        description="The largest file that can be added, in megabytes (of 1,000,000 bytes).",
    )
    chunking: Literal["parent_child", "fixed", "sentence", "markdown"] = Field(
        default="parent_child",
        description="How texts are split into passages: `parent_child`, whole sentences, with smaller pieces for "
        "matching; `fixed`, 800 characters with an overlap of 200; `sentence`, whole sentences without overlap; "
        "`markdown`, by sections. Documents already in the base keep their passages.",
    )
    files: str | None = Field(
        default=None,
        min_length=1,
        description="The folder that keeps uploaded files. Default: the base's path plus `.files`, or `data/files` "
        "for a base on a server. In `data/files`, and in a folder named here, each base has one of its own.",
    )
    type_rules: str = Field(
        default="project/README.md=readme, project/docs/=documentation, documents/=document",
        description="Rules that give a document its type by its path: `place=type`, separated by commas. The first "
        "match wins; without a match the type is `document`. A place ending in `/` is a folder, any other a file.",
    )
    web_pages: int = Field(
        default=500,
        ge=1,
        le=100_000,
        description="The most web pages that one `add` fetches.",
    )
    web_pause: float = Field(
        default=0.5,
        ge=0,
        le=60,
        description="Seconds to wait between two pages of a site. Its robots.txt may ask for more.",
    )
    web_allow_hosts: str = Field(
        default="",
        description="Hosts with private addresses whose pages may be added, separated by commas.",
    )
    transcription_model: str | None = Field(
        default=None,
        min_length=1,
        description="The model that writes down what is said in recordings, on any server with OpenAI's "
        "`/audio/transcriptions`, for example `whisper-1`. Without one, recordings are not read.",
    )
    transcription_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of that server, for example `http://127.0.0.1:8000/v1`. Default: OpenAI.",
    )
    transcription_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server.",
    )
    transcription_timeout: float = Field(
        default=600.0,
        gt=0,
        le=86_400,
        description="Seconds to wait for the text of one recording.",
    )

    @field_validator("type_rules")
    @classmethod
    def _with_sense(cls, rules: str) -> str:
        parse_rules(rules)
        return rules
