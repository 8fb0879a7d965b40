import pytest

from bot.languages import cfamily


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
