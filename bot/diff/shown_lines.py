"""Which lines of both trees a prompt shows already, so that no line is paid for twice."""

from collections.abc import Iterable

from bot.values import Excerpt, Side, Unit


class ShownLines:
    """The lines that somebody is shown. Not frozen: what is shown next is added."""

    def __init__(self, units: Iterable[Unit] = ()) -> None:
        self._places: dict[Side, set[tuple[str, int]]] = {"head": set(), "base": set()}
        for unit in units:
            if unit.side == "head":
                self.lines.update((unit.path, line) for line in range(unit.start, unit.end + 1))

    @property
    def lines(self) -> set[tuple[str, int]]:
        """Path and number of those of the head."""
        return self._places["head"]

    def add(self, excerpt: Excerpt) -> None:
        """The lines of an excerpt are there now."""
        self._places[excerpt.side].update((excerpt.path, row.number) for row in excerpt.rows)

    def has(self, path: str, number: int, side: Side = "head") -> bool:
        """Whether a line is shown."""
        return (path, number) in self._places[side]

    def left(self, path: str, numbers: Iterable[int], side: Side = "head") -> list[int]:
        """Those of some lines that are not shown yet."""
        return [number for number in numbers if (path, number) not in self._places[side]]
