"""Pass-alive stones and territory: what the opponent cannot take even if its owner always passes.

D. B. Benson, "Life in the game of Go", Information Sciences 10 (1976). A *region* of a colour is a connected set of
points without stones of that colour. A region is *vital* to a block if each of its empty points is a liberty of that
block. Blocks with fewer than two vital regions are struck out, then regions that touch a struck block, until nothing
changes; the blocks left are pass-alive.

Territory is what Benson leaves open, taken so narrowly that it holds without another move: a region that touches
pass-alive blocks only and has at most one point that touches none of them. The opponent cannot make two eyes there.
"""

import numpy as np

from miai.engine.go.points import BLACK, BORDER, EMPTY, WHITE
from miai.engine.jit import compiled

_ONE = np.uint64(1)


@compiled
def pass_alive(board, out, suicide=False):
    """Write whose every point is for good to `out`, int8 [size·size], row-major from the top left.

    1 marks Black's pass-alive stones and territory, White's stones in it included; -1 White's; 0 all else. Under
    rules that allow suicide the opponent can clear its own stones away, so a region is vital only if all its points,
    the opponent's stones too, touch the block.
    """
    _mark_owners(board, out, suicide, False)


@compiled
def area_without_dead(board, out, suicide=False):
    """Write whose every point is if the game ended now to `out`, int8 [size·size], row-major from the top left.

    As `area` of `miai.engine.go.scoring`, but for stones in the other player's pass-alive territory: they are dead, and
    what they enclose is not theirs. This is the area of KataGo's inputs and of its score without dead stones.
    """
    _mark_owners(board, out, suicide, True)
    width = np.uint64(board.width_marker.shape[0])
    for index in range(board.head.shape[0]):
        point = np.uint64(index)
        color = board.color[point]
        if color == BLACK or color == WHITE:
            place = point - width - point // width
            if out[place] == 0:
                out[place] = 1 if color == BLACK else -1


