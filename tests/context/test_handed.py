"""What callers do with the result of what changed is followed one step, with the references that the product itself finds."""

import pytest
from beside import Files, beside
from fakes import Repository

HALF = "def half(x):\n    return x / 2\n"
NONE = "def half(x):\n    return x / 2 if x else None\n"


@pytest.mark.parametrize(
    "caller",
    [
        "def shared_rows(rows):\n    seen = []\n    for row in rows:\n        seen.append(row)\n    part = half(len(seen))\n    return seen, part\n",
        "def shared_rows(rows):\n    log(rows)\n    count(rows)\n    return {\n        'rows': rows,\n        'part': half(len(rows)),\n    }\n",
        "def shared_rows(rows):\n    return half(len(rows))\n",
    ],
)
def test_the_caller_of_a_caller_that_returns_the_result_is_shown(repository: Repository, caller: str) -> None:
    """However long it is, if it returns the result; a caller that keeps it to itself ends the way."""
    before: Files = {
        "a.py": HALF,
        "b.py": f"from a import half\n\n\n{caller}",
        "c.py": "from b import shared_rows\n\n\ndef total(rows):\n    print(shared_rows(rows))\n",
    }
    found = beside(repository, before, {"a.py": NONE}, "a.py")
    assert ("c.py", "calls shared_rows, which passes on to half") in [(one.path, one.title) for one in found]
