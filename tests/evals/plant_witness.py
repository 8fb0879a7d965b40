"""What the generated Python code does when it is used: run over a tree and over each mutant of it, the outputs tell them apart.

    python plant_witness.py BASE MUTANT... prints a digest for BASE and one for each MUTANT

A MUTANT is a folder with the changed files alone; everything else comes from BASE. Each runs in a process of its own.
"""

import hashlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import iscoroutine
from pathlib import Path
from types import ModuleType
from typing import Any

CASES = (
    ("north", 5, "open", None, 0),
    ("south", 40, "held", "blocked by rain", 3),
    ("north", 900, "done", " soft ", 99),
)
PARTS = ("model", "rules", "store", "service", "report", "api")
LIBRARY = ("numbers", "paging", "leases", "audit")
HUGE = 10**6


def told(do: Callable[[], Any]) -> str:
    """What a call gave, or what it raised."""
    try:
        found = do()
        if iscoroutine(found):
            found.send(None)  # none of them ever waits for anything
    except StopIteration as done:
        return repr(done.value)
    except Exception as error:  # noqa: BLE001 - whatever a mutant raises is its behaviour
        return f"{type(error).__name__}: {error}"
    return type(found).__name__ if iscoroutine(found) else repr(found)


def functions(module: ModuleType) -> list[Any]:
    """The module's own functions, by name."""
    rows = [item for _, item in sorted(vars(module).items()) if getattr(item, "__module__", "") == module.__name__]
    return [item for item in rows if callable(item) and not isinstance(item, type)]