@compiled
def _mark_owners(board, out, suicide, has_empty_regions):
    """Write pass-alive stones and territory, and on demand all empty regions that touch one colour only."""
    width = np.uint64(board.width_marker.shape[0])
    size = width - _ONE
    alive = np.empty(board.head.shape[0], dtype=np.uint8)
    region = np.empty(board.head.shape[0], dtype=np.uint16)
    order = np.empty(size * size, dtype=np.uint16)
    starts = np.empty(size * size + _ONE, dtype=np.uint16)
    is_sound = np.empty(size * size, dtype=np.uint8)
    vital_count = np.empty(board.head.shape[0], dtype=np.uint16)
    out[:] = 0
    for color in (BLACK, WHITE):
        num_regions = _find_regions(board, color, region, order, starts)
        _strike_out(board, color, suicide, num_regions, order, starts, alive, is_sound, vital_count)
        owner = 1 if color == BLACK else -1
        has_stones = False
        for index in range(board.head.shape[0]):
            point = np.uint64(index)
            if board.color[point] == color:
                has_stones = True
                if alive[np.uint64(board.head[point])]:
                    out[point - width - point // width] = owner
        for index in range(num_regions):
            first, last = np.uint64(starts[np.uint64(index)]), np.uint64(starts[np.uint64(index + 1)])
            is_empty = has_empty_regions and has_stones and _is_empty(board, order, first, last)
            is_safe = is_sound[np.uint64(index)] != 0
            if is_safe:
                is_safe = is_empty or _num_inner_points(board, color, order, first, last) <= 1
            if is_safe or is_empty:
                for place in range(first, last):
                    point = np.uint64(order[np.uint64(place)])
                    if is_safe or out[point - width - point // width] == 0:
                        out[point - width - point // width] = owner


@compiled
def _is_empty(board, order, first, last):
    """Tell whether there are no stones in a region."""
    for place in range(first, last):
        if board.color[np.uint64(order[np.uint64(place)])] != EMPTY:
            return False
    return True


@compiled
def _find_regions(board, color, region, order, starts):
    """Sort all points without stones of `color` by region into `order`; region i begins at `starts[i]`.

    Return the number of regions. `region` marks points: 1 for points already sorted.
    """
    width = np.uint64(board.width_marker.shape[0])
    region[:] = 0
    num_regions = np.uint64(0)
    num_sorted = np.uint64(0)
    starts[num_regions] = 0
    for index in range(board.head.shape[0]):
        start = np.uint64(index)
        if board.color[start] == color or board.color[start] == BORDER or region[start] != 0:
            continue
        done = num_sorted
        order[num_sorted] = start
        num_sorted += _ONE
        region[start] = 1
        while done < num_sorted:
            point = np.uint64(order[done])
            done += _ONE
            for neighbor in (point - width, point - _ONE, point + _ONE, point + width):
                neighbor_color = board.color[neighbor]
                if neighbor_color != color and neighbor_color != BORDER and region[neighbor] == 0:
                    region[neighbor] = 1
                    order[num_sorted] = neighbor
                    num_sorted += _ONE
        num_regions += _ONE
        starts[num_regions] = num_sorted
    return np.int64(num_regions)


@compiled
def _strike_out(board, color, suicide, num_regions, order, starts, alive, is_sound, vital_count):
    """Set `alive` at the heads of the pass-alive blocks of `color`, and `is_sound` for regions that touch only these.

    A region without neighbours of this colour, the empty board, is not sound.
    """
    alive[:] = 0
    for index in range(board.head.shape[0]):
        point = np.uint64(index)
        if board.color[point] == color:
            alive[np.uint64(board.head[point])] = 1
    is_sound[:num_regions] = 1
    changed = True
    while changed:
        changed = False
        vital_count[:] = 0
        for index in range(num_regions):
            region = np.uint64(index)
            if is_sound[region]:
                first, last = np.uint64(starts[region]), np.uint64(starts[region + _ONE])
                _count_vital(board, color, suicide, order, first, last, vital_count)
        for index in range(board.head.shape[0]):
            head = np.uint64(index)
            if alive[head] and vital_count[head] < 2:
                alive[head] = 0
                changed = True
        for index in range(num_regions):
            region = np.uint64(index)
            if is_sound[region]:
                first, last = np.uint64(starts[region]), np.uint64(starts[region + _ONE])
                if not _touches_only_alive(board, color, order, first, last, alive):
                    is_sound[region] = 0
                    changed = True


@compiled
def _touches(board, point, head):
    """Tell whether the block with this head has a stone beside the point."""
    width = np.uint64(board.width_marker.shape[0])
    return (
        (board.head[point - width] == head)
        | (board.head[point - _ONE] == head)
        | (board.head[point + _ONE] == head)
        | (board.head[point + width] == head)
    )


@compiled
def _count_vital(board, color, suicide, order, first, last, vital_count):
    """Add one to `vital_count` at the heads of the blocks to which the region `order[first:last]` is vital.

    Such a block touches the region's first point that counts, so at most four are candidates.
    """
    width = np.uint64(board.width_marker.shape[0])
    start = first
    while start < last and not suicide and board.color[np.uint64(order[start])] != EMPTY:
        start += _ONE
    if start == last:
        return
    point = np.uint64(order[start])
    seen_1, seen_2, seen_3 = np.uint64(0), np.uint64(0), np.uint64(0)
    for neighbor in (point - width, point - _ONE, point + _ONE, point + width):
        head = np.uint64(board.head[neighbor])
        if board.color[neighbor] == color and head != seen_1 and head != seen_2 and head != seen_3:
            seen_3, seen_2, seen_1 = seen_2, seen_1, head
            is_vital = True
            for place in range(start, last):
                other = np.uint64(order[np.uint64(place)])
                if (suicide or board.color[other] == EMPTY) and not _touches(board, other, head):
                    is_vital = False
                    break
            if is_vital:
                vital_count[head] += np.uint16(1)


@compiled
def _touches_only_alive(board, color, order, first, last, alive):
    """Tell whether the region touches a block of `color`, and none that is struck out."""
    width = np.uint64(board.width_marker.shape[0])
    touches_any = False
    for place in range(first, last):
        point = np.uint64(order[np.uint64(place)])
        for neighbor in (point - width, point - _ONE, point + _ONE, point + width):
            if board.color[neighbor] == color:
                touches_any = True
                if not alive[np.uint64(board.head[neighbor])]:
                    return False
    return touches_any


@compiled
def _num_inner_points(board, color, order, first, last):
    """Return how many points of the region touch no stone of `color`."""
    width = np.uint64(board.width_marker.shape[0])
    count = 0
    for place in range(first, last):
        point = np.uint64(order[np.uint64(place)])
        if not (
            (board.color[point - width] == color)
            | (board.color[point - _ONE] == color)
            | (board.color[point + _ONE] == color)
            | (board.color[point + width] == color)
        ):
            count += 1
    return count


def pointless_points(board: np.void, suicide: bool = False) -> np.ndarray:
    """Return where neither player ever needs to play, uint8 by board index: 1 for empty pass-alive territory.

    Territory with stones of the opponent's in it stays open: where all stones count as alive (Tromp-Taylor) its
    owner has to take them.
    """
    colors = board["color"]
    width = board["width_marker"].shape[0]
    on_board = colors != BORDER
    owners = np.zeros((width - 1) ** 2, dtype=np.int8)
    pass_alive(board, owners, suicide)
    owner_at = np.zeros(len(colors), dtype=np.int8)
    owner_at[on_board] = owners
    result = np.zeros(len(colors), dtype=np.uint8)
    for color, owner in ((BLACK, 1), (WHITE, -1)):
        region = (owner_at == owner) & (colors != color)
        occupied = region & (colors != EMPTY)
        while True:
            spread = occupied.copy()
            for offset in (-width, -1, 1, width):
                spread |= region & np.roll(occupied, offset)
            if np.array_equal(spread, occupied):
                break
            occupied = spread
        result[region & ~occupied] = 1
    return result
