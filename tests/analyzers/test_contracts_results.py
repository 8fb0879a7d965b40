"""A function of Python that gives another result, and the lines of other files that can no longer take it."""

from contract_findings import look
from fakes import Repository

BOOL = "def f(a):\n    if a:\n        return a == 1\n    return False\n"
PAIR = "def f(a):\n    if a:\n        return a == 1, ''\n    return False, 'no'\n"
THREE = "def f(a):\n    return 1, 2, 3\n"
ROW = "def f(a):\n    return {'id': a}\n"
NONE = "def f(a):\n    return None\n"
SAME = "always takes the same branch"
ATTRIBUTE, ERROR = "raises AttributeError when it runs", "raises TypeError when it runs"
METHOD = "class Box:\n    def NAME(self):\n        return %s\n"
ITEM = "class Item:\n    def NAME(self%s):\n        return 1\n\n\n%s\n"
MADE = "def f():\n    return Item()"
Case = tuple[str, str, str, str]  # before, after, what a file does that imports it, what is said of that

ITERATED = (
    *["','.join(f(1))", "x = [*f(1)]", "x = [1, *f(1)]", "h(*f(1))", "h(**f(1))", "x = {**f(1)}", "sorted(f(1), key=h)"],
    *["reversed(f(1))", "sum(f(1))", "min(f(1), key=h)", "max(f(1))", "any(f(1))", "all(f(1))", "enumerate(f(1))", "tuple(f(1))"],
    *["set(f(1))", "frozenset(f(1))", "dict(f(1))", "iter(f(1))", "zip([], f(1))", "map(h, f(1))", "filter(h, f(1))"],
    "def g():\n    yield from f(1)",
)  # fmt: skip
LEFT = ("f'{f(1)}'", "filter(f(1), [])", "h.join(f(1))", "min(f(1), 2, key=h)", "iter(f(1), 2)", "x = [*f(1) or []]")

