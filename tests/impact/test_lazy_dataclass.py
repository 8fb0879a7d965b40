"""`impact.lazy.dataclass` gives what the library's own gives, and is what the product's classes are made with."""

import copy
import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Any

import pytest

from impact import lazy
from impact.values import Use

ROOT = Path(__file__).parents[2]
OWN = re.compile(
    r"^from dataclasses import [^()\n]*\bdataclass\b(?! as)|^from dataclasses import \([^)]*\bdataclass\b", re.MULTILINE
)


def of_kind(make: Callable[..., Any]) -> tuple[Any, Any]:
    """Two classes with every form of field."""

    @make(frozen=True, slots=True)
    class Row:
        """A row."""

        name: str
        parts: tuple[int, ...] = ()
        notes: list[str] = field(default_factory=list, compare=False)
        hidden: int = field(default=3, repr=False)

    @make(frozen=True, slots=True, kw_only=True)
    class Made:
        """A value that is completed when it is made."""

        size: int
        unit: str = "MB"
        whole: str = field(init=False)
        fixed: tuple[int, ...] = field(init=False, default=(1,))

        def __post_init__(self) -> None:
            object.__setattr__(self, "whole", f"{self.size} {self.unit}")

    return Row, Made


def said(form: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a class
    """What one of its objects says of itself."""
    names = [(one.name, one.default, one.compare) for one in dataclasses.fields(form)]
    return form.__match_args__, names, "__dict__" in dir(form), inspect.getdoc(form)


def test_a_class_has_what_the_librarys_own_has() -> None:
    """The same fields, texts, equality and hashes, and the same errors."""
    (row, made), (other_row, other_made) = of_kind(lazy.dataclass), of_kind(dataclasses.dataclass)
    assert said(row) == said(other_row)
    assert said(made) == said(other_made)
    for one, two in ((row("a", (1,)), other_row("a", (1,))), (made(size=2), other_made(size=2))):
        assert re.sub(r"^.*>\.", "", repr(one)) == re.sub(r"^.*>\.", "", repr(two))
        assert (hash(one), dataclasses.asdict(one)) == (hash(two), dataclasses.asdict(two))
        assert one != two
        assert one == copy.copy(one) == copy.deepcopy(one) == dataclasses.replace(one)
        with pytest.raises(FrozenInstanceError):
            one.size = one.name = 3
        with pytest.raises(FrozenInstanceError):
            del one.unit
    assert row("a", notes=["x"]) == row("a")
    assert row("a") != row("b")
    assert row("a").notes is not row("a").notes
    for form, wrong in ((row, ()), (row, ("a", (), [], 1, 2)), (made, (1,))):
        with pytest.raises(TypeError, match="__init__"):
            form(*wrong)


def test_a_value_crosses_to_another_process() -> None:
    """As it is, and it stays so."""
    use = Use("total", 3, 14)
    crossed = pickle.loads(pickle.dumps(use))  # noqa: S301 - our own
    assert (crossed, hash(crossed)) == (use, hash(use))
    with pytest.raises(FrozenInstanceError):
        crossed.line = 4


def test_nothing_is_compiled_before_it_is_called() -> None:
    """A class that was loaded and not used has no method of its own yet."""
    row, _ = of_kind(lazy.dataclass)
    assert row.__init__.__code__.co_name == "first"
    row("a")
    assert row.__init__.__code__.co_name == "__init__"
    assert row.__hash__.__code__.co_name == "first"


def test_every_class_of_the_product_is_made_so() -> None:
    """Each that is made by the library costs half a millisecond of each command."""
    files = [file for folder in ("impact", "bot") for file in (ROOT / folder).rglob("*.py") if file.name != "lazy.py"]
    assert files
    late = [str(file.relative_to(ROOT)) for file in files if OWN.search(file.read_text("utf-8"))]
    assert late == [], "take `dataclass` from impact.lazy"