class Entity:
    """One entity's modules, and some things of its kind."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts = {part: import_module(f"app.{name}s.{part}") for part in PARTS}
        self.lib = {part: import_module(f"app.lib.{part}") for part in LIBRARY}
        self.make = getattr(self.parts["model"], name.capitalize())
        self.things = [self.make(f"x{n}", *case) for n, case in enumerate(CASES)]
        self.fields = list(self.make.__dataclass_fields__)[1:3]

    def use(self) -> Iterator[Any]:
        """Every function with values on, under and over its boundaries."""
        yield from self.library()
        yield from self.rules()
        yield from self.model()
        yield from self.report()
        yield from self.doors()
        yield from self.store()

    def stored(self, count: int = 0) -> Any:  # noqa: ANN401 - of a module that is made up
        """A store with the things, or with so many rows."""
        things = (self.things * (count or 1))[: count or len(self.things)]
        rows = [
            {f"{self.name}_id": t.id, "state": t.state, "note": t.note, "age": t.age}
            | {f"{self.name}_{field}": getattr(t, field) for field in self.fields}
            for t in things
        ]
        return getattr(self.parts["store"], f"{self.name.capitalize()}Store")(rows)

    def left(self, store: Any) -> Any:  # noqa: ANN401 - the same
        """What a call leaves behind."""
        leases = vars(self.lib["leases"])
        held, leases["_taken"] = dict(leases["_taken"]), {}
        lines = vars(self.lib["audit"])["_lines"]
        return store.lock.locked(), len(store.rows), repr(store.rows[-1:]), sorted(held.items()), len(lines)

    def library(self) -> Iterator[Any]:
        """The common functions."""
        numbers, paging, leases, audit = (self.lib[part] for part in LIBRARY)
        rows = list(range(50))
        for one in (-1, 0, 1, 2, 5):
            for two in (-1, 0, 1, 2, 5):
                yield (
                    told(lambda a=one, b=two: numbers.share(a, b)),
                    told(lambda a=one, b=two: numbers.between(a, b, 2)),
                )
                yield (
                    told(lambda a=one, b=two: paging.page(rows, a, b)),
                    told(lambda a=one, b=two: paging.window([1, 2], a, b)),
                )
                yield told(lambda a=one, b=two: paging.pages(a, b))
            yield told(lambda a=one: paging.pages(a)), told(lambda a=one: paging.page(rows, a))
            yield told(lambda a=one: numbers.money(a)), told(lambda a=one: numbers.money(a, sign=True))
        held: list[Any] = []
        for _ in range(leases.MOST_LEASES + 1):
            yield told(lambda: held.append(leases.take("w")))
        yield told(lambda: [lease.close() for lease in held]), told(lambda: leases.take("w").close())
        yield repr(vars(leases)["_taken"])
        last = [told(lambda n=n: audit.record("a" if n % 2 else "b", n)) for n in range(audit.MOST_LINES + 2)][-1]
        yield last, told(lambda: len(audit.recorded("a"))), told(lambda: audit.recorded("a")[:2])
        vars(audit)["_lines"].clear()

    def edges(self) -> list[int]:
        """The numbers of the rules, one less and one more."""
        known = [value for value in vars(self.parts["rules"]).values() if type(value) is int]
        return sorted({0, 1, *(value + more for value in known for more in (-1, 0, 1))})

    def rules(self) -> Iterator[Any]:
        """Every rule, in every form that one of them takes."""
        for rule in functions(self.parts["rules"]):
            for edge in self.edges():
                for given in ((edge,), (edge, True), (edge, 3), (edge, edge, 1), (edge, 1, 1)):
                    yield told(lambda f=rule, a=given: f(*a))
                for t in self.things:
                    aged = self.make("y", "north", edge, t.state, t.note, t.age)
                    for given in ((t,), (t, edge), (t, ["north"]), ([t], edge), (aged,)):
                        yield told(lambda f=rule, a=given: f(*a))
                    yield told(lambda f=rule, e=edge, t=t: f(self.make("y", "north", HUGE, t.state, t.note, e)))

    def model(self) -> Iterator[Any]:
        """To rows and back."""
        module = self.parts["model"]
        to_row, from_row = (getattr(module, f"{self.name}_{word}_row") for word in ("to", "from"))
        for t in self.things:
            for function in functions(module):
                yield told(lambda f=function, t=t: f(t)), told(lambda f=function, t=t: f(vars(t)))
                yield told(lambda f=function, t=t: f(t, 0)), told(lambda f=function, t=t: f(t, t.age))
            yield told(lambda t=t: to_row(t)), told(lambda t=t: from_row(to_row(t)))

    def report(self) -> Iterator[Any]:
        """Figures of few and of many things."""
        heavy = [self.make("h", "north", edge) for edge in range(100)]
        for function in functions(self.parts["report"]):
            for things in (self.things, self.things * 9, heavy):
                yield (
                    told(lambda f=function, t=things: f(t)),
                    told(lambda f=function, t=things: f(t, ["north", "south"])),
                )
                yield [told(lambda f=function, t=things, n=n: f(t, n)) for n in range(-2, 4)]
            yield [told(lambda f=function, n=n: f(n, n + 3)) for n in range(-2, 4)]

    def doors(self) -> Iterator[Any]:
        """What people and requests do, each with a fresh store."""
        most = self.parts["rules"].MOST_HELD
        rows = self.parts["api"].MOST_ROWS
        to_row = getattr(self.parts["model"], f"{self.name}_to_row")
        for function in (*functions(self.parts["service"]), *functions(self.parts["api"])):
            for t in self.things:
                given: list[tuple[Any, ...]] = [(t,), (t.id,), ("none",), (t.id, "north"), ("north",), ({},), ()]
                given += [("north", 0, 2), ("north", 1, 1), ("north", 9, 1), ("north", 0, rows), ("north", 0, rows + 1)]
                given += [({"page": number},) for number in (-1, 0, 1, 2)]
                for held in (0, most - 1, most):
                    given += [(t.id, held), ("none", held), ({f"{self.name}_id": t.id}, held)]
                for arguments in given:
                    store = self.stored()
                    yield told(lambda f=function, s=store, a=arguments: f(s, *a)), self.left(store)
                store = self.stored()
                yield told(lambda f=function, s=store, t=t: f(s, to_row(t))), self.left(store)

    def store(self) -> Iterator[Any]:
        """Stores that are empty, nearly full and full."""
        most = getattr(self.parts["store"], f"MOST_{self.name.upper()}S")
        for count in (1, 3, most - 1, most, most + 1):
            store = self.stored(count)
            everything = getattr(store, f"all_{self.name}s")
            find, keep, drop = (getattr(store, f"{word}_{self.name}") for word in ("find", "keep", "drop"))
            within = getattr(store, next(word for word in dir(store) if word.startswith(f"{self.name}s_in")))
            yield told(everything), told(lambda f=find: f("x1")), told(lambda f=find: f("none")), self.left(store)
            yield told(lambda w=within: w("north")), told(lambda w=within: w("north", 1))
            yield told(lambda k=keep: k(self.make("new", "north", 3))), self.left(store)
            yield told(lambda d=drop: d("x1")), self.left(store)


def run(paths: list[str]) -> str:
    """The whole behaviour as one text."""
    warnings.simplefilter("ignore")
    sys.path[:0] = paths
    sys.dont_write_bytecode = True
    try:
        names = sorted(path.parent.name[:-1] for path in Path(paths[-1]).glob("app/*/model.py"))
        return repr([[name, list(Entity(name).use())] for name in names])
    except Exception as error:  # noqa: BLE001 - a mutant that cannot be loaded
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    base, *mutants = sys.argv[1:]
    for paths in ([base], *([mutant, base] for mutant in mutants)):
        child = os.fork()
        if not child:
            sys.stdout.write(hashlib.sha256(run(paths).encode()).hexdigest() + "\n")
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
