"""A function that gives another result, and the calls that can no longer take it."""

import pytest

from deeprepo.impact.language import language_of
from deeprepo.impact.results import misuse, results


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


SAME = "always takes the same branch"
GO = ("a/a.go", "package a\n\nfunc f(n int) %s {\n\tpanic(1)\n}\n")
CALL = "package a\n\nfunc g() %s {\n\t%s\n}\n"
ONE, TWO = "string", "(string, error)"
TS = ("src/a.ts", "export function f(a: number): %s { throw a; }\n")
JAVA = ("A.java", "class A { static %s f(int a) { throw a; } }")
KOTLIN = ("A.kt", "fun f(a: Int): %s { TODO() }")
RUST = ("src/a.rs", "fn f(a: u8) -> %s { todo!() }")


@pytest.mark.parametrize(
    ("home", "before", "after", "call", "message"),
    [
        (GO, ONE, TWO, CALL % ("", "s := f(1)"), "assigns 2 results to 1 name"),
        (GO, ONE, TWO, CALL % ("", 'if f(1) == "a" {\n\t}'), "uses 2 results as one value"),
        (GO, ONE, TWO, CALL % ("", "h(1, f(1))"), "uses 2 results as one value"),
        (GO, ONE, TWO, CALL % ("string", "return f(1)"), "returns 2 results from a function that returns 1"),
        (GO, TWO, ONE, CALL % ("", "s, err := f(1)"), "assigns 1 result to 2 names"),
        (GO, TWO, "(a, b string, err error)", CALL % ("", "s, err := f(1)"), "assigns 3 results to 2 names"),
        (GO, ONE, "", CALL % ("", "s := f(1)"), "assigns no result to 1 name"),
        (GO, ONE, TWO, CALL % ("", "f(1)"), ""),
        (GO, ONE, TWO, CALL % ("", "fmt.Println(f(1))"), ""),
        (GO, ONE, TWO, CALL % ("(string, error)", "return f(1)"), ""),
        (GO, ONE, TWO, CALL % ("", "s, err := f(1)"), ""),
        (GO, "error", "*Error", CALL % ("", "err := f(1)"), ""),
        (TS, "string", "string[]", "f(1).trim();", "asks it for `.trim`, which `string[]` does not have"),
        (TS, "string", "number", "const s: string = f(1);", "keeps it as `string`, and it is `number` now"),
        (TS, "string", "void", "const s: string = f(1);", "uses its result, and it returns nothing now"),
        (TS, "boolean", "Promise<boolean>", "if (!f(1)) {}", f"tests it without `await`: {SAME}, because a coroutine is always true"),
        (TS, "string", "Promise<string>", "const n = f(1).length;", "uses it without `await`: takes a Promise for its value"),
        (TS, "string", "Promise<string>", "async function g() { const n = (await f(1)).length; }", ""),
        (TS, "string", "Promise<string>", "f(1).then((x) => x.length);", ""),
        (TS, "string", "string[]", "const n = f(1).length;", ""),
        (TS, "Row", "Row | null", "const n = f(1).name;", ""),
        (TS, "T", "T[]", "const n = f(1).name;", ""),
        (JAVA, "String", "int", "class B { void g() { String s = A.f(1); } }", "keeps it as `String`, and it is `int` now"),
        (JAVA, "Row", "Optional<Row>", "class B { Row g() { return A.f(1); } }", "returns it as `Row`, and it is `Optional<Row>` now"),
        (JAVA, "Row", "Optional<Row>", "class B { void g() { A.f(1).name(); } }", "asks it for `.name`, which `Optional<Row>` does not have"),
        (JAVA, "boolean", "void", "class B { void g() { if (A.f(1)) {} } }", "uses its result, and it returns nothing now"),
        (JAVA, "Row", "GoodRow", "class B { void g() { Row r = A.f(1); } }", ""),
        (JAVA, "int", "long", "class B { void g() { var r = A.f(1); } }", ""),
        (KOTLIN, "String", "String?", "fun g(): String = f(1)", "returns it as `String`, and it is `String?` now"),
        (KOTLIN, "String", "String?", "fun g() { val s = f(1) }", ""),
        (RUST, "String", "Option<String>", "fn g() -> String { f(1) }", "returns it as `String`, and it is `Option<String>` now"),
        (RUST, "Result<u8, E>", "u8", "fn g() -> X { let a = f(1)?; }", "takes it for `Result<u8, E>`, and it is `u8` now"),
        (RUST, "bool", "Result<bool, E>", "fn g() { if f(1) { h(); } }", "tests it, and it is `Result<bool, E>` now"),
        (RUST, "String", "Result<String, E>", "fn g() { f(1).map(h); }", ""),
        (RUST, "Result<u8, E>", "Result<u8, F>", "fn g() -> X { let a = f(1)?; }", ""),
    ],
)  # fmt: skip
def test_what_no_longer_compiles(home: tuple[str, str], before: str, after: str, call: str, message: str) -> None:
    """Each call that does not fit the new result is told, with what comes of it where that is something else."""
    path, text = home
    found = said(path, text % before, text % after, call).removesuffix(": does not compile")
    assert found == message
