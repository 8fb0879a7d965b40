"""A function that gives another result, and the calls that can no longer take it."""

import pytest

from impact.language import language_of
from impact.results import misuse, results


def said(path: str, before: str, after: str, call: str) -> str:
    """What is wrong with the call of `f` in the last text, "" if nothing is."""
    language = language_of(path)
    assert language is not None
    one, other, caller = (results(language, text.encode(), range(1, 99)) for text in (before, after, call))
    assert one is not None
    assert other is not None
    assert caller is not None
    was, now = (side.result("f", 1, 99) for side in (one, other))
    if was is None or now is None:
        return "unknown"
    line = next(number for number, row in enumerate(call.split("\n"), 1) if "f(" in row and "def " not in row)
    wrong = misuse(language, was, now, caller.ways("f", line))
    return f"{wrong.says}: {wrong.happens}" if wrong is not None else ""


BOOL = "def f(a):\n    if a:\n        return a == 1\n    return False\n"
PAIR = "def f(a):\n    if a:\n        return a == 1, ''\n    return False, 'no'\n"
THREE = "def f(a):\n    return 1, 2, 3\n"
SAME = "takes the same branch each time"


@pytest.mark.parametrize(
    ("before", "after", "call", "message"),
    [
        (BOOL, PAIR, "def g():\n    if not f(1):\n        pass\n", f"tests it, and a tuple is always true: {SAME}"),
        (BOOL, PAIR, "def g():\n    ok = f(1)\n    assert ok\n", f"tests it, and a tuple is always true: {SAME}"),
        (BOOL, PAIR, "x = 1 if f(1) else 2\n", f"tests it, and a tuple is always true: {SAME}"),
        (BOOL, PAIR, "if f(1) is True: pass\n", "compares a tuple with a single value: finds them different each time"),
        ("def f(a) -> bool: ...\n", "def f(a) -> tuple[bool, str]: ...\n", "while f(1): pass\n", f"tests it, and a tuple is always true: {SAME}"),
        ("def f(a):\n    return open(a)\n", PAIR, "f(1).name\n", "asks a tuple for `.name`: raises AttributeError when it runs"),
        (PAIR, THREE, "a, b = f(1)\n", "unpacks 3 values into 2 names: raises ValueError when it runs"),
        (PAIR, BOOL, "a, b = f(1)\n", "takes apart what is no tuple any more: raises TypeError when it runs"),
        (PAIR, "def f(a):\n    print(a)\n", "f(1)[0]\n", "uses its result, and it returns nothing now: raises TypeError when it runs"),
        (BOOL, f"async {BOOL}", "if f(1): pass\n", f"tests it without `await`: {SAME}: what is not awaited is always true"),
        (f"async {BOOL}", BOOL, "async def g():\n    return await f(1)\n", "awaits what is no coroutine any more: raises TypeError when it runs"),
        (f"async {BOOL}", f"async {PAIR}", "async def g():\n    if not await f(1): pass\n", f"tests it, and a tuple is always true: {SAME}"),
        # a result that is taken as before, or of which nobody knows enough
        (BOOL, PAIR, "ok, why = f(1)\n", ""),
        (BOOL, PAIR, "def g(b):\n    ok = f(1)\n    if b:\n        ok = 1\n    assert ok\n", ""),
        (BOOL, PAIR, "def g():\n    ok = f(1)\n    return lambda: ok\n", ""),
        (BOOL, "def f(a):\n    if a:\n        return 1, 2\n", "if f(1): pass\n", ""),
        (BOOL, "def f(a):\n    if a:\n        return 1, 2\n    return None\n", "if f(1): pass\n", ""),
        (PAIR, "def f(a):\n    return g(a)\n", "a, b = f(1)\n", ""),
        (PAIR, "def f(a):\n    return *a, 1\n", "a, b = f(1)\n", ""),
        (PAIR, THREE, "a, *b = f(1)\n", ""),
        (BOOL, f"@wraps\n{PAIR}", "if f(1): pass\n", "unknown"),
        (BOOL, "def f(a):\n    yield 1, 2\n", "if f(1): pass\n", ""),
        (BOOL, "def f(a):\n    raise NotImplementedError\n", "f(1).x\n", ""),
        (BOOL, f"async {BOOL}", "async def g():\n    return await f(1)\n", ""),
    ],
)  # fmt: skip
def test_python(before: str, after: str, call: str, message: str) -> None:
    assert said("shop/a.py", before, after, call) == message


GO = "package a\n\nfunc f(n int) %s {\n\tpanic(1)\n}\n"
CALLER = "package a\n\nfunc g() %s {\n\t%s\n}\n"
ONE, TWO = "string", "(string, error)"


