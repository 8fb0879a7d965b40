import step
from fakes import Repository

from bot.analyzers.checks.ruff import Ruff
from bot.checkout import Checkout
from bot.findings.quotes import check_quotes
from bot.values import Dependents, Finding, PullRequest

START = "import os\nimport sys\n\n\ndef path(name):\n    return os.path.join(sys.prefix, name)\n"


def look(pull: PullRequest) -> list[Finding]:
    """Return ruff's findings, after checking that their quotes and line numbers match the files."""

    async def run(tree: Checkout, files: step.Files) -> list[Finding]:
        ruff = Ruff()
        found = (await ruff.check(tree, [file for file in files if ruff.wants(file)], Dependents())).findings
        for finding in found:
            verified = await check_quotes(finding, tree)
            assert isinstance(verified, Finding), verified
            assert (verified.start, verified.end, len(verified.evidence)) == (
                finding.start,
                finding.end,
                len(finding.evidence),
            )
        return list(found)

    return step.over(pull, run)


def test_removed_import_is_reported_where_the_name_is_used(repository: Repository) -> None:
    """The finding is at the unchanged line that uses the name, and the removed import is its evidence."""
    (finding,) = look(repository.change({"a.py": START}, {"a.py": START.replace("import os\n", "")}))

    assert (finding.rule, finding.start, finding.severity, finding.verdict) == ("F821", 5, "high", "proven")
    assert finding.title == "`os` is not defined"
    assert finding.quote == "    return os.path.join(sys.prefix, name)"
    assert [(e.quote, e.line, e.side) for e in finding.evidence] == [("import os", 1, "base")]


def test_fault_in_the_base_is_not_reported(repository: Repository) -> None:
    """Faults that the base already has are not reported, even if they move or are indented."""
    old = "def a():\n    return missing\n"
    new = "X = 1\n\n\nif X:\n\n    def a():\n        return missing\n"

    assert look(repository.change({"a.py": old}, {"a.py": new})) == []


def test_file_that_no_longer_parses_gives_one_finding(repository: Repository) -> None:
    """For a file that no longer parses, only the first syntax error is reported."""
    (finding,) = look(repository.change({"a.py": START}, {"a.py": START + "def f(:\n    return (\n"}))

    assert (finding.rule, finding.severity, finding.start) == ("invalid-syntax", "critical", 7)


FAULTS = [
    ("def f(x):\n    return '%s %s' % (x,)\n", "F507", "proven"),
    ("def f(x):\n    return x is 'a'\n", "F632", "proven"),
    ("def f(x):\n    assert (x, 'must be set')\n", "F631", "proven"),
    ("def f(x):\n    if not x:\n        ValueError(x)\n    return x\n", "PLW0133", "proven"),
    ("import time\n\n\nasync def f():\n    time.sleep(1)\n", "ASYNC251", "unproven"),
    ("import asyncio\n\n\nasync def f(g):\n    asyncio.create_task(g())\n", "RUF006", "unproven"),
    ("import subprocess\n\n\ndef f(x):\n    subprocess.run('ls ' + x, shell=True)\n", "S602", "unproven"),
    ("import requests\n\n\ndef f(x):\n    return requests.get(x, verify=False, timeout=3)\n", "S501", "unproven"),
    ("import yaml\n\n\ndef f(x):\n    return yaml.load(x)\n", "S506", "unproven"),
    ("import re\n\n\ndef f(x):\n    return re.sub('a', 'b', x, re.IGNORECASE)\n", "B034", "proven"),
    ("def f(x):\n    x == 1\n    return x\n", "B015", "unproven"),
    ("def f():\n    raise NotImplemented\n", "F901", "proven"),
    ("def f():\n    return 1\n\n\ndef f():\n    return 2\n", "F811", "unproven"),
    ("import logging\n\nlogging.info('%s', 1, 2)\n", "PLE1205", "unproven"),
    ("def f(a: 'list[missing]'):\n    return a\n", "F821", "unproven"),
]
GOOD = [
    "import logging\n\nlogging.info('{}', 1)\n",
    "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
    "def f(kwargs):\n    kwargs.items\n",
    "import subprocess\n\n\ndef f():\n    subprocess.run('ls | wc', shell=True)\n",
    "import re\n\n\ndef f(x):\n    return re.sub('a', 'b', x, 1)\n",
    "import hashlib\n\n\ndef f(x):\n    return hashlib.md5(x).hexdigest()\n",
    "class A:\n    @property\n    def x(self):\n        return 1\n\n    @x.setter\n    def x(self, to):\n        pass\n",
    "def __getattr__(name):\n    return name\n\n\n__all__ = ['lazy']\n",
    "from . import lazy\n\n__getattr__ = lazy(__name__)\n__all__ = ['made']\n",
    "from .lazy import __getattr__ as __getattr__\n\n__all__ = ['made']\n",
    "for name in 'ab':\n    globals()[name] = name\n__all__ = ['a', 'b']\n",
    "globals().update(x=1)\n\n\ndef f():\n    return y\n",
    "def f():\n    return missing  # noqa: F821\n",
]


