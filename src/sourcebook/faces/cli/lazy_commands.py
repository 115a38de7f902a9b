"""Commands that are loaded when they are called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sourcebook.faces.cli.command_table import COMMANDS, GROUPS

if TYPE_CHECKING:
    from sourcebook.faces.cli.command_table import Commands


class LazyCommand(TyperCommand):
    """A command by its name and first sentence. Whoever makes a context of it gets that of the command itself."""

    def __init__(self, name: str, place: str, summary: str) -> None:
        super().__init__(name, help=summary, rich_markup_mode=None)
        self._place = place

    def make_context(self, *given: Any, **named: Any) -> Any:
        return self._loaded().make_context(*given, **named)

    def _loaded(self) -> Any:
        module, _, function = self._place.partition(":")
        # It makes the options of whatever function it is given, which belongs to what is loaded late, too.
        options = import_module("sourcebook.faces.cli.invocation")
        verb = getattr(import_module(f"sourcebook.faces.cli.commands.{module}"), function)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.name, cls=_Command)(options.takes_common_options(verb))
        return typer.main.get_command(alone)


class _Command(TyperCommand):
    """A command that puts its name to everything that is wrong with how it was called."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            if getattr(error, "ctx", ctx) is None:  # that of an option without its value
                error.__dict__["ctx"] = ctx
            raise


class AllCommands(TyperGroup):
    """The group of everything in the table of commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for command in _lazy(COMMANDS).values():
            self.add_command(command)
        for name, (summary, commands) in GROUPS.items():
            self.add_command(
                TyperGroup(name=name, help=summary, commands=_lazy(commands), rich_markup_mode=None)
            )


def _lazy(commands: Commands) -> dict[str, Any]:
    return {name: LazyCommand(name, place, summary) for name, (place, summary) in commands.items()}
