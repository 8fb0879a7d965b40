import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from dependents_scene import find
from fakes import Repository

from bot.dependents import kept as keeping
from bot.dependents.kept import FILE, MAX_ROW, kept
from bot.languages import LANGUAGES
from bot.ports import Language
from bot.values import Dependents, Outline, PullRequest, Side, Use
from bot.wiring import deps

BEFORE: dict[str, str | bytes | None] = {
    "pkg/__init__.py": "from pkg.core import *\n",
    "pkg/core.py": "class Cart:\n    def total(self, tax):\n        return tax\n\ndef load_cart(name):\n    return name\n",
    "pkg/gift.py": "from pkg.core import Cart\n\nclass GiftCart(Cart):\n    def total(self, tax):\n        return 0\n",
    "shop/app.py": "from pkg import load_cart, Cart\n\ndef run():\n    return Cart().total(1), load_cart('x')\n",
    "web/cart.ts": "export function addItem(cart: Cart, item: string) { return cart }\n",
    "web/index.ts": "export * from './cart'\n",
    "web/page.tsx": "import { addItem } from '.'\n\nexport const page = () => addItem(cart, 'x')\n",
}
AFTER: dict[str, str | bytes | None] = {
    "pkg/core.py": "class Cart:\n    def total(self, tax, currency):\n        return tax\n\ndef fetch_cart(name):\n    return name\n",
    "web/cart.ts": "export function addItem(cart: Cart, item: string, count: number) { return [cart, count] }\n",
}
SAMPLES = {
    "a.py": "class A(B):\n    def run(self, x=1, *rest, key): pass\n",
    "a.ts": "export default class A extends B { run(x: string, ...rest: number[]): void {} }\n",
    "a.d.ts": "export declare function run(x: string): void\n",
    "a.java": "class A extends B { int run(int x) { return x; } int run() { return run(1); } }\n",
    "a.kt": "class A : B() { fun run(x: Int = 1) = x }\nfun run(a: A) = a.run(2)\n",
    "a.cs": "namespace N; class A : B { int run(int x) => x; void go() { run(1); } }\n",
    "a.h": "class A : public B { int run(int x = 1); };\n",
    "a.c": "static int run(int x) { return run(x - 1); }\n",
    "a.go": "package a\n\ntype A struct{ B }\n\nfunc (a A) run(x int) int { return a.run(x) }\n",
    "a.rs": "pub struct A;\nimpl A { pub fn run(&self, x: u8) -> u8 { self.run(x) } }\n",
    "a.php": "<?php\nclass A extends B { function run($x = 1) { return $this->run(2); } }\n",
    "a.rb": "class A < B\n  def run(x, y: 1)\n    run(x, y: 2)\n  end\nend\n",
}


