"""A GTP bot in 20 lines: plays what the network likes best, without a search.

    python examples/bot.py

Attach it to GoGui or Sabaki, or measure it: `miai match "python examples/bot.py" uct:simulations=100 --games 20`.
"""

import sys

import miai

NAMES = "protocol_version name version list_commands boardsize clear_board komi play genmove quit".split()
FACTS = {"protocol_version": "2", "name": "policy bot", "version": miai.__version__, "list_commands": "\n".join(NAMES)}
game, network = miai.Game(), miai.Network("miai")

# -- the twenty lines
for line in sys.stdin:
    words = line.split() or ["an empty line"]
    identity = words.pop(0) if words[0].isdigit() and len(words) > 1 else ""
    mark, reply = "=", FACTS.get(words[0], "")
    try:
        match words:
            case ["boardsize" | "clear_board", *size]:
                game = miai.Game(int(size[0]) if size else game.size, game.komi)
            case ["komi", komi]:
                game.state.komi = float(komi)
            case ["play", color, move]:
                game.play(move, color=color)
            case ["genmove", color]:
                game.play(reply := next(iter(network.evaluate(game).policy)), color=color)
            case [name, *_] if name not in NAMES:
                mark, reply = "?", "unknown command"
    except (ValueError, IndexError) as error:
        mark, reply = "?", f"{error}"
    print(f"{mark}{identity} {reply}\n", flush=True)
    if words == ["quit"]:
        break
# -- the twenty lines end here
