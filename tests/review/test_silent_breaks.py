"""Changes that break callers without a rename are never clean, and similar harmless changes are."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from fakes import Repository

from bot import wiring
from bot.values import Review, ReviewRequest

Case = tuple[str, str, str]  # the library before the change, after it, and the code that uses it
PYTHON = {
    "space_in_text": ('SEP = ", "\n', 'SEP = ","\n', "from {p}.lib import SEP\n\nprint('a, b'.split(SEP))\n"),
    "bare_tuple": ("ROLES = 1,\n", "ROLES = 1\n", "from {p}.lib import ROLES\n\nprint(ROLES)\n"),
    "quote_as_text": ('QUOTE = "\'"\n', "QUOTE = '\"'\n", "from {p}.lib import QUOTE\n\nprint(QUOTE)\n"),
    "text_on_its_line": (
        'URL = (\n    "https://a/v1"\n)\n',
        'URL = (\n    "https://a/v2"\n)\n',
        "from {p}.lib import URL\n\nprint(URL)\n",
    ),
    "default": (
        'def cut(text, sep=", "):\n    return text\n',
        'def cut(text, sep=","):\n    return text\n',
        "from {p}.lib import cut\n\nprint(cut('a'))\n",
    ),
    "swapped": (
        "def move(source, target):\n    return source\n",
        "def move(target, source):\n    return source\n",
        "from {p}.lib import move\n\nmove('a', 'b')\n",
    ),
    "optional_in_front": (
        "def put(a, b=1):\n    return a\n",
        "def put(a, c=0, b=1):\n    return a\n",
        "from {p}.lib import put\n\nput(1, 2)\n",
    ),
    "dropped_in_the_middle": (
        "def put(a, b=1, c=2):\n    return a\n",
        "def put(a, c=2):\n    return a\n",
        "from {p}.lib import put\n\nput(1, 5)\n",
    ),
    "hook_renamed": (
        "class Base:\n    def before_send(self):\n        pass\n",
        "class Base:\n    def prepare_mail(self):\n        pass\n",
        "from {p}.lib import Base\n\n\nclass Mail(Base):\n    def before_send(self):\n        print(1)\n",
    ),
    "hook_of_one_word_removed": (
        "class Base:\n    def hook(self):\n        pass\n\n    def run(self):\n        pass\n",
        "class Base:\n    def run(self):\n        pass\n",
        "from {p}.lib import Base\n\n\nclass Mail(Base):\n    def hook(self):\n        print(1)\n",
    ),
    "attribute": (
        "class Cart:\n    def __init__(self):\n        self.total = 1\n",
        "class Cart:\n    def __init__(self):\n        self.amount = 1\n",
        "from {p}.lib import Cart\n\nprint(Cart().total)\n",
    ),
    "attribute_by_type": (
        "class Cart:\n    def __init__(self):\n        self.total = 1\n",
        "class Cart:\n    def __init__(self):\n        pass\n",
        "from {p}.lib import Cart\n\n\ndef show(cart: Cart):\n    return cart.total\n",
    ),
    "attribute_in_heir": (
        "class Cart:\n    def __init__(self):\n        self.fee = 1\n",
        "class Cart:\n    def __init__(self):\n        pass\n",
        "from {p}.lib import Cart\n\n\nclass Box(Cart):\n    def show(self):\n        return self.fee\n",
    ),
    "error_becomes_a_line": (
        "def rate(x):\n    for one in x:\n        return one\n    raise ValueError\n",
        "def rate(x):\n    for one in x:\n        return one\n    print(x)\n",
        "from {p}.lib import rate\n\nprint(rate([]) + 1)\n",
    ),
}
PYTHON_QUIET = {
    "black": (
        "def cut(a, b='x', *, c=('y',)):\n    '''Cut it.'''\n    raise ValueError('a b')\n\n\nSEP = ', '\nURL = 'https://a'\n",
        (
            'def cut(\n    a,\n    b="x",\n    *,\n    c=("y",),\n):\n    """Cut it."""\n    raise ValueError(\n        "a b",\n    )\n\n\n'
            'SEP = ", "\nURL = "https://a"\n'
        ),
        "from {p}.lib import SEP, URL, cut\n\nprint(cut(1, SEP), URL)\n",
    ),
    "endless_loop": (
        "def rate(x):\n    return x\n",
        "def rate(x):\n    while True:\n        if x:\n            return x\n",
        "from {p}.lib import rate\n\nprint(rate(0))\n",
    ),
    "docstring": (
        'def cut(a):\n    """Cut it."""\n    return a\n',
        'def cut(a):\n    """Cut it\n\n    # into two.\n    """\n    return a\n',
        "from {p}.lib import cut\n\nprint(cut(1))\n",
    ),
    "optional_at_the_end": (
        "def put(a, b=1):\n    return a\n",
        "def put(a, b=1, c=2):\n    return a\n",
        "from {p}.lib import put\n\nput(1, 2)\n",
    ),
    "moved_but_named": (
        "def put(a, b=1):\n    return a\n",
        "def put(a, c=0, b=1):\n    return a\n",
        "from {p}.lib import put\n\nput(1, b=2)\n",
    ),
    "moved_behind_the_call": (
        "def put(a, b=1):\n    return a\n",
        "def put(a, c=0, b=1):\n    return a\n",
        "from {p}.lib import put\n\nput(1)\n",
    ),
    "hook_of_another": (
        "class Base:\n    def before_mail(self):\n        pass\n",
        "class Base:\n    def prepare_mail(self):\n        pass\n",
        "from {p}.lib import Base\n\n\nclass Mail(Base):\n    pass\n\n\nclass Post:\n    def before_mail(self):\n        print(1)\n",
    ),
    "hook_pulled_up": (
        "class Root:\n    pass\n\n\nclass Base(Root):\n    def before_post(self):\n        pass\n",
        "class Root:\n    def before_post(self):\n        pass\n\n\nclass Base(Root):\n    pass\n",
        "from {p}.lib import Base\n\n\nclass Mail(Base):\n    def before_post(self):\n        print(1)\n",
    ),
    "attribute_of_another": (
        "class Cart:\n    def __init__(self):\n        self.volume = 1\n",
        "class Cart:\n    def __init__(self):\n        pass\n",
        "from {p}.lib import Cart\n\n\nclass Room:\n    def __init__(self):\n        self.volume = 2\n\n    def show(self):\n        return self.volume, Cart()\n",
    ),
}
TYPESCRIPT = {
    "space_in_text": (
        'export const SEP = ", ";\n',
        'export const SEP = ",";\n',
        'import { SEP } from "./lib";\nconsole.log(SEP);\n',
    ),
    "slashes_in_text": (
        'export const MARK = "a // b";\n',
        'export const MARK = "a // c";\n',
        'import { MARK } from "./lib";\nconsole.log(MARK);\n',
    ),
    "swapped": (
        "export function move(source: string, target: string) {\n  return source;\n}\n",
        "export function move(target: string, source: string) {\n  return source;\n}\n",
        'import { move } from "./lib";\nmove("a", "b");\n',
    ),
    "attribute": (
        "export class Cart {\n  constructor() {\n    this.surcharge = 1;\n  }\n}\n",
        "export class Cart {\n  constructor() {}\n}\n",
        'import { Cart } from "./lib";\nconsole.log(new Cart().surcharge);\n',
    ),
}
TYPESCRIPT_QUIET = {
    "prettier": (
        "export const T = { a: 1, b: 'it' }\nexport const S = ', '\nexport function put(a: number, b: string) {\n  return [a, 'x']\n}\n",
        (
            'export const T = { a: 1, b: "it" };\nexport const S = ", ";\n'
            'export function put(\n  a: number,\n  b: string,\n) {\n  return [\n    a,\n    "x",\n  ];\n}\n'
        ),
        'import { S, T, put } from "./lib";\nput(T.a, S);\n',
    ),
    "export_of_the_same": (
        'export { go } from "./own";\n',
        'export { went as go } from "./own";\n',
        'import { go } from "./lib";\ngo(1);\n',
    ),
}
OWN = "export function go(a: number) {\n  return a;\n}\nexport function went(a: number) {\n  return a + 0;\n}\n"