BROKEN: list[Case] = [
    (BOOL, PAIR, "def g():\n    if not f(1):\n        pass\n", f"tests it, and a tuple is always true: {SAME}"),
    (BOOL, PAIR, "def g():\n    ok = f(1)\n    assert ok\n", f"tests it, and a tuple is always true: {SAME}"),
    (BOOL, PAIR, "x = 1 if f(1) else 2\n", f"tests it, and a tuple is always true: {SAME}"),
    (BOOL, PAIR, "if f(1) is True: pass\n", "compares a tuple with a single value: finds them different each time"),
    ("def f(a) -> bool: ...\n", "def f(a) -> tuple[bool, str]: ...\n", "while f(1): pass\n", f"tests it, and a tuple is always true: {SAME}"),
    ("def f(a):\n    return open(a)\n", PAIR, "f(1).name\n", f"asks a tuple for `.name`: {ATTRIBUTE}"),
    (PAIR, THREE, "a, b = f(1)\n", "unpacks 3 values into 2 names: raises ValueError when it runs"),
    (PAIR, BOOL, "a, b = f(1)\n", f"unpacks something that is no longer a tuple: {ERROR}"),
    (PAIR, "def f(a):\n    print(a)\n", "f(1)[0]\n", f"indexes None: {ERROR}"),
    (BOOL, f"async {BOOL}", "if f(1): pass\n", f"tests it without `await`: {SAME}, because a coroutine is always true"),
    (f"async {BOOL}", BOOL, "async def g():\n    return await f(1)\n", f"awaits something that is no longer a coroutine: {ERROR}"),
    (f"async {BOOL}", f"async {PAIR}", "async def g():\n    if not await f(1): pass\n", f"tests it, and a tuple is always true: {SAME}"),
    (ROW, "def f(a):\n    return a, {}\n", "f(1)['id']\n", f"asks a tuple for `['id']`: {ERROR}"),
    (ROW, "def f(a):\n    return a, {}\n", "def g():\n    row = f(1)\n    return row['id']\n", f"asks a tuple for `['id']`: {ERROR}"),
    ("def f(a) -> dict:\n    return {'id': a}\n", "def f(a) -> dict:\n    return None\n", "f(1).get('id')\n", f"asks None for `.get`: {ATTRIBUTE}"),
    (ROW, "def f(a):\n    if a:\n        return\n    return None\n", "for x in f(1): pass\n", f"takes the items of None: {ERROR}"),
    (ROW, NONE, "a, b = f(1)\n", f"unpacks None: {ERROR}"),
    (ROW, NONE, "x = f(1) + 1\n", f"computes with None: {ERROR}"),
    (ROW, NONE, "x = 'id' not in f(1)\n", f"takes the items of None: {ERROR}"),
    *[(ROW, NONE, f"{call}\n", f"takes the items of None: {ERROR}") for call in ITERATED],
    *[(ROW, NONE, f"{call}\n", f"computes with None: {ERROR}") for call in ("f(1) + [2]", "x = [1] + f(1)")],
    *[(ROW, NONE, f"with f(1){name}: pass\n", f"enters None: {ERROR}") for name in ("", " as x")],
    (ROW, NONE, "async def g():\n    await f(1)\n", f"awaits None: {ERROR}"),
    (ROW, NONE, "def g():\n    row = f(1)\n    if not row['id']: pass\n", f"indexes None: {ERROR}"),
    (f"async {ROW}", f"async {NONE}", "async def g():\n    return (await f(1))['id']\n", f"indexes None: {ERROR}"),
    (METHOD % 1, METHOD % None, "def g():\n    return Box().NAME() + 1\n", f"computes with None: {ERROR}"),
    (ITEM % (", now=0", MADE), ITEM % ("", MADE), "f().NAME(now=1)\n", f"still passes now=: {ERROR}"),
    (ITEM % (", now=0", MADE), ITEM % ("", MADE), "def g():\n    x = f()\n    x.NAME(now=1)\n", f"still passes now=: {ERROR}"),
    (ITEM % (", now=0", "def f() -> Item:\n    return h()"), ITEM % ("", "def f() -> Item:\n    return h()"), "f().NAME(now=1)\n", f"still passes now=: {ERROR}"),
    (BOOL, f"async {BOOL}", "f(1)\n", "calls it without `await`: does nothing, because a coroutine only runs when awaited"),
]  # fmt: skip
KEPT: list[tuple[str, str, str]] = [
    (BOOL, f"async {BOOL}", "run(f(1))\n"),
    (BOOL, f"async {BOOL}", "async def g():\n    await f(1)\n"),
    (BOOL, PAIR, "ok, why = f(1)\n"),
    (BOOL, PAIR, "def g(b):\n    ok = f(1)\n    if b:\n        ok = 1\n    assert ok\n"),
    (BOOL, PAIR, "def g():\n    ok = f(1)\n    return lambda: ok\n"),
    (BOOL, "def f(a):\n    if a:\n        return 1, 2\n", "if f(1): pass\n"),
    (BOOL, "def f(a):\n    if a:\n        return 1, 2\n    return None\n", "if f(1): pass\n"),
    (PAIR, "def f(a):\n    return g(a)\n", "a, b = f(1)\n"),
    (PAIR, "def f(a):\n    return *a, 1\n", "a, b = f(1)\n"),
    (PAIR, THREE, "a, *b = f(1)\n"),
    (BOOL, f"@wraps\n{PAIR}", "if f(1): pass\n"),
    (BOOL, "def f(a):\n    yield 1, 2\n", "if f(1): pass\n"),
    (BOOL, "def f(a):\n    raise NotImplementedError\n", "f(1).x\n"),
    (BOOL, f"async {BOOL}", "async def g():\n    return await f(1)\n"),
    # what is taken all the same, asked for before, or foreseen
    (ROW, PAIR, "f(1)[0]\n"),
    (ROW, PAIR, "def g():\n    row = f(1)\n    return row['id'] if isinstance(row, dict) else row\n"),
    (ROW, PAIR, "def g():\n    row = f(1)\n    return [row['id'] for row in h()]\n"),
    *[(ROW, NONE, f"{call}\n") for call in ("h(f(1))", *LEFT)],
    (ROW, NONE, "def g():\n    row = f(1)\n    if row is None: return 1\n    return row['id']\n"),
    (ROW, NONE, "try:\n    f(1)['id']\nexcept TypeError: pass\n"),
    (ROW, NONE, "with raises(TypeError):\n    f(1)['id']\n"),
    (ROW, "def f(a):\n    if a:\n        return {}\n    return None\n", "f(1)['id']\n"),
    # what may run in its place, or never ends
    (ROW, "def f(a):\n    print(a)\n    sys.exit(1)\n", "f(1)['id']\n"),
    (ROW, "def f(a):\n    'Give a row.'\n", "f(1)['id']\n"),
    (ROW, f"if sys.argv:\n    from fast import f\nelse:\n    {NONE.replace(chr(10), chr(10) + '    ')}\n", "f(1)['id']\n"),
    (ROW, f"{NONE}\n\nf = cached(f)\n", "f(1)['id']\n"),
    (METHOD % 1, f"{METHOD % None}\n\nclass Big(Box):\n    def NAME(self):\n        return 1\n", "def g(box: Box):\n    return box.NAME() + 1\n"),
    # an object of which nobody knows the class
    (ITEM % (", now=0", MADE), ITEM % ("", "def f():\n    return Item() if h() else Other()"), "f().NAME(now=1)\n"),
    (ITEM % (", now=0", MADE), ITEM % ("", "def f():\n    if h():\n        return Other()\n    return Item()"), "f().NAME(now=1)\n"),
    (ITEM % (", now=0", MADE), ITEM % ("", f"{MADE}\n\n\nf = cached(f)"), "f().NAME(now=1)\n"),
    (ITEM % (", now=0", MADE), ITEM % ("", MADE), "def g(f):\n    f().NAME(now=1)\n"),
    (ITEM % (", now=0", MADE), ITEM % ("", MADE), "def g(x=None):\n    x = x or f()\n    x.NAME(now=1)\n"),
]  # fmt: skip


