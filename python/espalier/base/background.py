# SPDX-License-Identifier: Apache-2.0
"""Work in threads that nobody waits for once the command has ended.

The core computes without the interpreter's lock, for seconds where ranks are many, and takes no
notice of signals. The threads of concurrent.futures would be waited for when the command ends.
"""

from __future__ import annotations

import functools
import os
import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_background(work: Callable[[], _Result]) -> Future[_Result]:
    """Start a thread for something; its result, or what it raised, comes with the future."""
    future: Future[_Result] = Future()
    threading.Thread(target=_fulfil, args=(future, work), daemon=True).start()
    return future


def each_in_background(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """Do something for each item, on as many cores as this process may use.

    Returns:
        The results, in the order of the items.

    Raises:
        BaseException: what `work` raised for the first item it raised anything for.
    """
    waiting: queue.SimpleQueue[tuple[Future[_Result], _Item]] = queue.SimpleQueue()
    futures = []
    for item in items:
        futures.append(Future[_Result]())
        waiting.put((futures[-1], item))

    def take_turns() -> None:
        while True:
            try:
                future, item = waiting.get_nowait()
            except queue.Empty:
                return
            _fulfil(future, functools.partial(work, item))

    for _ in range(min(len(futures), len(os.sched_getaffinity(0)))):
        threading.Thread(target=take_turns, daemon=True).start()
    return [future.result() for future in futures]


def _fulfil(future: Future[_Result], work: Callable[[], _Result]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