def test_faults_are_reported_and_common_idioms_are_not(repository: Repository) -> None:
    """Each fault has the expected rule and verdict, and common idioms are not reported."""
    codes = [*(code for code, _, _ in FAULTS), *GOOD]
    found = look(repository.change({"r": "x"}, {f"a{at}.py": code for at, code in enumerate(codes)}))

    told = {(finding.path, finding.rule, finding.verdict) for finding in found}
    assert told == {(f"a{at}.py", rule, verdict) for at, (_, rule, verdict) in enumerate(FAULTS)}
    assert len(found) == len(FAULTS)


def test_ruff_config_in_the_repository_is_ignored(repository: Repository) -> None:
    """The repository's ruff.toml is ignored, because the change could add or edit it."""
    config = "line-length = 20\n[lint]\nselect = ['D']\nignore = ['F821']\n"
    (finding,) = look(repository.change({"r": "x"}, {"ruff.toml": config, "a.py": "x = missing\n"}))

    assert finding.rule == "F821"


def test_renamed_file_is_compared_with_its_old_version(repository: Repository) -> None:
    """Old faults in a renamed file are not reported."""
    old = START + "x = missing\n"

    assert look(repository.change({"a.py": old}, {"a.py": None, "b.py": old + "y = 1\n"})) == []


def test_moved_line_brings_its_reports_along(repository: Repository) -> None:
    """A line that the base had in another file, kept or deleted, is not reported; a new one is."""
    old, new = "a = b = 1\na == b\n", "c = d = 2\nc == d\n"
    rest = "\n".join(f"word_{at} = {at}" for at in range(40))
    tree = {"shop/old.py": old + rest, "shop/kept.py": "e = f = 3\ne == f\n" + rest}
    change = {
        "shop/old.py": None,
        "cart/old.py": old + rest + "\n",
        "shop/kept.py": rest,
        "shop/other.py": "e = f = 3\ne == f\n" + new,
    }
    assert [(finding.path, finding.start) for finding in look(repository.change(tree, change))] == [
        ("shop/other.py", 4)
    ]


def test_unusual_names_encodings_and_line_endings_are_handled(repository: Repository) -> None:
    """Unusual file names, other encodings, CRLF and empty files are read like any other file."""
    names = ["a b.py", "-x.py", "--config=evil.toml.py", "ü\n.py"]
    files: dict[str, str | bytes | None] = dict.fromkeys(names, "x = missing\r\n")
    found = look(repository.change({"r": "x"}, {**files, "latin.py": b"x = '\xe9'\n", "empty.py": b""}))

    assert sorted(finding.path for finding in found if finding.rule == "F821") == sorted(names)


def test_every_rule_has_a_title_reason_and_consequence() -> None:
    """Every rule has a title, a reason and a consequence that are readable without knowing ruff."""
    for code, rule in Ruff().rules.items():
        assert all(part.strip() for part in rule.words("`a` and `b`")), code
        assert "{" not in "".join(rule.words("")), code
