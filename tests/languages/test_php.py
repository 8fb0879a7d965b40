import json

import pytest
from families import few

from bot.languages import php
from bot.values import Outline

COMPOSER = json.dumps(
    {
        "autoload": {"psr-4": {"App\\": "src/"}, "files": ["src/functions.php"]},
        "autoload-dev": {"psr-4": {"App\\Tests\\": ["tests/"]}, "psr-0": {"Old_": "legacy"}},
    }
)


@pytest.mark.parametrize(
    ("line", "target", "names", "aliases"),
    [
        ("use App\\Models\\User;", "src/Models/User.php", {"User"}, ()),
        ("use App\\Models\\User as U;", "src/Models/User.php", {"User"}, (("User", "U"),)),
        ("use App\\{Models\\User, Other};", "src/Models/User.php", {"User"}, ()),
        ("use App\\Models\\{\n    User,\n};", "src/Models/User.php", {"User"}, ()),
        ("use function App\\total;", "src/functions.php", {"total"}, ()),
        ("use const App\\LIMIT as L;", "src/functions.php", {"LIMIT"}, (("LIMIT", "L"),)),
        ("use App\\Tests\\Case1;", "tests/Case1.php", {"Case1"}, ()),
        ("use Old_Thing;", None, set(), ()),
        ("new \\App\\Models\\User();", "src/Models/User.php", {"User"}, (("User", "\\App\\Models\\User"),)),
        ("use App\\Models;\nnew Models\\User();", "src/Models/User.php", {"User"}, (("User", "Models\\User"),)),
        ("require __DIR__ . '/../lib/a.php';", "lib/a.php", {"*"}, ()),
        ("include_once('lib/a.php');", "lib/a.php", {"*"}, ()),
        ("require dirname(__FILE__) . '/../lib/a.php';", "lib/a.php", {"*"}, ()),
        ("require $computed;", None, set(), ()),
        ("// new \\App\\Models\\User();", None, set(), ()),
        (" * @param \\App\\Models\\User $x", None, set(), ()),
        ("$f = function () use ($x) {};", None, set(), ()),
        ("use Vendor\\Models\\User;", None, set(), ()),
    ],
)
def test_a_name_means_a_file(
    line: str, target: str | None, names: set[str], aliases: tuple[tuple[str, str], ...]
) -> None:
    """By composer.json's maps, by `use`, by qualified names and by includes."""
    paths = ["src/Models/User.php", "src/functions.php", "tests/Case1.php", "lib/a.php", "bin/run.php"]
    found = php.project(paths, {"composer.json": COMPOSER.encode()}).imports("bin/run.php", f"<?php\n{line}\n".encode())

    assert [(item.target, item.names, item.aliases) for item in found] == ([(target, names, aliases)] if target else [])


def test_without_composer_the_folder_decides() -> None:
    """The one file whose path ends like the name, with a folder at least."""
    project = php.project(["lib/Models/User.php", "x/User.php"], {"composer.json": b"{broken"})

    assert [i.target for i in project.imports("a.php", b"<?php\nuse Any\\Models\\User;\n")] == ["lib/Models/User.php"]


def _outline(source: str) -> Outline:
    return php.outline("a.php", f"<?php\n{source}".encode(), "head")


def test_the_outline_of_a_file() -> None:
    """Members with their classes, promoted properties, conditional functions, `define`."""
    source = (
        "const A = 1, B = 2; define('C', 3);\ninterface I { public function f(); }\ntrait T { private $p; }\n"
        "final class K { public function __construct(protected int $size) {} }\nif (1) { function g() {} }\n"
    )
    found = _outline(source)

    assert [(s.name, s.kind) for s in found.symbols] == [
        ("A", "variable"), ("B", "variable"), ("C", "variable"), ("I", "class"), ("I.f", "method"), ("T", "class"),
        ("T.p", "variable"), ("K", "class"), ("K.__construct", "method"), ("K.size", "variable"), ("g", "function"),
    ]  # fmt: skip
    assert found.complete
    assert found.names == {"A", "B", "C", "I", "T", "K", "g"}


@pytest.mark.parametrize(
    ("written", "parameters"),
    [
        ("int $a, ?string $b = null", [("a", "positional", True), ("b", "positional", False)]),
        (
            "array &$a, self|int ...$rest",
            [("a", "positional", True), ("rest", "varargs", False), ("rest", "kwargs", False)],
        ),
        ("", []),
    ],
)
def test_the_signature_of_a_function(written: str, parameters: list[tuple[str, str, bool]]) -> None:
    """Defaults, references, and rest parameters, which take names, too."""
    told = _outline(f"function f({written}) {{}}").symbols[0].signature

    assert told is not None
    assert [(p.name, p.kind, p.is_required) for p in told.parameters] == parameters
    assert told.text == f"function f({written})"


@pytest.mark.parametrize(
    "source",
    few(
        [
            b"<?php " + b"[" * 200_000 + b"name" + b"]" * 200_000,
            b"<?php " + b"if (1) { " * 50_000,
            b"<?php\n"
            + b"class A { function f(int $a) { return $a + 1; } }\n" * 8_000
            + b"// nothing of interest\n" * 200_000,
        ],
        0,
    ),
    ids=["brackets", "blocks", "5 MB"],
)
def test_large_and_deep_sources_end(source: bytes) -> None:
    """Deep nesting is refused, size is only read."""
    php.outline("a.php", source, "head")
    php.uses("a.php", source, {"absent"})
    php.project(["a.php"], {}).imports("a.php", source)
