import pytest
import step
from fakes import Repository

from bot.analyzers.checks import contracts
from bot.checkout import Checkout
from bot.findings import fixes
from bot.values import PlacedFinding, PullRequest
from deeprepo.impact import uses


def mended(pull: PullRequest) -> dict[str, str]:
    """Return the changed files as they are after applying the rewrites of all findings."""

    async def run(tree: Checkout, files: step.Files) -> dict[str, str]:
        users = await uses.find(tree, files)
        found = await contracts.check(tree, files, users)
        assert found
        fix = await fixes.fix([PlacedFinding(one, "outside") for one in found if one.rewrites], tree)
        assert not fix.refusals
        return {path: content.decode() for path, content in fix.contents.items()}

    return step.over(pull, run)


LIB = "def f({}):\n    x = 1\n    return [x]\n"


@pytest.mark.parametrize(
    ("before", "after", "call", "now"),
    [
        ("a, b", "a", "f(1, z)", "f(1)"),
        ("a, b, c", "a, c", "f(1,\n      z,\n      3)", "f(1,\n      3)"),
        ("a, b=1", "a", "f(1, b=z)", "f(1)"),
        ("a, color=1", "a, colour=1", "f(1, color=z)", "f(1, colour=z)"),
        ("a, b", "a", "f(f(1, 2), z)", "f(f(1))"),
        ("a, b", "a", "f(1, g())", ""),  # the call of g would be lost
        ("a, b", "a, c, d", "f(1, z)", ""),  # the new parameters need values
        ("a, b", "c", "f(1, z)", ""),  # unclear which argument becomes c
        ("a, b, c", "c, a", "f(1, z, 3)", ""),  # the remaining parameters are reordered
        ("a, b", "a", "f(1,  # why\n      z)", ""),  # a comment would be lost
    ],
)
def test_call_is_rewritten_only_if_the_change_determines_the_arguments(
    repository: Repository, before: str, after: str, call: str, now: str
) -> None:
    """A call is rewritten only if the change itself determines the new arguments."""
    text = "from lib import f\n\n\ndef go(z, g):\n    return {}\n"
    files = {"lib.py": LIB.format(before), "app.py": text.format(call)}
    found = mended(repository.change(files, {"lib.py": LIB.format(after)}))
    assert found == ({"app.py": text.format(now)} if now else {})


@pytest.mark.parametrize(
    ("after", "now"),
    [
        (
            "def fee(a, b):\n    return a + b\n",
            "fee(z, b=1) + app.price.fee(z, b=2) + money.fee(z, b=3) + z.price(z, b=4)",
        ),
        (
            "def price(a, c):\n    return a + c\n",
            "price(z, c=1) + app.price.price(z, c=2) + money.price(z, c=3) + z.price(z, b=4)",
        ),
    ],
)
def test_all_references_on_a_line_are_rewritten_but_not_unrelated_members(
    repository: Repository, after: str, now: str
) -> None:
    """Direct, qualified and aliased references are rewritten; another object's member is not."""
    imports = "import app.price\nimport app.price as money\nfrom app.price import {}\n\n\ndef go(z):\n    return "
    caller = f"{imports}price(z, b=1) + app.price.price(z, b=2) + money.price(z, b=3) + z.price(z, b=4)\n"
    before = {
        "app/price.py": "def price(a, b):\n    return a + b\n",
        "app/__init__.py": "",
        "go.py": caller.format("price"),
    }
    found = mended(repository.change(before, {"app/price.py": after}))
    assert found == {"go.py": imports.format(now.partition("(")[0]) + now + "\n"}


EDITED = "def {}(items):\n    return {}(items)\n"


@pytest.mark.parametrize(("before", "after", "is_mended"), [("sum", "sum", True), ("first", "last", False)])
def test_definition_is_renamed_at_its_callers_unless_its_body_was_edited(
    repository: Repository, before: str, after: str, *, is_mended: bool
) -> None:
    """Callers get the new name only if the definition with that name does what the old one did."""
    caller = "from app.price import (\n    {0},\n)\n\n\ndef go():\n    return {0}([1])\n"
    files = {"app/price.py": EDITED.format("price", before), "app/__init__.py": "", "a.py": caller.format("price")}
    found = mended(repository.change(files, {"app/price.py": EDITED.format("cost", after)}))
    assert found == ({"a.py": caller.format("cost")} if is_mended else {})


@pytest.mark.parametrize(
    ("path", "before", "after", "caller", "use", "now"),
    [
        ("lib.py", "def old(a):\n    b = a\n    return [b]\n", "def new(a):\n    b = a\n    return [b]\n", "app.py",
         "from lib import other, old as o, old\n\n\ndef go(z):\n    old = old_one\n    return o(old(z)), 'old'\n", None),
        ("lib.py", "def old(a):\n    b = a\n    return [b]\n", "def new(a):\n    b = a\n    return [b]\n", "app.py",
         "from lib import old\n\n\ndef go(z):\n    return old(old(z)), 'old', z.old\n",
         "from lib import new\n\n\ndef go(z):\n    return new(new(z)), 'old', z.old\n"),
        ("lib.js", "export function old(a) {\n  const b = a\n  return [b]\n}\n", "export function fresh(a) {\n  const b = a\n  return [b]\n}\n", "app.js",
         "import { old } from './lib.js'\nexport const table = { old }\n",
         "import { fresh } from './lib.js'\nexport const table = { old: fresh }\n"),
        ("lib.js", "export function old(a) {\n  const b = a\n  return [b]\n}\n", "export function fresh(a) {\n  const b = a\n  return [b]\n}\n", "index.js",
         "export { old } from './lib.js'\n",
         "export { fresh as old } from './lib.js'\n"),
        ("lib.go", "package lib\n\ntype Old struct {\n\tA int\n}\n", "package lib\n\ntype New struct {\n\tA int\n}\n", "app.go",
         "package lib\n\nvar made = Old{A: 1}\n",
         "package lib\n\nvar made = New{A: 1}\n"),
    ],
)  # fmt: skip
def test_only_references_to_the_renamed_definition_are_rewritten(
    repository: Repository, path: str, before: str, after: str, caller: str, use: str, now: str | None
) -> None:
    """Imports, calls and shorthands get the new name; strings, other members and local names don't."""
    found = mended(repository.change({path: before, caller: use}, {path: after}))
    if now is not None:
        assert found == {caller: now}
    else:
        assert "old_one" in found.get(caller, "old_one")


@pytest.mark.parametrize(
    ("files", "moved", "caller", "now"),
    [
        ({"src/old.ts": "export function f(a: string) {\n  return [a]\n}\n", "src/x/app.ts": "import { f } from '../old'\nf('1')\n"},
         ("src/old.ts", "src/y/fresh.ts"), "src/x/app.ts", "import { f } from '../y/fresh'\nf('1')\n"),
        ({"lib/a/old.rb": "def f(a)\n  [a]\nend\n", "lib/a.rb": "require_relative 'a/old'\n"}, ("lib/a/old.rb", "lib/a/fresh.rb"), "lib/a.rb",
         "require_relative 'a/fresh'\n"),
    ],
)  # fmt: skip
def test_import_of_a_moved_file_is_rewritten_in_the_same_style(
    repository: Repository, files: dict[str, str], moved: tuple[str, str], caller: str, now: str
) -> None:
    """The import of a moved file is rewritten in its old form, for example as a relative import."""
    old, new = moved
    found = mended(repository.change(files, {old: None, new: files[old]}))
    assert found == {caller: now}