class Deaf:
    """A language that answers no question about a content."""

    def __init__(self, language: Language) -> None:
        self.NAME, self.SUFFIXES, self._language = language.NAME, language.SUFFIXES, language

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the language has
        return getattr(self._language, name)

    def outline(self, path: str, source: bytes, side: Side) -> Outline:
        del source, side
        raise AssertionError(f"asked for the outline of {path}")

    def uses(self, path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
        del source, names
        raise AssertionError(f"asked for the uses in {path}")


DEAF = {name: cast("Language", Deaf(language)) for name, language in LANGUAGES.items()}


@pytest.fixture
def pull(repository: Repository) -> PullRequest:
    return repository.change(BEFORE, AFTER)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


def said(pull: PullRequest, languages: Mapping[str, Language] = LANGUAGES) -> Dependents:
    return find(pull, languages=languages)


def filled(pull: PullRequest, folder: str) -> Dependents:
    """What is said while the cache is filled; nothing may be noted."""
    return said(pull, kept(LANGUAGES, folder, pytest.fail))


def test_an_empty_and_a_filled_cache_say_what_is_said_without_one(pull: PullRequest, folder: str) -> None:
    """The second time no language is asked about a content, and the answer is the same to the last field."""
    plain = said(pull)

    assert len(plain.references) >= 4
    assert len(plain.heirs) == 1
    assert filled(pull, folder) == plain
    assert said(pull, kept(DEAF, folder, pytest.fail)) == plain


def test_another_version_asks_anew(pull: PullRequest, folder: str) -> None:
    """What an older product parsed is never an answer of this one, and the other way round."""
    plain = said(pull)

    assert filled(pull, folder) == plain
    with pytest.raises(AssertionError, match="asked for"):
        said(pull, kept(DEAF, folder, pytest.fail, version="0"))
    assert said(pull, kept(LANGUAGES, folder, pytest.fail, version="0")) == plain


def _garbage(file: Path) -> None:
    file.write_bytes(b"no database " * 1000)


def _torn(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[: 4096 + 100] + b"\xff" * (size - 4196))


def _foreign(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as base:
        base.execute("CREATE TABLE answers (other)")
    base.close()


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("damage", [_garbage, _torn, _foreign, _folder])
def test_a_damaged_file_is_said_once_and_not_used(
    pull: PullRequest, folder: str, damage: Callable[[Path], None]
) -> None:
    """The review goes on as if there were no cache."""
    notes: list[str] = []
    plain = filled(pull, folder)
    damage(Path(folder) / FILE)

    assert said(pull, kept(LANGUAGES, folder, notes.append)) == plain
    assert len(notes) == 1
    assert FILE in notes[0]


def test_a_folder_that_cannot_be_made_is_said_once(pull: PullRequest, tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    notes: list[str] = []
    (tmp_path / "taken").write_text("")

    assert said(pull, kept(LANGUAGES, str(tmp_path / "taken"), notes.append)) == said(pull)
    assert len(notes) == 1


def test_a_locked_file_is_said_once_and_not_used(pull: PullRequest, folder: str) -> None:
    """Another process that keeps the file to itself does not hold up a review."""
    notes: list[str] = []
    plain = filled(pull, folder)
    other = sqlite3.connect(Path(folder) / FILE, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")

    assert said(pull, kept(LANGUAGES, folder, notes.append)) == plain
    other.close()
    assert len(notes) == 1
    assert "locked" in notes[0]


@pytest.mark.parametrize("value", [b"", b"\xff", b"[" * 5000, b'{"symbols": 3}', b'[{"name": 1}]', "text", 7])
def test_a_row_of_another_form_is_no_answer(pull: PullRequest, folder: str, value: bytes | str | int) -> None:
    """It is asked again and put right."""
    plain = filled(pull, folder)
    other = sqlite3.connect(Path(folder) / FILE, isolation_level=None)
    other.execute("UPDATE answers SET value = ?", (value,))
    other.close()

    assert said(pull, kept(LANGUAGES, folder, pytest.fail)) == plain
    assert said(pull, kept(DEAF, folder, pytest.fail)) == plain


@pytest.mark.parametrize("name", SAMPLES)
def test_an_answer_holds_for_every_path_of_the_same_ending(name: str, folder: str) -> None:
    """What is kept of one path and side is what the language says of another."""
    source, there = SAMPLES[name].encode(), f"deep/er/other_{name}"
    language = next(one for one in LANGUAGES.values() if name.endswith(one.SUFFIXES))
    first = kept(LANGUAGES, folder, pytest.fail)[language.NAME]
    deaf = kept(DEAF, folder, pytest.fail)[language.NAME]

    assert first.outline(name, source, "head") == language.outline(name, source, "head")
    assert deaf.outline(there, source, "base") == language.outline(there, source, "base")
    assert first.uses(name, source, {"run"}) == language.uses(name, source, {"run"}) != ()
    assert deaf.uses(there, source, {"run"}) == language.uses(there, source, {"run"})


def test_the_same_text_under_another_ending_is_another_question(folder: str) -> None:
    """A declaration file offers names that are written nowhere, a module does not."""
    language = kept(LANGUAGES, folder, pytest.fail)["javascript"]

    assert language.outline("a.ts", b"export const x = 1\n", "head").complete
    assert not language.outline("a.d.ts", b"export const x = 1\n", "head").complete


def test_the_file_stays_below_its_limit_and_keeps_what_is_used(folder: str) -> None:
    """A hundred times the limit is put in; one row is asked for every hour and is there to the end."""
    limit, hour = 40 * 4096, [0]
    language = kept(LANGUAGES, folder, pytest.fail, limit=limit, clock=lambda: hour[0] * 3600.0)["python"]
    deaf = kept(DEAF, folder, pytest.fail, limit=limit, clock=lambda: hour[0] * 3600.0)["python"]
    largest = 0
    for number in range(400):
        hour[0] = number
        language.outline("a.py", b"favourite = 1\n", "head")
        source = "".join(f"def f{number}_{at}(a, b): pass\n" for at in range(200))
        language.outline("a.py", source.encode(), "head")
        largest = max(largest, (Path(folder) / FILE).stat().st_size)

    assert 0 < largest <= limit
    assert deaf.outline("b.py", b"favourite = 1\n", "base").names == {"favourite"}
    with pytest.raises(AssertionError, match="asked for"):
        deaf.outline("a.py", "".join(f"def f0_{at}(a, b): pass\n" for at in range(200)).encode(), "head")


def test_a_very_large_answer_is_not_kept(folder: str) -> None:
    """A file of thousands of definitions is parsed each time."""
    source = "".join(f"variable_number_{at} = {at}\n" for at in range(MAX_ROW // 20)).encode()
    told = kept(LANGUAGES, folder, pytest.fail)["python"].outline("a.py", source, "head")

    assert len(told.symbols) == MAX_ROW // 20
    with pytest.raises(AssertionError, match="asked for"):
        kept(DEAF, folder, pytest.fail)["python"].outline("a.py", source, "head")


def test_processes_share_a_folder(folder: str) -> None:
    """Three that fill it at once all get their answers, and the file is whole."""
    code = (
        "import sys\nfrom bot.dependents.kept import kept\nfrom bot.languages import LANGUAGES\n"
        "python = kept(LANGUAGES, sys.argv[1], lambda note: None)['python']\n"
        "print(sum(len(python.outline('a.py', b'x%d = 1\\n' % (at % 100), 'head').symbols) for at in range(300)))\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [one.communicate()[0].strip() for one in started] == ["300"] * 3
    base = sqlite3.connect(Path(folder) / FILE)
    rows, whole = base.execute("SELECT count(*) FROM answers").fetchone(), base.execute("PRAGMA integrity_check")
    assert (rows, whole.fetchone()) == ((100,), ("ok",))
    base.close()


def test_the_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, folder: str, tmp_path: Path) -> None:
    """Without DEEPREPO_CACHE nothing is kept anywhere."""
    monkeypatch.delenv("DEEPREPO_CACHE", raising=False)
    assert deps({}, str(tmp_path), pytest.fail).languages is LANGUAGES
    monkeypatch.setenv("DEEPREPO_CACHE", folder)
    deps({}, str(tmp_path), pytest.fail).languages["python"].outline("a.py", b"x = 1\n", "head")

    assert (Path(folder) / FILE).is_file()
    assert keeping.LIMIT <= 128 << 20
