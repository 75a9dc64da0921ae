"""What a network says of every position of an SGF game: win rates, and the moves that it would have played.

    python examples/analyze_sgf.py game.sgf --net b10c384h6nbttflrs.bin.gz

The network is `miai`, `miai-zero`, `li-lim`, a file of ours or one of KataGo's. All positions are evaluated in
one batch, without a search; `miai review` searches them.
"""

import argparse

import miai


def main() -> None:
    """Print a line for each move."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="SGF file")
    parser.add_argument("--net", default="miai", help="name or file of a network")
    given = parser.parse_args()
    try:
        game, network = miai.Game.load(given.game), miai.Network(given.net)
        number = len(game.moves)
        said = network.evaluate_many([game.copy().undo(number - move) for move in range(number + 1)])
    except ValueError as error:
        parser.error(str(error))
    print("  # player  move  probability  network's choice  Black wins after it")
    for index, (color, move) in enumerate(game.moves):
        before, after = said[index], said[index + 1]
        best, greatest = next(iter(before.policy.items()))
        expected = after.win + after.draw / 2
        to_play = game.copy().undo(number - index - 1).to_play
        black = expected if to_play == "black" else 1 - expected
        chosen = before.policy.get(move, 0.0)
        print(f"{index + 1:3} {color:6}  {move:4}  {chosen:11.1%}  {best:4} {greatest:11.1%}  {black:19.1%}")


if __name__ == "__main__":
    main()
