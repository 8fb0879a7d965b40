"""Hostile, broken and unusual repositories get a partial answer with a reason, and never a crash."""

import asyncio
import os
from pathlib import Path

import pytest
import step
from dependents_scene import find
from fakes import Repository

from bot import diff
from bot.checkout import Checkout
from bot.values import Dependents, PullRequest
from deeprepo.impact import uses

CALLER = {"app.py": "from lib import f\n\nf(1)\n"}


def pairs(found: Dependents) -> set[tuple[str, str]]:
    """Return the pairs of dependent file and changed file."""
    return {(row.path, row.target) for row in found.files}


def test_importers_of_a_changed_file_with_a_syntax_error_are_found(repository: Repository) -> None:
    """If the changed file has a syntax error, its importers are found, but nothing is called missing."""
    pull = repository.change({"lib.py": "def f(a): ...\n", **CALLER}, {"lib.py": "def f(a: ...\n  )))\nclass\n"})
    found = find(pull)
    assert pairs(found) == {("app.py", "lib.py")}
    assert not any(row.missing for row in found.references)


@pytest.mark.parametrize(
    "source",
    [
        b"x = 1\n" * 9_000_000,  # 54 MB
        b"var a=" + b"f(1);" * 20_000,
        b"function f(){}" * 500,
    ],
    ids=["a source of 54 MB", "a minified bundle", "a small bundle"],
)
def test_huge_or_minified_file_is_reported_as_not_compared(source: bytes, repository: Repository) -> None:
    """Huge and minified files are reported as not compared, and the other files are still searched."""
    before = {"big.js": source, "lib.js": "export const f = 1\n", "app.js": "import { f } from './lib.js'\n"}
    pull = repository.change(before, {"big.js": source + b"\n", "lib.js": "export const f = 2\n"})

    async def run(tree: Checkout, files: step.Files) -> Dependents:
        (odd,) = [file for file in files if file.path == "big.js"]
        reviewed = type(odd)(odd.path, odd.old_path, odd.status)
        others = [file for file in files if file is not odd]
        return await uses.find(tree, [reviewed, *others])

    found = step.over(pull, run)
    assert ("app.js", "lib.js") in pairs(found)
    assert any("big.js" in sentence for sentence in found.cut)


def test_circular_reexports_do_not_loop_forever(repository: Repository) -> None:
    """The search ends if files re-export everything from each other, and finds the importers."""
    before = {
        "a.ts": "export * from './b'\nexport const one = 1\n",
        "b.ts": "export * from './a'\nexport const two = 2\n",
        "index.ts": "export * from './a'\nexport * from './index'\n",
        "app.ts": "import { one, two } from './index'\nlog(one, two)\n",
    }
    found = find(repository.change(before, {"a.ts": "export * from './b'\nexport const uno = 1\n"}))
    assert ("app.ts", "a.ts") in pairs(found)
    circle = {
        "p/__init__.py": "from p.a import *\n",
        "p/a.py": "from p import *\nfrom p.b import *\n",
        "p/b.py": "from p.a import *\ndef f(): ...\n",
        "app.py": "from p import f\n\nf()\n",
    }
    found = find(repository.change(circle, {"p/b.py": "from p.a import *\ndef g(): ...\n"}))
    assert ("app.py", "p/b.py") in pairs(found)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b"\xff\xfe{}", b'{"compilerOptions": 1, "exports": [1]}', b"{" * 9_000]
)
def test_invalid_manifests_do_not_block_a_relative_import(text: bytes, repository: Repository) -> None:
    """A relative import resolves even if all manifests are invalid."""
    before: dict[str, str | bytes | None] = {
        **dict.fromkeys(
            ("package.json", "tsconfig.json", "go.mod", "go.work", "Cargo.toml", "composer.json", "A.csproj"), text
        ),
        "lib.ts": "export const f = 1\n",
        "app.ts": "import { f } from './lib'\n",
        "a.go": "package a\n",
        "src/lib.rs": "mod b;\n",
        "src/b.rs": "pub fn f() {}\n",
        "a.php": "<?php\nfunction f() {}\n",
        "A.cs": "class A { }\n",
    }
    after = {"lib.ts": "export const f = 2\n", "a.go": "package a\n\nvar x = 1\n", "src/b.rs": "pub fn g() {}\n"}
    after |= {"a.php": "<?php\nfunction g() {}\n", "A.cs": "class B { }\n"}
    assert ("app.ts", "lib.ts") in pairs(find(repository.change(before, dict(after))))


def test_files_with_invalid_utf8_are_searched(repository: Repository) -> None:
    """Importers are found in Latin-1 files, invalid UTF-8 and files with a non-UTF-8 name."""
    before: dict[str, str | bytes | None] = {
        "lib.py": "# caf\xe9\ndef f(a): ...\n".encode("latin-1"),
        "app.py": b"# \xff\nfrom lib import f\n\nf(1)\n",
        "wide.py": "def g(): ...\n".encode("utf-16"),
    }
    repository.write(dict(before))
    Path(os.fsdecode(os.fsencode(repository.folder) + b"/n\xe9.py")).write_text("from lib import f\n")
    pull = repository.change({}, {"lib.py": "# caf\xe9\ndef f(a, b): ...\n".encode("latin-1"), "wide.py": b"\xff\xfe"})
    found = find(pull)
    assert {path for path, _ in pairs(found)} == {"app.py", "n\\xe9.py"}


def test_case_only_rename_is_a_move(repository: Repository) -> None:
    """If only the case of a file name changes, importers with the old spelling are reported."""
    before = {"lib/Thing.ts": "export const f = 1\nexport const g = 2\n", "app.ts": "import { f } from './lib/Thing'\n"}
    base = repository.commit(dict(before))
    repository.git("mv", "lib/Thing.ts", "lib/thing.ts")
    found = find(repository.pull(base, repository.commit({})))
    assert [(row.path, row.missing) for row in found.references] == [("app.ts", True)]


def _lose(repository: Repository, pull: PullRequest, path: str) -> None:
    oid = repository.git("rev-parse", f"{pull.head}:{path}")
    (repository.folder / ".git/objects" / oid[:2] / oid[2:]).unlink()


def test_unchanged_file_with_a_missing_blob_is_reported_as_unread(repository: Repository) -> None:
    """A file whose blob is missing is reported as unread, and the other dependents are found."""
    before = {"lib.py": "def f(a): ...\n", **CALLER, "other.py": "from lib import f\n\nf(2)\n"}
    pull = repository.change(dict(before), {"lib.py": "def f(a, b): ...\n"})
    _lose(repository, pull, "other.py")
    found = find(pull)
    assert ("app.py", "lib.py") in pairs(found)
    assert [sentence for sentence in found.cut if "other.py" in sentence]


def test_changed_file_with_a_missing_blob_does_not_stop_the_comparison(repository: Repository) -> None:
    """If a changed file's blob is missing, the definitions in the other changed files are compared."""
    before = {"lib.py": "def f(a): ...\n", **CALLER, "gone.py": "def g(): ...\n"}
    pull = repository.change(dict(before), {"lib.py": "def f(a, b): ...\n", "gone.py": "def h(): ...\n"})

    async def run() -> Dependents:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
        _lose(repository, pull, "gone.py")
        async with Checkout(pull) as tree:
            return await uses.find(tree, files)

    found = asyncio.run(run())
    assert ("app.py", "lib.py") in pairs(found)
    assert [sentence for sentence in found.cut if "gone.py" in sentence]
