"""`miai import-games`: SGF games as data to learn from."""

from pathlib import Path

import click

from miai.cli.option_flags import KOMI
from miai.engine.files import discard_if_failed
from miai.engine.go.points import MAX_SIZE, MIN_SIZE


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder of the data.")
@click.option(
    "--size", type=click.IntRange(MIN_SIZE, MAX_SIZE), default=9, show_default=True, help="Take games of this size."
)
@click.option("--komi", type=KOMI, default=7.0, show_default=True, help="Komi of files that name none.")
def command(sources: tuple[Path, ...], output: Path, size: int, komi: float) -> None:
    """Convert SGF files, or folders of them, to training data.

    Files that cannot be read are named and left out, so are games that OUTPUT holds already.
    """
    from miai.selfplay.data.store import GameStore, StoreError
    from miai.selfplay.import_games import NoGamesError, find_sgf_files, import_games

    try:
        files = find_sgf_files(sources)
        with (
            discard_if_failed(output, "games-*.npz"),
            GameStore(output, lambda text: click.echo(f"miai: {text}", err=True)) as store,
        ):
            counts = import_games(files, store, size, komi)
    except (NoGamesError, StoreError) as error:
        raise click.ClickException(str(error)) from None
    for line in counts.lines(size, output):
        click.echo(line)