def test_a_result_that_its_users_cannot_take_is_told(repository: Repository) -> None:
    """Of each line what happens there; nothing where code around asks, another body may run, or nobody knows."""
    cases = [*BROKEN, *((*case, "") for case in KEPT)]
    base, after, expected = dict[str, str](), dict[str, str](), dict[str, str]()
    for at, (old, new, call, says) in enumerate(cases):
        name = f"do{at}"
        base |= {
            f"a{at}.py": old.replace("NAME", name),
            f"b{at}.py": f"from a{at} import Box, f\n\n{call.replace('NAME', name)}",
        }
        after[f"a{at}.py"] = new.replace("NAME", name)
        expected |= {f"b{at}.py": says} if says else {}
    found = look(repository.change(base, after))
    said = {
        one.path: f"{one.title.partition(one.path)[2].strip()}: {one.consequence[10:-1]}" for one in found if one.proven
    }
    assert said == expected
    first = next(one for one in found if one.path == "b0.py")
    assert (first.title, first.severity) == (
        f"f() returns a tuple now, but b0.py {BROKEN[0][3].partition(':')[0]}",
        "high",
    )
    why = {one.path: one.why for one in found}
    assert why["b7.py"].startswith("f() returns something else now (a7.py). The call at b7.py:3 unpacks")
    assert why["b13.py"].startswith("f() returns a tuple now (a13.py). The line at b13.py:5 asks a tuple")
    assert [(item.path, item.line, item.side) for item in first.evidence] == [
        ("a0.py", 3, "base"),
        ("a0.py", 3, "head"),
    ]


def test_a_mock_gives_what_it_likes(repository: Repository) -> None:
    """A test that puts something in the place of a function says nothing of its result; other tests do."""
    call = "\n\ndef test_it():\n    assert f(1)['id']\n"
    base = {
        "a.py": ROW,
        "tests/test_a.py": f"from a import f{call}",
        "tests/test_b.py": f"from a import f\n\n\n@patch('a.f', return_value=1){call[1:]}",
    }
    assert [one.path for one in look(repository.change(base, {"a.py": NONE}))] == ["tests/test_a.py"]


def test_where_the_head_alone_differs_the_head_is_shown(repository: Repository) -> None:
    """A function that became a coroutine returns in the same words."""
    lib = 'def send(to):\n    return {"to": to}\n'
    app = 'from lib import send\n\n\ndef go():\n    return send("a")["to"]\n'
    (found,) = look(repository.change({"lib.py": lib, "app.py": app}, {"lib.py": f"async {lib}"}))
    assert [one.quote for one in found.evidence] == ["def send(to):", "async def send(to):"]
