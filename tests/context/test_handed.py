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


def test_the_keys_of_a_file_that_the_caller_fills_are_shown(repository: Repository) -> None:
    """A statement, a template or a page that a caller names gets what changed by a key, and by that key alone."""
    before: Files = {
        "a.py": HALF,
        "b.py": "from a import half\n\nPAGE = 'rows.sql.j2'\n\n\ndef run(db, n):\n    values = {'most': half(n), 'start': 0}\n    db.run(PAGE, values)\n",
        "sql/rows.sql.j2": "SELECT start\nFROM rows\nWHERE a = 1\nORDER BY b\nLIMIT {{ values.most }};\n",
        "sql/other.sql.j2": "LIMIT {{ values.most }};\n",
    }
    found = [one for one in beside(repository, before, {"a.py": NONE}, "a.py") if one.title == "gets it from a caller"]
    assert [one.path for one in found] == ["sql/rows.sql.j2"]
    assert "LIMIT {{ values.most }};" in found[0].body
    assert "SELECT" not in found[0].body
