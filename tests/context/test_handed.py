"""What callers do with the result of what changed is followed one step, with the references that the product itself finds."""

import pytest
from beside import Files, beside, text
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


def test_a_caller_that_keeps_the_result_to_itself_ends_the_way(repository: Repository) -> None:
    before: Files = {
        "a.py": HALF,
        "b.py": "from a import half\n\n\ndef show_rows(rows):\n    first = rows[0]\n    part = half(len(rows))\n    print(first, part)\n    return first\n",
        "c.py": "from b import show_rows\n\n\ndef total(rows):\n    print(show_rows(rows))\n",
    }
    assert "c.py" not in [one.path for one in beside(repository, before, {"a.py": NONE}, "a.py")]


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


def test_the_script_that_calls_the_caller_by_an_option_is_shown(repository: Repository) -> None:
    before: Files = {
        "a.py": "def line(name):\n    print(f'{name}=1')\n",
        "b.py": "import sys\n\nfrom a import line\n\n\ndef main():\n    if '--list-rows' in sys.argv:\n        line('x')\n",
        "pin.sh": 'set -e\nshop --list-rows | while read -r row; do\n  echo "${row%%=*}"\ndone\n',
        "notes.md": "Call `--list-rows`.\n",
    }
    found = beside(repository, before, {"a.py": "def line(name):\n    print(f'{name}: 1')\n"}, "a.py")
    (script,) = [one for one in found if one.path == "pin.sh"]
    assert script.title == "calls b.py by --list-rows"
    assert "${row%%=*}" in script.body
    assert "notes.md" not in [one.path for one in found]


def test_a_script_that_tells_of_a_constant_is_shown_with_the_lines_beside_it(repository: Repository) -> None:
    before: Files = {
        "a.rs": 'pub const BUILD_COLUMNS: [&str; 2] = ["name", "seconds"];\n',
        "slow.sh": "#!/bin/sh\n# The columns are BUILD_COLUMNS.\nawk '$2 > 60' \"$1\"\n",
        "b.rs": "// BUILD_COLUMNS are for people.\nfn other() {}\n",
    }
    found = beside(repository, before, {"a.rs": str(before["a.rs"]).replace('"name", "seconds"', '"seconds", "name"')}, "a.rs")  # fmt: skip
    assert "awk '$2 > 60'" in text(found)
    assert "b.rs" not in [one.path for one in found]


def test_a_name_that_a_docstring_marks_as_code_is_searched(repository: Repository) -> None:
    before: Files = {
        "a.py": 'def ends(now):\n    """When it ends, as it is kept in `lease_rows.ends_at`."""\n    return now + 60\n',
        "clean.sql": "DELETE FROM lease_rows\nWHERE ends_at < strftime('%s', 'now');\n",
    }
    after: Files = {"a.py": str(before["a.py"]).replace("When it ends", "In milliseconds").replace("+ 60", "* 1000")}
    assert "WHERE ends_at" in text(beside(repository, before, after, "a.py"))
