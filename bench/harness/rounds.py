"""The order in which things are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

Name = TypeVar("Name")
Figure = TypeVar("Figure")


def interleaved(
    tasks: Mapping[Name, Callable[[], Figure]],
    rounds: int,
    warm_up: int = 1,
    say: Callable[[int, int], None] = lambda done, all: None,
) -> dict[Name, list[Figure]]:
    """Runs every task once per round and returns what each gave in the rounds that count.

    All tasks meet the same weather: a slow minute of the machine falls on all of them. From round to round another task begins, so
    that none always runs behind the same neighbour. `say` is told how many rounds are done.
    """
    figures: dict[Name, list[Figure]] = {name: [] for name in tasks}
    names = list(tasks)
    for number in range(warm_up + rounds):
        first = number % len(names) if names else 0
        for name in names[first:] + names[:first]:
            figure = tasks[name]()
            if number >= warm_up:
                figures[name].append(figure)
        say(number + 1, warm_up + rounds)
    return figures
