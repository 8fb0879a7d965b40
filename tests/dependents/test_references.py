from dependents_scene import callers, readers
from fakes import Repository

LIB = "def cut(a, b=1):\n    return 1\n\n\nclass Knife:\n    def slice_bread(self, x):\n        return 1\n"
APP = """import lib
from lib import cut as c, Knife


def work(loaf, tool):
    c(loaf, b=2)
    lib.cut(*loaf)
    tool.slice_bread(1)
    return Knife().slice_bread(loaf)


# cut and slice_bread
TEXT = "cut slice_bread"
"""


def test_callers_are_sorted_by_kind_of_reference(repository: Repository) -> None:
    """References are sorted as calls, mentions, imports and definitions; comments and strings don't count."""
    pull = repository.change(
        {"lib.py": LIB, "app.py": APP}, {"other.ts": "import { cut } from 'x'\n\ncut(1, 2)\nrun(cut)\n"}
    )
    found = callers(pull, "lib.cut")

    assert [(r.form, r.path, r.line) for r in found] == [
        ("call", "app.py", 7),
        ("call", "other.ts", 3),
        ("mention", "other.ts", 4),
        ("import", "app.py", 2),
        ("import", "other.ts", 1),
        ("definition", "lib.py", 1),
    ]
    assert callers(pull, "no such name") == ()
    assert len(callers(pull, "cut", limit=2)) == 2


def test_readers_are_sorted_by_kind_of_file(repository: Repository) -> None:
    """Lines with a name are sorted as code, configuration, tests and prose."""
    before = {
        "app/use.py": "def f(o):\n    return o.api_url\n",
        "deploy.yml": "env:\n  api_url: x\n",
        "README.md": "Set api_url.\n",
        "tests/test_it.py": "assert o.api_url\n",
    }
    pull = repository.change(before, {"new.py": ""})
    found = readers(pull, "api_url")

    assert [(row.path, row.line) for row in found] == [
        ("app/use.py", 2),
        ("deploy.yml", 2),
        ("tests/test_it.py", 1),
        ("README.md", 1),
    ]
    assert readers(pull, " ") == ()
    assert len(readers(pull, "api_url", limit=3)) == 3
