import pytest

from bot.languages import cfamily
from bot.values import Outline


@pytest.mark.parametrize(
    ("here", "line", "target"),
    [
        ("src/a.c", '#include "dict.h"', "src/dict.h"),
        ("tests/a.c", '#include "../src/dict.h"', "src/dict.h"),
        ("src/a.c", "#include <time.h>", None),
        ("src/a.c", '#include "time.h"', "compat/time.h"),
        ("src/a.c", '/* old:\n#include "dict.h"\n*/', None),
        ("src/a.c", "#include MACRO", None),
    ],
)
def test_an_include_means_a_file(here: str, line: str, target: str | None) -> None:
    """The includer's folder first, then the nearest path that ends like it; the C library is never in the tree."""
    paths = ["src/dict.h", "deps/lib/dict.h", "include/net/socket.h", "compat/time.h", here]
    found = cfamily.project(paths, {}).imports(here, f"{line}\n".encode())

    assert [item.target for item in found] == ([target] if target else [])


def _outline(source: str, path: str = "a.c") -> Outline:
    return cfamily.outline(path, source.encode(), "head")


def test_the_outline_of_a_header() -> None:
    """Everything an includer can name, with the members of types."""
    source = (
        'extern "C" {\n#define LIMIT 3\n#define F(a, b) a\ntypedef struct box {\n  int w, *h;\n  union { int x; };\n  int (*cb)(int);\n'
        "} box_t;\nenum kind { ONE, TWO };\nextern int count;\nint go(int a, ...);\ntypedef int (*handler)(int);\n}\n"
    )
    found = [(s.name, s.kind) for s in _outline(source, "a.hpp").symbols]

    assert found == [
        ("LIMIT", "variable"),
        ("F", "macro"),
        ("box", "class"),
        ("box.w", "variable"),
        ("box.h", "variable"),
        ("box.x", "variable"),
        ("box.cb", "variable"),
        ("kind", "type"),
        ("ONE", "variable"),
        ("TWO", "variable"),
        ("count", "variable"),
        ("go", "declaration"),
        ("handler", "type"),
    ]
