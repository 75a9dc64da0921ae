"""The commands that every GTP client sends first. Imports neither game nor player."""

from miai.gtp.commands import command_names, gtp_command
from miai.gtp.protocol import Exchange
from miai.gtp.session import Session

ENGINE_NAME = "miai"


def engine_version() -> str:
    """Return the installed version."""
    import importlib.metadata  # takes longer than all else that `name` needs

    try:
        return importlib.metadata.version("miai")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


@gtp_command("protocol_version")
def answer_protocol_version(session: Session, exchange: Exchange) -> str:
    """Say which GTP this is."""
    return "2"


@gtp_command("name")
def answer_name(session: Session, exchange: Exchange) -> str:
    """Say the engine's name."""
    return ENGINE_NAME


@gtp_command("version")
def answer_version(session: Session, exchange: Exchange) -> str:
    """Say the engine's version."""
    return engine_version()


@gtp_command("known_command")
def answer_known_command(session: Session, exchange: Exchange) -> str:
    """Tell whether there is a command of this name; names are case-sensitive."""
    return "true" if exchange.argument(0) in command_names() else "false"


@gtp_command("list_commands")
def answer_list_commands(session: Session, exchange: Exchange) -> str:
    """List all commands, one a line."""
    return "\n".join(command_names())


@gtp_command("quit")
def quit_session(session: Session, exchange: Exchange) -> str:
    """Agree; the loop ends after this reply."""
    return ""
