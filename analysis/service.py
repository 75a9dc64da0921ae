"""The service: lines in, answers out, the queue in between."""

import heapq
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from miai.analysis.fields import QueryError, read_integers, read_json, shorten
from miai.analysis.queries import MOST_MOVES, Defaults, read_query
from miai.analysis.searchers import Searcher, make_searcher
from miai.analysis.tasks import AnalysisTask, Write
from miai.nets.net_files import net_file
from miai.players.fallback import options_on
from miai.players.options import NET_EVALUATORS, PlayerOptions

LONGEST_LINE = 1 << 20
"""Bytes of a line; longer ones are refused."""
MOST_TASKS = 1 << 20
"""Positions that may wait or be searched at once."""
_WAITING_LINES = 1024
"""Lines that are read ahead."""
_ACTIONS = ("query_version", "query_models", "clear_cache", "terminate", "terminate_all")

_Event = bytes | AnalysisTask | None
"""A line, a task that a thread has finished, or the end of the input."""


def read_lines(requests: BinaryIO) -> Iterator[bytes]:
    """Yield lines; of one that is too long, the first `LONGEST_LINE` + 1 bytes."""
    while line := requests.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = requests.readline(LONGEST_LINE + 1)
        yield line


class Service:
    """Analyses positions of many queries, as many at once as there are places."""

    def __init__(
        self,
        options: PlayerOptions,
        defaults: Defaults,
        places: int,
        write: Write,
        version: str,
        prepare: Callable[[PlayerOptions, int], None] = lambda options, size: None,
    ) -> None:
        """Search nothing yet.

        Args:
            options: of the player that searches.
            defaults: for queries that do not say.
            places: positions searched at once.
            write: takes answers, from any thread.
            version: for the action `query_version`.
            prepare: called with a player's options and the size before the first search on boards of a size.
        """
        self._options = options
        self._defaults = defaults
        self._places = places
        self._write = write
        self._version = version
        self._prepare = prepare
        self._events: queue.Queue[_Event] = queue.Queue(_WAITING_LINES)
        self._waiting: list[tuple[tuple[int, int], AnalysisTask]] = []
        self._searchers: dict[int, Searcher] = {}
        self._num_tasks = 0

    def run(self, requests: BinaryIO, waits_at_end: bool = True) -> None:
        """Answer all lines of a stream, to its end.

        Args:
            requests: read on a thread.
            waits_at_end: whether what is queued then is still analysed; else it gets no more answers.
        """

        def read() -> None:
            try:
                for line in read_lines(requests):
                    self._events.put(line)
            except (OSError, ValueError):
                pass  # the stream was closed under the reader: its end
            self._events.put(None)

        threading.Thread(target=read, name="reader", daemon=True).start()
        is_open = True
        while is_open or self._is_busy:
            for event in self._take_events():
                if isinstance(event, bytes):
                    self.take_line(event)
                elif event is None:
                    is_open = False
            if not is_open and not waits_at_end:
                break
            self._start_tasks()
            for size, searcher in list(self._searchers.items()):
                self._step(size, searcher)
        for task in self._open_tasks():
            task.stop.set()

    @property
    def _is_busy(self) -> bool:
        return bool(self._waiting) or any(searcher.tasks for searcher in self._searchers.values())

    def _take_events(self) -> Iterator[_Event]:
        """Yield what has come; wait for it if there is nothing else to do."""
        has_steps = any(searcher.needs_steps and searcher.tasks for searcher in self._searchers.values())
        can_start = bool(self._waiting) and self._num_searched < self._places
        if not has_steps and not can_start:
            yield self._events.get()
        while True:
            try:
                yield self._events.get_nowait()
            except queue.Empty:
                return

    def take_line(self, line: bytes) -> None:
        """Answer a line, or queue what it asks for; blank ones are ignored."""
        if len(line) > LONGEST_LINE:
            return self._write({"error": f"a line has at most {LONGEST_LINE} bytes"})
        try:
            text = line.decode().strip()
            if not text:
                return
            content = read_json(text)
        except ValueError as error:
            return self._write({"error": f"this line is no JSON: {error}"})
        if not isinstance(content, dict):
            return self._write({"error": f"a query is an object, not {shorten(content)}"})
        if not isinstance(content.get("id"), str):
            return self._write({"error": "a query needs an id, a text", "field": "id"})
        try:
            if "action" in content:
                self._act(content)
            else:
                self._queue(content)
        except QueryError as error:
            self._write({"error": str(error), "field": error.field, "id": content["id"]})
        except RecursionError:
            self._write({"error": "the query is nested too deeply", "id": content["id"]})

    def _queue(self, content: dict[str, Any]) -> None:
        query, warnings = read_query(content, self._defaults)
        if len(self._waiting) + self._num_searched + len(query.turns) > MOST_TASKS:
            raise QueryError("analyzeTurns", f"more than {MOST_TASKS} positions would wait")
        for field, text in warnings:
            self._write({"warning": text, "field": field, "id": query.id})
        for turn, priority in query.turns:
            self._num_tasks += 1
            task = AnalysisTask(query, turn, priority, self._num_tasks)
            heapq.heappush(self._waiting, (task.rank, task))

    def _act(self, content: dict[str, Any]) -> None:
        action = content["action"]
        if action == "query_version":
            self._write(content | {"version": self._version, "git_hash": "<omitted>"})
        elif action == "query_models":
            self._write(content | {"models": self._models()})
        elif action == "clear_cache":
            for searcher in self._searchers.values():
                searcher.clear_cache()
            self._write(content)
        elif action in ("terminate", "terminate_all"):
            ended = content.get("terminateId") if action == "terminate" else None
            if action == "terminate" and not isinstance(ended, str):
                raise QueryError("terminateId", f"must be a text, not {shorten(ended)}")
            turns = None
            if "turnNumbers" in content:
                turns = set(read_integers(content, "turnNumbers", MOST_MOVES + 1, -(1 << 31), 1 << 31))
            self._terminate(ended, turns)
            self._write(content)
        else:
            raise QueryError("action", f"there is no action {shorten(action)} (allowed: {', '.join(_ACTIONS)})")

    def _terminate(self, ended: str | None, turns: set[int] | None) -> None:
        """End tasks of an id, or all, of certain turns, or all; those that wait are answered at once."""

        def is_meant(task: AnalysisTask) -> bool:
            return (ended is None or task.query.id == ended) and (turns is None or task.turn in turns)

        for searcher in self._searchers.values():
            for task in filter(is_meant, searcher.tasks):
                task.stop.set()
        for _, task in self._waiting:
            if is_meant(task):
                self._write(task.answer_nothing())
        self._waiting = [entry for entry in self._waiting if not is_meant(entry[1])]
        heapq.heapify(self._waiting)

    def _models(self) -> list[dict[str, Any]]:
        if self._options.evaluator not in NET_EVALUATORS:
            return []
        file = net_file(self._options.net)
        return [
            {
                "name": file.name,
                "internalName": file.name.partition(".")[0],
                "maxBatchSize": self._options.batch * self._places,
                "usesHumanSLProfile": False,
            }
        ]

    def _open_tasks(self) -> list[AnalysisTask]:
        searched = [task for searcher in self._searchers.values() for task in searcher.tasks]
        return searched + [task for _, task in self._waiting]

    @property
    def _num_searched(self) -> int:
        return sum(len(searcher.tasks) for searcher in self._searchers.values())

    def _start_tasks(self) -> None:
        while self._waiting and self._num_searched < self._places:
            task = heapq.heappop(self._waiting)[1]
            try:
                self._searcher_on(task.query.size).start(task)
            except Exception as error:  # a rule of the user's own may raise anything
                self._write(task.answer_error(error))

    def _searcher_on(self, size: int) -> Searcher:
        """Return what searches boards of a size; those of other sizes go when they have nothing to do."""
        if size not in self._searchers:
            for other, searcher in list(self._searchers.items()):
                if not searcher.tasks:
                    searcher.close()
                    del self._searchers[other]
            options = options_on(self._options, size)
            self._prepare(options, size)
            self._searchers[size] = make_searcher(options, size, self._places, self._write, self._events.put)
        return self._searchers[size]

    def _step(self, size: int, searcher: Searcher) -> None:
        if not searcher.needs_steps or not searcher.tasks:
            return
        try:
            searcher.step()
        except Exception as error:  # as above
            for task in searcher.tasks:
                self._write(task.answer_error(error))
            del self._searchers[size]
