"""What is done to all games of a batch in one call: begin, take actions, play the opponents' replies, draw actions.

Outputs are written to arrays of the caller, one row a game: `masks` int8 [number, size·size + 1], `planes` int8
[number, planes, size·size] – none are written if the second length is 0 –, `rewards` float64 [number] and `states`
uint8 [number]. Where the opponent is to reply, mask and planes are left to `play_replies`.
"""

import numpy as np

from miai.engine.go.batch import (
    BOTH,
    GOES_ON,
    is_action_legal,
    make_move,
    restart,
    result_for,
    sample_action,
    take_action,
    write_mask,
)
from miai.engine.go.planes import write_planes
from miai.engine.go.points import NO_MOVE
from miai.engine.jit import compiled

ALL_LEGAL = -1


@compiled
def awaits_reply(game):
    """Tell whether it is the opponent's turn."""
    return game.state == GOES_ON and game.agent != BOTH and game.agent != np.int64(game.board.to_play)


@compiled
def _show(game, index, masks, planes):
    write_mask(game, masks[index])
    if planes.shape[1] > 0:
        write_planes(game, masks[index], planes[index])


@compiled
def restart_games(games, chosen, masks, planes):
    """Begin a new game wherever `chosen`, bool [number], says so; the others' outputs are written too."""
    for index in range(games.shape[0]):
        game = games[index]
        if chosen[index]:
            restart(game)
        if not awaits_reply(game):
            _show(game, index, masks, planes)


@compiled
def step_games(games, actions, masks, planes, rewards, states):
    """Take an action in every game that goes on, and begin those anew that are over, with reward 0.

    Returns:
        the first game whose action is illegal and does not lose it – then nothing was done –, or ALL_LEGAL.
    """
    for index in range(games.shape[0]):
        game = games[index]
        if game.state == GOES_ON and game.forfeits == 0 and not is_action_legal(game, actions[index]):
            return index
    for index in range(games.shape[0]):
        game = games[index]
        if game.state == GOES_ON:
            rewards[index] = take_action(game, actions[index])
        else:
            restart(game)
            rewards[index] = 0.0
        states[index] = game.state
        if not awaits_reply(game):
            _show(game, index, masks, planes)
    return ALL_LEGAL


@compiled
def play_replies(games, replies, masks, planes, rewards, states):
    """Play the opponents' legal moves, int64 [number], NO_MOVE where there is none; rewards are the agents'."""
    for index in range(games.shape[0]):
        if replies[index] != NO_MOVE:
            game = games[index]
            make_move(game, replies[index])
            if game.state != GOES_ON:
                rewards[index] = result_for(game, game.agent)
            states[index] = game.state
            _show(game, index, masks, planes)


@compiled
def sample_legal_actions(games, actions):
    """Draw an action uniformly from the legal ones of each game, the pass among them, to `actions`, int64 [number].

    A game that is over gets a pass, and its random numbers stay as they are.
    """
    for index in range(games.shape[0]):
        game = games[index]
        actions[index] = sample_action(game) if game.state == GOES_ON else np.int64(game.owners.shape[0])
