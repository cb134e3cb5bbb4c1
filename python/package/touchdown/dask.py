"""Runs on a Dask cluster: each part of a study is a task.

    python -m touchdown.dask --scheduler-file S --study FILE --out DIR

The part file stays the contract: a task returns the bytes of one part, and they are published in the run's directory as the
command line publishes them. What has a file is not computed again, so a run that was broken off anywhere goes on by the
same call. The directory is that of the process that calls; workers need no access to it. The results are the bytes of a
local run.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

from distributed import Client, Future, get_worker, wait

from . import _touchdown
from ._engine import whole
from ._errors import EngineError, InputError, RunError, TouchdownError
from ._run import Run
from ._study import Study

PATIENCE = 60.0
"""Seconds after which a part may count as stalled, unless parts take longer than that."""
SLOW = 5.0
"""A part is stalled if it takes this many times the median of those that are done, and longer than the patience."""
ATTEMPTS = 3
"""How often a part is handed out before it counts as failed."""
TICK = 0.2
"""Seconds between two looks at the cluster."""
TELLING = 5.0
"""Seconds that the scheduler has to tell why a task failed, and a worker, at least, to hand over what it gave."""
CONNECTING = 30.0
"""Seconds that a scheduler has to be there."""
LATE = (TimeoutError, asyncio.TimeoutError)
"""What a wait raises that ends too late: before Python 3.11 these are two."""
LOST = (OSError, CancelledError, *LATE)
"""What a call raises where the cluster does not answer."""


ENGINES = ("auto", "reference", "native", "gpu")
"""Names of engines."""


class PartsFailed(RunError):
    """Parts could not be computed; all others are in the directory."""

    failed: dict[int, str]
    """Why, by the number of the part."""
    is_of_engine: bool
    """Whether engines are the cause of each, for lack of a device, say."""

    def __init__(self, failed: dict[int, str], is_of_engine: bool = False) -> None:
        self.failed = dict(failed)
        self.is_of_engine = is_of_engine
        lines = "".join(f"\n  part {number}: {why}" for number, why in sorted(failed.items()))
        super().__init__(f"{len(failed)} parts failed; run again when the cause is removed:{lines}")

    def __reduce__(self) -> tuple[object, ...]:
        return PartsFailed, (self.failed, self.is_of_engine)


def compute_part(
    study: Study, number: int, engine: str, keep: str, threads: int, adapters: Mapping[str, str]
) -> bytes:
    """The file of a part, computed here: on a worker, on the adapter that belongs to its name."""
    adapter, room = None, None
    try:
        worker = get_worker()
        # A worker that is killed leaves its files behind; Dask removes those in its own directory.
        adapter, room = adapters.get(str(worker.name)), worker.local_directory
    except ValueError:
        pass
    with tempfile.TemporaryDirectory(prefix="touchdown-", dir=room) as place:
        study.run(engine, directory=place, parts=(number, number + 1), keep=keep, threads=threads, adapter=adapter)
        return (Path(place) / "parts" / _touchdown.Study.part_name(number)).read_bytes()


@dataclass
class _Part:
    """A part on its way."""

    number: int
    futures: list[Future[bytes]] = field(default_factory=list)
    attempts: int = 0
    handed_out: float = 0.0
    workers: set[str] = field(default_factory=set)
    why: str = ""
    is_of_engine: bool = False


def run(
    study: Study,
    client: Client,
    directory: str | os.PathLike[str],
    *,
    engine: str = "auto",
    keep: str = "all",
    threads: int = 1,
    adapters: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
    progress: bool = False,
) -> Run:
    """Runs a study on the workers of a cluster, or goes on with the run in `directory`.

    `threads` is the number of threads of each part; `adapters` tells the GPU of each worker by the worker's name. A part
    that its worker does not finish (killed, frozen, cut off) is handed to another one: at once if the scheduler reports the
    loss, else when the part has taken `patience` seconds and five times the median of others.

    Raises PartsFailed at the end if parts could not be computed, with the reason for each; RunError if the cluster is
    lost, or if the study cannot be divided (subset simulation, stopping rules). In both cases what is finished is kept.
    Raises ValueError, and creates no directory, unless the patience is finite and above 0.
    """
    place = Path(directory)
    why = study._study.indivisible
    if why is not None:
        raise RunError(f"{why}; run it by `study.run` on one machine")
    if study._has_table:
        raise RunError("the trials are the rows of a table, which stays here; run it by `study.run` on one machine")
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r}: must be one of {', '.join(ENGINES)}")
    threads = whole(threads)
    patience = _patient(patience)
    with _touchdown.Directory(study._study, place) as held:
        missing = [number for number in range(study.parts) if not held.has(number, keep)]
        made_by = held.made_by()
        if made_by is not None and engine not in ("auto", made_by[0]):
            raise RunError(f"{place}: its parts are of engine {' '.join(made_by)}, not of {engine}")
        options = (engine, keep, threads, dict(adapters or {}))
        campaign = _Campaign(study, client, held, options, patience, progress)
        failed = campaign.compute(missing)
        if failed:
            raise PartsFailed(failed, campaign.of_engine == set(failed))
        held.summarize()
    return Run(study, place)


def _patient(patience: float) -> float:
    """The patience, if it is one."""
    if not isinstance(patience, Real):
        raise TypeError(f"patience={patience!r}: must be a number of seconds")
    if not 0 < patience < math.inf:
        raise ValueError(f"patience={patience}: must be a finite number of seconds above 0")
    return float(patience)


class _Campaign:
    """Hands out parts, takes in their files."""

    def __init__(
        self,
        study: Study,
        client: Client,
        directory: _touchdown.Directory,
        options: tuple[Any, ...],
        patience: float,
        progress: bool,
    ) -> None:
        self.study = study
        self.client = client
        self.directory = directory
        self.options = options
        self.patience = patience
        self.progress = progress
        self.durations: list[float] = []
        self.made_by = directory.made_by()
        self.open: dict[int, _Part] = {}
        self.failed: dict[int, str] = {}
        self.of_engine: set[int] = set()
        self.done = 0

    def compute(self, missing: list[int]) -> dict[int, str]:
        """Computes these parts; returns those that failed, with the reason."""
        if not missing:
            return {}
        waiting = list(reversed(missing))
        try:
            while waiting or self.open:
                while waiting and len(self.open) < 2 * max(1, self._threads()):
                    self.hand_out(_Part(waiting.pop()))
                self.look()
                self.tell(len(missing))
        finally:
            for part in self.open.values():
                self._give_up(part)
        return self.failed

    def _threads(self) -> int:
        return sum(self._asked(self.client.nthreads).values())

    def _asked(self, question: Any) -> Any:
        """The cluster's answer; a lost cluster is an error of the run."""
        try:
            return question()
        except LOST as error:
            raise self.lost(error) from error

    def lost(self, error: BaseException) -> RunError:
        """The error for a cluster that is gone."""
        return RunError(f"the cluster is lost ({error}); {self.done} parts more are there: run again to go on")

    def hand_out(self, part: _Part) -> None:
        """Submits a part, to another worker than those that had it if there is one."""
        others = None
        if part.workers:
            others = [worker for worker in self._asked(self.client.nthreads) if worker not in part.workers] or None
        # The study goes along with each part: a worker that held the only copy could die or freeze with it.
        arguments = (self.study, part.number, *self.options)
        submit = partial(self.client.submit, compute_part, *arguments, pure=False, workers=others)
        part.futures.append(self._asked(partial(submit, allow_other_workers=others is not None)))
        part.attempts += 1
        part.handed_out = time.monotonic()
        self.open[part.number] = part

    def look(self) -> None:
        """Waits a moment, takes in what is done, and hands out again what is lost or stalled."""
        futures = [future for part in self.open.values() for future in part.futures]
        try:
            wait(futures, timeout=TICK, return_when="FIRST_COMPLETED")
        except LATE:
            pass
        except LOST as error:
            raise self.lost(error) from error
        # A client that has lost its scheduler cancels all futures; that is no fault of the parts.
        if self.client.status != "running":
            raise self.lost(RuntimeError(f"the client is {self.client.status}"))
        running = self._where()
        for part in list(self.open.values()):
            if self.take_in(part):
                continue
            if not part.futures:
                self.again(part)
            elif part.number in running:
                if running[part.number] - part.workers:
                    part.workers |= running[part.number]
                    part.handed_out = time.monotonic()
                elif self.is_stalled(part) and part.attempts < ATTEMPTS:
                    part.why = "stalled"
                    self.hand_out(part)
            else:
                # It waits for a worker: the clock starts when it has one.
                part.handed_out = time.monotonic()

    def _where(self) -> dict[int, set[str]]:
        """The workers at which parts are, by the number of the part."""
        processing = self._asked(self.client.processing)
        at = {key: worker for worker, keys in processing.items() for key in keys}
        places: dict[int, set[str]] = {}
        for part in self.open.values():
            found = {at[future.key] for future in part.futures if future.key in at}
            if found:
                places[part.number] = found
        return places

    def is_stalled(self, part: _Part) -> bool:
        """Whether a part takes longer than it should."""
        usual = SLOW * statistics.median(self.durations) if self.durations else 0.0
        return time.monotonic() - part.handed_out > max(self.patience, usual)

    def take_in(self, part: _Part) -> bool:
        """Publishes the part if one of its tasks is done; true if the part is closed."""
        for future in list(part.futures):
            if future.status == "finished":
                content = self._content_of(future)
                if content is None:
                    part.why = "the worker that has it does not answer"
                    part.futures.remove(future)
                    continue
                self.durations.append(time.monotonic() - part.handed_out)
                self.publish(part.number, content)
                self._close(part)
                self.done += 1
                return True
            if future.status in ("error", "cancelled", "lost"):
                error = self._error_of(future) if future.status == "error" else None
                part.why = str(error) if error is not None else f"the task was {future.status}"
                part.is_of_engine = isinstance(error, EngineError)
                part.futures.remove(future)
                # What is wrong with the study is wrong everywhere.
                if isinstance(error, InputError):
                    part.attempts = ATTEMPTS
        return False

    def _content_of(self, future: Future[bytes]) -> bytes | None:
        """What a task gave; None if its worker keeps it for longer than patience allows, as a frozen one does."""
        try:
            # However soon parts count as stalled, a sound worker takes a moment to hand one over.
            content: bytes = future.result(timeout=max(self.patience, TELLING))
            return content
        except LATE:
            return None
        except LOST as lost:
            raise self.lost(lost) from lost

    def _error_of(self, future: Future[bytes]) -> BaseException | None:
        """Why a task failed; None if that is not told in time."""
        try:
            error: BaseException | None = future.exception(timeout=TELLING)
            return error
        except LATE:
            return None
        except LOST as lost:
            raise self.lost(lost) from lost

    def again(self, part: _Part) -> None:
        """Hands out a part that is lost, if it has attempts left."""
        if part.attempts < ATTEMPTS:
            self.hand_out(part)
        else:
            self.failed[part.number] = part.why
            if part.is_of_engine:
                self.of_engine.add(part.number)
            self._close(part)

    def publish(self, number: int, content: bytes) -> None:
        """Puts the file of a part in its place, whole or not at all, once it is known to be what it should be."""
        name = _touchdown.Study.part_name(number)
        with tempfile.TemporaryDirectory(prefix="touchdown-") as place:
            file = Path(place) / name
            file.write_bytes(content)
            made_by = self.study._study.check_part(number, file)
        if self.made_by is None:
            self.made_by = made_by
        if made_by != self.made_by:
            ours, theirs = " ".join(self.made_by), " ".join(made_by)
            raise RunError(f"part {number} is of engine {theirs}, other parts are of {ours}; say one engine for all workers")
        self.directory.publish(number, content)

    def _close(self, part: _Part) -> None:
        self._give_up(part)
        self.open.pop(part.number, None)

    def _give_up(self, part: _Part) -> None:
        for future in part.futures:
            if future.status == "pending":
                try:
                    future.cancel()
                except LOST:
                    pass
        part.futures.clear()

    def tell(self, total: int) -> None:
        """Shows how many parts are done."""
        if self.progress:
            sys.stderr.write(f"\r{self.done + len(self.failed)}/{total} parts ")
            sys.stderr.flush()


