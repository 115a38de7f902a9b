"""The settings of judges and readers, and the folder where models lie."""

from __future__ import annotations

from pydantic import Field

from sourcebook.settings.chat_model_fields import ChatModelFields


class JudgeAndReaderFields(ChatModelFields):
    """Small models that check an answer and mark its words; the folder of all models."""

    judge_model: str = Field(
        default="none",
        min_length=1,
        description="The model that looks for sentences of an answer that contradict their source: a judge of "
        "`sourcebook models list`, the folder of one, or `none`.",
    )
    reader_model: str = Field(
        default="none",
        min_length=1,
        description="The model that marks the words that answer a question: a reader of `sourcebook models list`, the "
        "folder of one, or `none`.",
    )
    models_folder: str = Field(
        default="~/.local/share/sourcebook/models",
        min_length=1,
        description="The folder where `sourcebook models get` keeps models. Several bases may share it.",
    )
