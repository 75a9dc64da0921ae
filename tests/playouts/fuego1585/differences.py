"""Print in how many positions miai's own forms of layers and correctors do other than Fuego's revision 1585.

python -m tests.playouts.fuego1585.differences
"""

from miai.engine.go.points import EMPTY, all_points, vertex_of
from miai.playouts.fuego1585.rules import is_playable as is_played_by_fuego
from miai.playouts.policy import CORRECTOR_ORDER, LAYER_ORDER
from miai.playouts.random_moves import is_playable
from miai.playouts.workspace import new_playout_workspace
from tests.playouts.fuego1585.test_proposals import CORRECTORS, LAYERS, positions


def main() -> None:
    propose = {layer.name: layer.propose for layer in LAYER_ORDER}
    workspace = new_playout_workspace(9)[0]
    layers, correctors = ([name.removeprefix("fuego_") for name in names] for names in (LAYERS, CORRECTORS))
    asked, others = (dict.fromkeys((*layers, "random", *correctors), 0) for _ in range(2))
    for board, sections in positions():
        color = int(board["to_play"])
        empty = [point for point in all_points(9) if board["color"][point] == EMPTY]
        for name, told in zip(layers, sections, strict=False):
            found = workspace["moves"][: propose[name](board, workspace)]
            ours = {vertex_of(int(move), 9) for move in found}
            asked[name] += bool(ours or told)
            others[name] += ours != set(told)
        asked["random"] += bool(empty)
        others["random"] += any(is_playable(board, p, color) != is_played_by_fuego(board, p, color) for p in empty)
        for name, pairs in zip(correctors, sections[6:], strict=True):
            told = set(zip(pairs[::2], pairs[1::2], strict=True))
            moves = [point for point in empty if is_played_by_fuego(board, point, color)]
            found = [(point, int(CORRECTOR_ORDER[name](board, point))) for point in moves]
            ours = {(vertex_of(a, 9), vertex_of(b, 9)) for a, b in found if a != b}
            asked[name] += bool(ours or told)
            others[name] += ours != told
    for name in asked:
        print(f"{name}: {others[name]} of {asked[name]}")


if __name__ == "__main__":
    main()
