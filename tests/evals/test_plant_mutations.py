"""What each class of defect does to code, and what it leaves alone because nobody could tell the difference."""

import pytest

from deeprepo_evals.plant import MUTATIONS
from deeprepo_evals.plant.mutations import Mutation, Site
from deeprepo_evals.plant.planting import Field, edit_file, of_bytes, parses, plantable

STORE = "def open_store(path, mode):\n    return path[mode]\n\n\nasync def fetch(key):\n    return key\n\n\ndef waits(seconds=30):\n    return seconds + 1\n"


def proposals(kind: str, files: dict[str, str]) -> list[Mutation]:
    """What is proposed for the first file."""
    scene = of_bytes({path: text.encode() for path, text in files.items()})
    sites = Field(scene, [next(iter(files))], ()).sites
    found = [one for site in sites for one in MUTATIONS[kind](site)]
    assert all(parses(scene, one.edits) for one in found)
    return found


def told(kind: str, files: dict[str, str]) -> list[str]:
    """The lines that the proposals change, as they then read."""
    found = []
    for one in proposals(kind, files):
        old = {path: text.encode() for path, text in files.items()}
        for path in sorted({edit.path for edit in one.edits}):
            new = edit_file(old[path], path, one.edits).decode().split("\n")
            rows = [row.strip() for row in new if row not in files[path].split("\n")]
            found += rows or ["(gone)"]
    return found


@pytest.mark.parametrize(
    ("kind", "files", "lines"),
    [
        ("off-by-one", {"a.py": "def f(n, top):\n    if n > top:\n        raise ValueError(n)\n    return n\n"}, ["if n >= top:"]),
        ("off-by-one", {"a.ts": "function f(n: number) {\n  for (let i = 0; i < n; i++) {\n    g(i);\n  }\n}\n"}, ["for (let i = 0; i <= n; i++) {"]),
        ("off-by-one", {"a.go": "package a\n\nfunc f(n int, top int) bool {\n\treturn n >= top\n}\n"}, ["return n > top"]),
        ("inverted-condition", {"a.py": "def f(x):\n    if x.ready:\n        return 1\n    return 2\n"}, ["if not x.ready:"]),
        ("inverted-condition", {"a.js": "function f(x) {\n  if (!x) {\n    return 1;\n  }\n  return 2;\n}\n"}, ["if (x) {"]),
        ("wrong-operator", {"a.py": "def f(a, b):\n    return a - b\n"}, ["return a + b"]),
        ("wrong-operator", {"a.go": "package a\n\nfunc f(a bool, b bool) bool {\n\treturn a && b\n}\n"}, ["return a || b"]),
        ("missing-check", {"a.py": "def f(x):\n    if x is None:\n        return 0\n    return x.size\n"}, ["(gone)"]),
        ("missing-check", {"a.ts": "function f(x: X | null) {\n  if (!x) {\n    return 0;\n  }\n  return x.size;\n}\n"}, ["(gone)"]),
        ("missing-check", {"a.go": "package a\n\nfunc f() int {\n\tx, err := g()\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn x.Size\n}\n"}, ["x, _ := g()"]),
        ("dropped-close", {"a.py": "def f(p):\n    h = open(p)\n    x = h.read()\n    h.close()\n    return x\n"}, ["(gone)"]),
        ("dropped-close", {"a.go": "package a\n\nfunc (s *S) f() int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn s.n\n}\n"}, ["(gone)"]),
        ("dropped-await", {"a.py": "from b import fetch\n\n\nasync def f(k):\n    v = await fetch(k)\n    return v\n", "b.py": STORE}, ["v = fetch(k)"]),
        ("swapped-arguments", {"a.py": "from b import open_store\n\n\ndef f(where, how):\n    return open_store(where, how)\n", "b.py": STORE}, ["return open_store(how, where)"]),
        ("wrong-default", {"b.py": STORE, "a.py": "from b import waits\n\n\ndef f():\n    return waits()\n"}, ["def waits(seconds=0):"]),
        ("wrong-key", {"a.py": "def f(row):\n    return row['total_price']\n", "b.py": "def g():\n    return {'total_price': 3}\n"}, ["return row['total_prices']"]),
        ("forgotten-caller", {"b.py": STORE, "a.py": "from b import open_store\n\n\ndef f():\n    return open_store(1, 2)\n"}, ["def open_store_of(path, mode):"]),
    ],
)  # fmt: skip
def test_a_class_of_defects_changes_its_line(kind: str, files: dict[str, str], lines: list[str]) -> None:
    """Each class finds its place in Python, JavaScript or Go, and the file still parses."""
    assert lines == told(kind, files)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("off-by-one", "def f(n, top):\n    if n > top:\n        return top\n    return n\n"),  # a clamp
        ("off-by-one", "def f(n, rows):\n    if n >= len(rows):\n        return []\n    return rows[n:]\n"),  # empty either way
        ("off-by-one", "def f(n, low):\n    if n < low:\n        return False\n    return bool(n > low)\n"),  # compared again
        ("off-by-one", "def f(a, b):\n    return a if a > b else b\n"),  # the larger one
        ("inverted-condition", "def f(x):\n    if x:\n        return 1\n    return 1\n"),  # two ways that are one
        ("inverted-condition", "def f(x):\n    if x:\n        x = 2\n    x = 2\n"),
        ("wrong-operator", "def f(a):\n    return a - 0\n"),
        ("missing-check", "def f(x):\n    if x is None:\n        return 0\n    return 1\n"),  # never used below
        ("dropped-close", "def f(h):\n    h.close()\n    return 1\n"),  # not its own
        ("dropped-close", "def f(p):\n    h = open(p)\n    h.close()\n    return h\n"),  # handed on
        ("dropped-await", "async def f(session):\n    await session.fetch()\n    return 1\n"),  # nobody knows whose
        ("swapped-arguments", "def add(a, b):\n    return a + b\n\n\ndef f(x, y):\n    return add(x, y)\n"),  # a sum
        ("swapped-arguments", "def put(a, b):\n    return a[b]\n\n\ndef f(put, x, y):\n    return put(x, y)\n"),  # its own parameter
        ("wrong-default", "def waits(seconds=30):\n    return seconds\n\n\ndef f():\n    return waits(3)\n"),  # nobody relies on it
        ("wrong-key", "def f(row):\n    return row['total_price']\n"),  # nobody else knows it
        ("forgotten-caller", "def open_store(path):\n    return path\n"),  # nobody calls it
    ],
)  # fmt: skip
def test_what_might_change_nothing_is_left_alone(kind: str, text: str) -> None:
    """Where the same behaviour is possible, or nobody is sure, nothing is proposed."""
    assert proposals(kind, {"a.py": text}) == []


