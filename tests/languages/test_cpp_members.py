"""Members, templates and includes in C++: what is proven, what is a hint, and what is not reported."""

import pytest
from fakes import Repository
from told import Row, Tree, look, rows

BOX = "#pragma once\nclass Box {\n public:\n  Box(int w);\n  int grow(int by);\n  int grow(int by, int most);\n private:\n  int wide;\n};\n"
POOL = "#pragma once\n#include <memory>\nclass Pool {\n public:\n  template <class T> T drain(int n);\n  int refill(int n);\n};\ntemplate <class T> T make_pool(int n);\n"

PROVEN: list[tuple[str, Tree, Tree, list[Row]]] = [
    (
        "a field that a constructor still initialises",
        {"box.hpp": BOX, "box.cpp": '#include "box.hpp"\nBox::Box(int w)\n    : wide(w) {}\n'},
        {"box.hpp": BOX.replace("  int wide;\n", "")},
        [("box.cpp", 3, "removed-symbol")],
    ),
    (
        "a call with template arguments",
        {"pool.hpp": POOL, "use.cpp": '#include "pool.hpp"\nint f() {\n  return make_pool<int>(3);\n}\n'},
        {"pool.hpp": POOL.replace("template <class T> T make_pool(int n);\n", "")},
        [("use.cpp", 3, "removed-symbol")],
    ),
    (
        "a member behind the arrow of a smart pointer",
        {
            "pool.hpp": POOL,
            "use.cpp": '#include "pool.hpp"\nint f(const std::unique_ptr<Pool>& one) {\n  return one->refill(3);\n}\n',
        },
        {"pool.hpp": POOL.replace("  int refill(int n);\n", "  int refill(int n, int most);\n")},
        [("use.cpp", 3, "required-parameter")],
    ),
    (
        "a method that no overload takes any more",
        {"box.hpp": BOX, "use.cpp": '#include "box.hpp"\nint f(Box &one) {\n  return one.grow(1);\n}\n'},
        {"box.hpp": BOX.replace("grow(int by);", "grow(int by, int most, int least);")},
        [("use.cpp", 3, "required-parameter")],
    ),
    (
        "a header that is named as it is installed",
        {"src/box.hpp": BOX, "use.cpp": '#include "boxes/box.hpp"\nint f(Box &one) {\n  return one.grow(1);\n}\n'},
        {"src/box.hpp": BOX.replace("grow(int by);", "grow(int by, int most, int least);")},
        [("use.cpp", 3, "required-parameter")],
    ),
]
HINTS: list[tuple[str, Tree, Tree, list[tuple[str, int]]]] = [
    (
        "a name that a using declaration still asks for",
        {
            "box.hpp": "namespace a {\nclass Crate {};\n}\n",
            "use.cpp": '#include "box.hpp"\nusing a::Crate;\nCrate *one;\n',
        },
        {"box.hpp": "namespace a {\n}\n"},
        [("use.cpp", 3)],
    ),
]
FAR = "int g() {\n  auto t = tank();\n  return t.refill(1);\n}\n"
QUIET: list[tuple[str, Tree, Tree]] = [
    (
        "unrelated files use a member of that name",
        {"pool.hpp": POOL, "other/a.cpp": FAR, "tank/b.cpp": FAR},
        {"pool.hpp": POOL.replace("  int refill(int n);\n", "")},
    ),
    (
        "a library's smart pointer has the member itself",
        {
            "pool.hpp": POOL.replace("refill", "reset"),
            "use.cpp": '#include "pool.hpp"\nvoid f(std::unique_ptr<Pool> one) {\n  one.reset(nullptr);\n}\n',
        },
        {"pool.hpp": POOL.replace("  int refill(int n);\n", "")},
    ),
    (
        "a parameter is called like the field",
        {"box.hpp": BOX, "box.cpp": '#include "box.hpp"\nint Box::grow(int wide) {\n  return wide;\n}\n'},
        {"box.hpp": BOX.replace("  int wide;\n", "")},
    ),
    (
        "a base is initialised, not a field",
        {
            "box.hpp": BOX.replace("wide", "Base"),
            "box.cpp": '#include "box.hpp"\nstruct Base { Base(int); };\nBox::Box(int w) : Base(w) {}\n',
        },
        {"box.hpp": BOX.replace("  int wide;\n", "")},
    ),
    (
        "the library's name is used in its place",
        {"box.hpp": "class optional {};\n", "use.cpp": '#include "box.hpp"\nusing std::optional;\noptional *one;\n'},
        {"box.hpp": "\n"},
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), [row[1:] for row in PROVEN], ids=[row[0] for row in PROVEN])
def test_certainly_broken_reference_is_proven(
    repository: Repository, before: Tree, after: Tree, expected: list[Row]
) -> None:
    """A C++ reference that certainly breaks is reported as proven at its line."""
    assert rows(repository.change(before, after)) == expected


@pytest.mark.parametrize(("before", "after", "expected"), [row[1:] for row in HINTS], ids=[row[0] for row in HINTS])
def test_possibly_broken_reference_is_a_hint(
    repository: Repository, before: Tree, after: Tree, expected: list[tuple[str, int]]
) -> None:
    """A C++ reference that may break is reported as unproven at its line."""
    found = look(repository.change(before, after))[1]
    assert [(item.path, item.start, item.verdict) for item in found] == [(*place, "unproven") for place in expected]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in QUIET], ids=[row[0] for row in QUIET])
def test_ambiguous_reference_is_not_reported(repository: Repository, before: Tree, after: Tree) -> None:
    """A C++ reference that may mean something else is not reported."""
    assert look(repository.change(before, after))[1] == ()
