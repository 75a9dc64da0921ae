"""A click group that imports a subcommand only when it runs, so that the others start at once."""

import importlib
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """Where a subcommand lives and what it is for."""

    module: str
    """Its module, whose `command` it is."""
    summary: str
    """The line in the group's help."""


class LazyGroup(click.Group):
    """A group whose subcommands are named by strings; its own `--help` imports none of them."""

    def __init__(self, *args: Any, lazy_commands: dict[str, LazyCommand], **named: Any) -> None:
        super().__init__(*args, **named)
        self.lazy_commands = lazy_commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.lazy_commands, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy_commands:
            return super().get_command(ctx, cmd_name)
        command: click.Command = importlib.import_module(self.lazy_commands[cmd_name].module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            from miai.players.option_kinds import unknown_name

            raise click.UsageError(str(unknown_name(args[0], self.list_commands(ctx), "command")), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.summary) for name, lazy in self.lazy_commands.items()])