@pytest.mark.parametrize(
    ("before", "after", "result", "call", "message"),
    [
        (ONE, TWO, "", "s := f(1)", "assigns 2 results to 1 name"),
        (ONE, TWO, "", 'if f(1) == "a" {\n\t}', "uses 2 results as one value"),
        (ONE, TWO, "", "h(1, f(1))", "uses 2 results as one value"),
        (ONE, TWO, "string", "return f(1)", "returns 2 results from a function that returns 1"),
        (TWO, ONE, "", "s, err := f(1)", "assigns 1 result to 2 names"),
        (TWO, "(a, b string, err error)", "", "s, err := f(1)", "assigns 3 results to 2 names"),
        (ONE, "", "", "s := f(1)", "assigns no result to 1 name"),
        (ONE, TWO, "", "f(1)", ""),
        (ONE, TWO, "", "fmt.Println(f(1))", ""),
        (ONE, TWO, "(string, error)", "return f(1)", ""),
        (ONE, TWO, "", "s, err := f(1)", ""),
        ("error", "*Error", "", "err := f(1)", ""),
    ],
)
def test_go(before: str, after: str, result: str, call: str, message: str) -> None:
    found = said("a/a.go", GO % before, GO % after, CALLER % (result, call))
    assert found == (f"{message}: does not compile" if message else "")


@pytest.mark.parametrize(
    ("before", "after", "call", "message"),
    [
        ("string", "string[]", "f(1).trim();", "asks it for `.trim`, which `string[]` does not have: does not compile"),
        ("string", "number", "const s: string = f(1);", "keeps it as `string`, and it is `number` now: does not compile"),
        ("string", "void", "const s: string = f(1);", "uses its result, and it returns nothing now: does not compile"),
        ("boolean", "Promise<boolean>", "if (!f(1)) {}", f"tests it without `await`: {SAME}: what is not awaited is always true"),
        ("string", "Promise<string>", "const n = f(1).length;", "uses it without `await`: takes a Promise for its value"),
        ("string", "Promise<string>", "async function g() { const n = (await f(1)).length; }", ""),
        ("string", "Promise<string>", "f(1).then((x) => x.length);", ""),
        ("string", "string[]", "const n = f(1).length;", ""),
        ("Row", "Row | null", "const n = f(1).name;", ""),
        ("T", "T[]", "const n = f(1).name;", ""),
    ],
)  # fmt: skip
def test_typescript(before: str, after: str, call: str, message: str) -> None:
    text = "export function f(a: number): %s { throw a; }\n"
    assert said("src/a.ts", text % before, text % after, call) == message


@pytest.mark.parametrize(
    ("path", "text", "before", "after", "call", "message"),
    [
        ("A.java", "class A { static %s f(int a) { throw a; } }", "String", "int", "class B { void g() { String s = A.f(1); } }", "keeps it as `String`, and it is `int` now"),
        ("A.java", "class A { static %s f(int a) { throw a; } }", "Row", "Optional<Row>", "class B { Row g() { return A.f(1); } }", "returns it as `Row`, and it is `Optional<Row>` now"),
        ("A.java", "class A { static %s f(int a) { throw a; } }", "Row", "Optional<Row>", "class B { void g() { A.f(1).name(); } }", "asks it for `.name`, which `Optional<Row>` does not have"),
        ("A.java", "class A { static %s f(int a) { throw a; } }", "boolean", "void", "class B { void g() { if (A.f(1)) {} } }", "uses its result, and it returns nothing now"),
        ("A.java", "class A { static %s f(int a) { throw a; } }", "Row", "GoodRow", "class B { void g() { Row r = A.f(1); } }", ""),
        ("A.java", "class A { static %s f(int a) { throw a; } }", "int", "long", "class B { void g() { var r = A.f(1); } }", ""),
        ("A.kt", "fun f(a: Int): %s { TODO() }", "String", "String?", "fun g(): String = f(1)", "returns it as `String`, and it is `String?` now"),
        ("A.kt", "fun f(a: Int): %s { TODO() }", "String", "String?", "fun g() { val s = f(1) }", ""),
        ("src/a.rs", "fn f(a: u8) -> %s { todo!() }", "String", "Option<String>", "fn g() -> String { f(1) }", "returns it as `String`, and it is `Option<String>` now"),
        ("src/a.rs", "fn f(a: u8) -> %s { todo!() }", "Result<u8, E>", "u8", "fn g() -> X { let a = f(1)?; }", "takes it for `Result<u8, E>`, and it is `u8` now"),
        ("src/a.rs", "fn f(a: u8) -> %s { todo!() }", "bool", "Result<bool, E>", "fn g() { if f(1) { h(); } }", "tests it, and it is `Result<bool, E>` now"),
        ("src/a.rs", "fn f(a: u8) -> %s { todo!() }", "String", "Result<String, E>", "fn g() { f(1).map(h); }", ""),
        ("src/a.rs", "fn f(a: u8) -> %s { todo!() }", "Result<u8, E>", "Result<u8, F>", "fn g() -> X { let a = f(1)?; }", ""),
    ],
)  # fmt: skip
def test_declared_types(path: str, text: str, before: str, after: str, call: str, message: str) -> None:
    assert said(path, text % before, text % after, call) == (f"{message}: does not compile" if message else "")
