"""What every language has to see: a definition that is lost although its text stays, or whose loss an added file hides."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from contract_findings import look, open_uses
from fakes import Repository

from bot.languages import LANGUAGES

FOLDER = Path(__file__).parents[1] / "languages" / "conformance" / "conditions"
VARIANT = re.compile(r"^=== (\w+): (.+)\n", re.MULTILINE)
SECTION = re.compile(r"^--- (?:base|head) (\S+)\n", re.MULTILINE)
KINDS = frozenset({"around", "ends", "binds", "namespace", "twin"})
ABSENT = {  # what a language has no syntax for
    "c": {"namespace"},
    "csharp": {"ends", "binds"},
    "go": {"ends", "binds"},
    "java": {"ends", "binds"},
    "javascript": {"namespace"},
    "kotlin": {"ends", "binds"},
    "lua": {"namespace"},
    "php": {"binds"},
    "python": {"namespace"},
    "rust": {"ends", "binds", "namespace"},
    "scala": {"ends", "binds"},
    "swift": {"ends", "binds", "namespace"},
}
SAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}
Files = dict[str, str]


def files(text: str) -> Files:
    """The files of a part of a sample."""
    parts = SECTION.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def variants(sample: str) -> Iterator[tuple[str, str, Files]]:
    """Each change of a sample: its kind, its name, and the files that it writes."""
    parts = VARIANT.split(SAMPLES[sample])[1:]
    for kind, name, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield kind, name, files(text)


ROWS = [(sample, kind, name, change) for sample in SAMPLES for kind, name, change in variants(sample)]


@pytest.mark.parametrize(
    ("sample", "change"), [(row[0], row[3]) for row in ROWS], ids=[f"{row[0]}: {row[1]}: {row[2]}" for row in ROWS]
)
def test_a_definition_that_is_lost_is_told(sample: str, change: Files, repository: Repository) -> None:
    """Who uses it is a finding or a use to look at."""
    before: dict[str, str | bytes | None] = {**files(VARIANT.split(SAMPLES[sample])[0])}
    pull = repository.change(before, {**change})

    assert look(pull) or open_uses(pull)


LUA = "local M = {}\n\nfunction M.total(rows)\n  return #rows\nend\n\nreturn M\n"
FUNCTION = LUA[LUA.index("function") : LUA.index("return M")]
CART = "defmodule Shop.Cart do\n  def total(rows), do: rows\n"
ORDINARY: dict[str, tuple[str, str, str]] = {
    "variables of a function's own": ("shop/cart.lua", LUA, LUA.replace(FUNCTION, f"do\n  local x = 1\n  {FUNCTION}end\n")),
    "one more function": ("shop/cart.lua", LUA, LUA.replace("return M", "function M.more()\n  return M.total\nend\n\nreturn M")),
    "one more value": ("shop/cart.lua", LUA, LUA.replace("return M", "M.VERSION = 2\nfor _, one in ipairs({}) do print(one) end\n\nreturn M")),
    "a better message": (
        "shop/cart.lua", f"if not jit then\n  error('no')\nend\n{LUA}", f"if not jit then\n  error('not without jit')\nend\n{LUA}",
    ),
    "one more module attribute": ("lib/shop/cart.ex", f"{CART}end\n", f"{CART}  @rate 2\n  @doc false\n  def rate, do: @rate\nend\n"),
    "a function that raises": (
        "lib/shop/cart.ex", f"{CART}end\n", f'{CART}  def never do\n    raise "x"\n  end\n\n  if false do\n    def odd, do: 1\n  end\nend\n',
    ),
}  # fmt: skip
USERS: Files = {
    "pay.lua": 'local cart = require("shop.cart")\n\ncart.total({})\n',
    "lib/shop/pay.ex": "defmodule Shop.Pay do\n  def pay(rows), do: Shop.Cart.total(rows)\nend\n",
}


@pytest.mark.parametrize(("path", "before", "after"), ORDINARY.values(), ids=ORDINARY)
def test_what_takes_nothing_away_obliges_nobody(repository: Repository, path: str, before: str, after: str) -> None:
    """The definition is where it was."""
    pull = repository.change({**USERS, path: before}, {path: after})

    assert (look(pull), open_uses(pull)) == ([], ())


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_kind_of_loss_has_a_sample(sample: str) -> None:
    """A language shows each kind that its syntax has."""
    assert {kind for kind, _, _ in variants(sample)} == KINDS - ABSENT.get(sample, set())


def test_every_language_has_samples() -> None:
    """A language that is registered is in this folder."""
    paths = [path for text in SAMPLES.values() for path in files(VARIANT.split(text)[0])]

    assert all(any(path.endswith(language.SUFFIXES) for path in paths) for language in LANGUAGES.values())
    assert len(SAMPLES) == len({path.stem for path in FOLDER.parent.glob("*.txt")})
