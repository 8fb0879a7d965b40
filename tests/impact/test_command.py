"""The command `python -m deeprepo.impact BASE..HEAD`."""

import contextlib
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from contextvars import copy_context
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fakes import Repository

import deeprepo.impact
from bot.values import PullRequest
from deeprepo.impact.__main__ import main

IMPACT = Path(deeprepo.impact.__file__).parent

BEFORE: dict[str, str | bytes | None] = {
    "shop/tax.py": "def total(price, rate):\n    return price * rate\n\n\ndef round_up(price):\n    return price\n",
    "shop/cart.py": "from shop.tax import round_up, total\n\n\ndef pay(price):\n    return round_up(total(price, 2))\n",
    "shop/__init__.py": "",
    "notes.txt": "what else\n",
    "db/schema.sql": "CREATE TABLE orders (id INT, gift_note TEXT);\n",
    "shop/orders.py": 'NOTES = "SELECT gift_note FROM orders"\n',
}
AFTER: dict[str, str | bytes | None] = {
    "shop/tax.py": "def total(price, rate, country):\n    return price * rate\n",
    "shop/bill.py": "from shop.tax import totl\n",
    "db/schema.sql": "CREATE TABLE orders (id INT);\n",
    "shop/bills/__init__.py": "",
    "notes.txt": None,
}


class Ended(NamedTuple):
    """The result of a finished command."""

    returncode: int
    stdout: str
    stderr: str


def run(repository: Repository, *words: str) -> Ended:
    """Run the command in this process, in the repository's folder."""
    out, err, before = StringIO(), StringIO(), sys.argv
    sys.argv = ["deeprepo.impact", *words]
    try:
        with contextlib.chdir(repository.folder), redirect_stdout(out), redirect_stderr(err):
            code: Any = copy_context().run(main)
    except SystemExit as ending:
        code = ending.code
    finally:
        sys.argv = before
    return Ended(code, out.getvalue(), err.getvalue())


def explained(repository: Repository, pull: PullRequest, place: str) -> Ended:
    """Explain a line of the change."""
    return run(repository, "explain", f"{pull.base}..{pull.head}", place)


def test_broken_locations_are_printed_and_set_the_exit_status(repository: Repository) -> None:
    """One line per broken location is printed. The status is 1 for breaks, 0 without, 2 for a bad call."""
    pull = repository.change(BEFORE, AFTER)
    (repository.folder / "db" / "schema.sql").unlink()
    (repository.folder / "db" / "schema.sql").symlink_to("elsewhere.sql")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "a link")

    done = run(repository, f"{pull.base}..{pull.head}")
    assert done.returncode == 1
    assert [row.partition(" ")[0] for row in done.stdout.splitlines()] == [
        "shop/bill.py:1:",
        "shop/cart.py:1:",
        "shop/cart.py:5:",
        "shop/cart.py:5:",
    ]
    assert "shop/bill.py:1: may break: `totl` is not there [missing-name]" in done.stdout
    assert (
        "total() of shop/tax.py: this line passes 2 arguments and omits country, which is now required [required-parameter]"
        in done.stdout
    )
    others = (f"{pull.head}..HEAD", f"{pull.base}..{pull.base}", "nothing", "x..y")
    assert [run(repository, change).returncode for change in others] == [0, 0, 2, 2]


def test_explain_prints_the_rules_that_decided_a_line(repository: Repository) -> None:
    """`explain` prints the change, the import, and each question that was asked, or that there is no reference."""
    pull = repository.change(BEFORE, AFTER)
    removed = explained(repository, pull, "shop/cart.py:1")
    assert removed.returncode == 0, removed.stderr
    rows = removed.stdout.splitlines()
    begin = rows.index("Compared with shop/tax.py:round_up:")
    assert rows[begin + 1 : begin + 5] == [
        "  the definition: def round_up(price)",
        "  the change: removed",
        "  the contract: removed",
        "  reference: bound, decided by imported in uses.references",
    ]
    assert "  gone: lost, decided by no_longer_imported in uses.gone" in rows[begin:]
    assert rows[-2] == "Reported for this line:"
    assert "round_up" in rows[-1]
    assert explained(repository, pull, "shop/cart.py:2").stdout.splitlines() == [
        "No reference to a changed definition was compared on this line.",
        "  changed definitions: round_up, total",
        "  the file was searched for: round_up, total",
        "Nothing is reported for this line.",
    ]
    refused = explained(repository, pull, "shop/cart.py")
    assert (refused.returncode, "give the line to explain as PATH:LINE" in refused.stderr) == (2, True)


def test_file_that_could_not_be_read_may_define_a_removed_name(repository: Repository) -> None:
    """A name isn't missing if a file that has it is too large to parse."""
    other = "//go:build !linux\n\npackage ex\n\nfunc Total(a int) int {\n\treturn a\n}\n"
    steps = "".join(f"\nfunc Step{n}(a int) int {{\n\treturn a + {n}\n}}\n" for n in range(36_000))
    total = "\nfunc Total(a int) int {\n\treturn a\n}\n"
    rest = "package ex\n\nfunc Rest() int { return 1 }\n"
    user = "package ex\n\nfunc f() int {\n\treturn Total(1)\n}\n"
    pull = repository.change(
        {"go.mod": "module ex\n", "a_linux.go": rest + total, "b.go": user, "a_other.go": other + steps},
        {"a_linux.go": rest},
    )
    done = explained(repository, pull, "b.go:4")
    assert "gone: unknown, decided by bare_name in uses.gone" in done.stdout


