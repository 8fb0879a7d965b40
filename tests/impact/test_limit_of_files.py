"""The limit of files that a report reads."""

import asyncio

from trees import Texts, messages

from deeprepo import impact
from deeprepo.impact.resolving.index import MOST_CONFIGS, MOST_FILES


def test_configuration_files_do_not_count() -> None:
    """A changed file is checked beside more packages than the limit allows source files."""
    packages = {f"examples/{number}/package.json": "{}" for number in range(MOST_FILES + 1)}
    files = {**packages, "src/money.ts": "export const cents = 1\n", "src/pay.ts": "import { cent } from './money'\n"}
    assert messages(files, "src/pay.ts") == ["1 missing-name cent: cents"]


def test_changed_files_beyond_the_limit_are_left_out() -> None:
    """They are reported as left out; the others are checked."""
    files = {f"a{number:04}.py": "" for number in range(MOST_FILES + 1)}
    looked = asyncio.run(impact.report(Texts(files), dict.fromkeys(files, range(1, 2)))).looked
    assert (len(looked.files), looked.unread, looked.left_out) == (MOST_FILES, (), (f"a{MOST_FILES}.py",))


def test_number_of_configuration_files_is_limited_too() -> None:
    """If a tree has very many, they count as files like any others."""
    packages = {f"examples/{number}/package.json": "{}" for number in range(MOST_CONFIGS + 1)}
    tree = Texts({**packages, "pay.ts": "import { cent } from './money'\n", "money.ts": "export const cents = 1\n"})
    looked = asyncio.run(impact.report(tree, {"pay.ts": range(1, 2)})).looked
    assert looked.left_out == ("pay.ts",)