def _adapter(text: str) -> tuple[str, str]:
    worker, equals, adapter = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} must be WORKER=ADAPTER")
    return worker, adapter


def _seconds(text: str) -> float:
    try:
        return _patient(float(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be a finite number of seconds above 0") from None


def _written(scheduler_file: str | None) -> str | None:
    """The file of a scheduler, which may be about to write it."""
    until = time.monotonic() + CONNECTING
    while scheduler_file is not None and not Path(scheduler_file).exists():
        if time.monotonic() > until:
            raise RunError(f"{scheduler_file}: there is no such file after {CONNECTING:.0f} s; is its scheduler running?")
        time.sleep(TICK)
    return scheduler_file


def main(arguments: list[str] | None = None) -> int:
    """The command `python -m touchdown.dask`; returns its exit code, as `touchdown study run` has it."""
    parser = argparse.ArgumentParser(prog="python -m touchdown.dask", description="Runs a study on a Dask cluster.")
    cluster = parser.add_mutually_exclusive_group(required=True)
    cluster.add_argument("--scheduler-file", metavar="FILE", help="file that the scheduler wrote")
    cluster.add_argument("--scheduler", metavar="ADDRESS", help="address of the scheduler")
    parser.add_argument("--study", required=True, metavar="FILE", help="study file")
    parser.add_argument("--out", required=True, metavar="DIR", help="directory of the run")
    parser.add_argument("--engine", default="auto", choices=ENGINES)
    parser.add_argument("--keep", default="all", metavar="WHICH", help="rows to keep: all, failures or sample:N")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of each part")
    parser.add_argument(
        "--adapter", type=_adapter, action="append", default=[], metavar="WORKER=ADAPTER", help="GPU of a worker, by its name"
    )
    parser.add_argument("--patience", type=_seconds, default=PATIENCE, metavar="SECONDS", help="before a part may be stalled")
    asked = parser.parse_args(arguments)
    try:
        study = Study(asked.study)
        with Client(asked.scheduler, scheduler_file=_written(asked.scheduler_file), timeout=CONNECTING) as client:
            done = run(
                study,
                client,
                asked.out,
                engine=asked.engine,
                keep=asked.keep,
                threads=asked.threads,
                adapters=dict(asked.adapter),
                patience=asked.patience,
                progress=sys.stderr.isatty(),
            )
    except (TouchdownError, ValueError, *LOST) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3 if isinstance(error, EngineError) or (isinstance(error, PartsFailed) and error.is_of_engine) else 2
    except KeyboardInterrupt:
        print("interrupted; finished parts are kept, the same command goes on from them", file=sys.stderr)
        return 130
    verdicts = [record.verdict for record in done.summary.criteria]
    for record in done.summary.criteria:
        print(f"{record.name}: {record.lower:.4g} to {record.upper:.4g}, allowed {record.probability:.4g}: {record.verdict}")
    invalid, allowed = done.summary.classes[study.classes[0]], done.summary.invalid_allowance
    if invalid > 0:
        print(f"{invalid} of {study.trials} are invalid and count as every event; allowed are {allowed}")
    print(f"results: {done.directory}")
    if invalid > allowed:
        return 4
    return 1 if "failed" in verdicts else 6 if "undecided" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