def test_readme_shows_what_explain_prints(repository: Repository) -> None:
    """The README's example of a forgotten caller, followed by `explain`, prints what the README shows."""
    readme = (IMPACT / "README.md").read_text()
    user, printed = re.findall(r"```\w+\n(.*?)```", readme, re.DOTALL)
    lib = "def total(price):\n    return price\n"
    pull = repository.change(
        {"shop/__init__.py": "", "shop/tax.py": lib, "shop/cart.py": user},
        {"shop/tax.py": lib.replace("price)", "price, rate)")},
    )
    command = [sys.executable, "-m", "deeprepo.impact", "explain", f"{pull.base}..{pull.head}", "shop/cart.py:3"]
    done = subprocess.run(command, cwd=repository.folder, capture_output=True, text=True, check=True)
    assert done.stdout == printed


def test_readme_names_every_module() -> None:
    """Each module and folder of the package, and each module of `uses`, is in a table of the README."""
    readme = (IMPACT / "README.md").read_text()
    modules = [one for folder in (IMPACT, IMPACT / "uses") for one in folder.iterdir() if one.name[:2] != "__"]
    names = [f"{one.name}/" if one.is_dir() else one.stem for one in modules if one.suffix in ("", ".py")]
    assert [name for name in names if not re.search(rf"[`/]{name}(?:`|\.py`|NAME)", readme)] == []


def test_explain_claims_nothing_about_users_of_a_changed_body(repository: Repository) -> None:
    """A changed body can affect users, so `explain` only prints that the contract is the same."""
    pull = repository.change(BEFORE, {"shop/tax.py": str(BEFORE["shop/tax.py"]).replace("price * rate", "rate")})
    done = explained(repository, pull, "shop/cart.py:5")
    assert done.stdout.splitlines()[1:5] == [
        "Compared with shop/tax.py:total:",
        "  the definition: def total(price, rate)",
        "  the change: body",
        "  the contract: unchanged",
    ]


@pytest.mark.parametrize(
    ("caller", "decided"),
    [
        ("total(3)", "broken: required-parameter, decided by no_longer_matches in uses.breaks"),
        ("total(*ARGS)", "broken: open, decided by undecided in uses.breaks"),
        ("try: total(3)\n    except TypeError: pass", "broken: open, decided by handled in uses.breaks"),
        ("listed(3)", "broken: open, decided by opaque in uses.breaks"),
        ("total", "broken: open, decided by no_call in uses.breaks"),
        ("(lambda total: total(3))", "connection: name, decided by another_meaning in uses.references"),
        ("from json import total; total(3)", "connection: name, decided by another_meaning in uses.references"),
        ("list.total(3)", "reference: name, decided by by_name in uses.references"),
        ("list.total()", "dropped: by means_another in uses.breaks"),
    ],
)
def test_explain_names_the_rule_that_ended_the_comparison(repository: Repository, caller: str, decided: str) -> None:
    """For each reference, `explain` prints why it was reported, or why it was not."""
    user = f"from shop.tax import listed, total\n\n\ndef pay(list):\n    {caller}\n"
    base: dict[str, str | bytes | None] = {
        "shop/tax.py": "def total(price): ...\n\n\n@app.task\ndef listed(price): ...\n\n\nclass Tax:\n    def total(self, price): ...\n",
        "shop/cart.py": user,
    }
    after = str(base["shop/tax.py"]).replace("price)", "price, rate)")
    pull = repository.change(base, {"shop/tax.py": after})
    done = explained(repository, pull, "shop/cart.py:5")
    assert f"  {decided}" in done.stdout.splitlines()
    assert "  removed:" not in done.stdout, "no name is gone"


@pytest.mark.parametrize(
    ("path", "text", "lost"),
    [
        ("shop/a.py", "x = total(3)", "  no search found the file"),
        ("shop/b.py", "from extra.shop.tax import total", "  no import of the file leads to a changed file"),
        ("shop/d.py", "from shop.tax import total\nx = 'total(3)'", "  the file was searched for: total"),
        (
            "shop/g.py",
            "from importlib import import_module; import_module('shop.tax').total(3)",
            "  the file was searched for: nothing, as its imports bind none of their names",
        ),
        (
            "shop/h.py",
            "from shop.tax import total\nx.total(3)",
            "  reference: none, decided by unrelated in uses.references",
        ),
    ],
)
def test_explain_names_the_step_that_lost_a_line(repository: Repository, path: str, text: str, lost: str) -> None:
    """For a line that no rule compared, `explain` prints how far the search came."""
    lib = "def total(price):\n    return price\n"
    pull = repository.change(
        {"shop/__init__.py": "", "shop/tax.py": lib, path: f"{text}\n"},
        {"shop/tax.py": lib.replace("price)", "price, rate)")},
    )
    place = f"{path}:{1 + text.count(chr(10))}"
    done = explained(repository, pull, place)
    assert lost in done.stdout


@pytest.mark.parametrize("inside", ["B", "B.C"])
def test_explain_says_that_a_name_meant_another_definition_before(repository: Repository, inside: str) -> None:
    """In B and in B.C, `Tax` means B.Tax, although the file also imports the namespace A."""
    tax = "namespace {};\n\npublic static class Tax {{ public static int Total(int price) => price; }}\n"
    user = "using A;\n\nnamespace {}\n{{\n    public class Cart {{ public int Pay() => Tax.Total(3); }}\n}}\n"
    files: dict[str, str | bytes | None] = {
        "a/A.cs": tax.format("A"),
        "b/B.cs": tax.format("B"),
        "c/Cart.cs": user.format(inside),
    }
    pull = repository.change(files, {"a/A.cs": tax.format("A").replace("int price)", "int price, int rate)")})
    done = explained(repository, pull, "c/Cart.cs:5")
    assert "  connection: name, decided by nearer_in_the_namespace in uses.references" in done.stdout
    assert "Nothing is reported" in done.stdout