@pytest.fixture
def silent(repository: Repository, tmp_path: Path):  # noqa: ANN201
    """Return a function that reviews all cases as one change and returns the names of the clean ones."""

    def run(cases: Mapping[str, Case], suffix: str) -> set[str]:
        rows = [(name, *case) for name, case in cases.items()]
        before = {f"{name}/lib{suffix}": old for name, old, _, _ in rows}
        before |= {f"{name}/app{suffix}": app.replace("{p}", name) for name, _, _, app in rows}
        before |= {
            f"{name}/__init__.py" if suffix == ".py" else f"{name}/own.ts": OWN if suffix == ".ts" else ""
            for name in cases
        }
        repository.commit(before, "before")
        repository.git("checkout", "-qb", "feature")
        repository.commit({f"{name}/lib{suffix}": new for name, _, new, _ in rows}, "after")
        review: Review = asyncio.run(wiring.local_review(ReviewRequest(str(repository.folder)), {}, str(tmp_path)))
        assert all(row.kind in ("use", "word") for row in review.coverage.open)
        said = {row.path for row in (*review.coverage.open, *review.coverage.relying)} | {
            placed.finding.path for placed in review.reported
        }
        return {name for name in cases if f"{name}/app{suffix}" not in said}

    return run


@pytest.mark.parametrize(("cases", "suffix"), [(PYTHON, ".py"), (TYPESCRIPT, ".ts")], ids=["python", "typescript"])
def test_silent_break_is_never_clean(silent, cases: Mapping[str, Case], suffix: str) -> None:  # noqa: ANN001
    """Each file that uses the changed code is listed or has a finding."""
    assert silent(cases, suffix) == set()


@pytest.mark.parametrize(
    ("cases", "suffix"), [(PYTHON_QUIET, ".py"), (TYPESCRIPT_QUIET, ".ts")], ids=["python", "typescript"]
)
def test_harmless_change_stays_clean(silent, cases: Mapping[str, Case], suffix: str) -> None:  # noqa: ANN001
    """Formatting, comments, arguments that still match and equivalent definitions affect no caller."""
    assert silent(cases, suffix) == {*cases}