def test_go_does_not_drop_an_error_that_is_read_again() -> None:
    """Without the name the file would not build."""
    text = "package a\n\nfunc f() (int, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\treturn x.Size, err\n}\n"
    assert proposals("missing-check", {"a.go": text}) == []


def test_a_compiler_would_see_arguments_of_two_types() -> None:
    """Typed arguments are exchanged only where their types agree."""
    text = "package a\n\nfunc put(a int, b string) int {\n\treturn a + len(b)\n}\n\nfunc f(x int, y string) int {\n\treturn put(x, y)\n}\n"
    assert proposals("swapped-arguments", {"a.go": text}) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_a.py", "def f(a, b):\n    return a - b\n"),
        ("src/a.test.ts", "function f(a, b) {\n  return a - b;\n}\n"),
        ("a_pb2.py", "def f(a, b):\n    return a - b\n"),
        ("vendor/a.go", "package a\n\nfunc f(a int, b int) int {\n\treturn a - b\n}\n"),
        ("a.py", "# @generated by a program\ndef f(a, b):\n    return a - b\n"),
        ("a.js", "function f(a, b) { return a - b }" + ";" * 2_000),
        ("a.rb", "def f(a, b)\n  a - b\nend\n"),
    ],
)
def test_nothing_is_planted_in_tests_and_generated_files(path: str, text: str) -> None:
    """Tests, generated, vendored and minified files and other languages stay as they are."""
    assert not plantable(path, text.encode())
    assert proposals("wrong-operator", {path: text}) == []


def test_nothing_is_planted_in_a_file_that_does_not_parse() -> None:
    """A defect in a broken file could not be told from it."""
    assert proposals("wrong-operator", {"a.py": "def f(a, b):\n    return a - b\n\ndef g(:\n"}) == []


def test_a_site_knows_its_function() -> None:
    """The name in the label is the function's own."""
    scene = of_bytes({"a.py": b"class A:\n    def work(self, a):\n        return a - 1\n"})
    assert [site.name for site in Field(scene, ["a.py"], ()).sites] == ["work"]
    assert all(isinstance(site, Site) for site in Field(scene, ["a.py"], ()).sites)
