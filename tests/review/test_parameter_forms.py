"""If a parameter's type, default or form changes, each use is reported, in all syntaxes of a language."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

FORMS: Mapping[str, tuple[str, str, str, str, tuple[tuple[str, str], ...]]] = {
    "php": (
        "f.php", "<?php\nfunction bump_counter(PARAMETERS)\n{\n    return 1;\n}\n",
        "g.php", "<?php\nrequire 'f.php';\necho bump_counter(1, 2);\n",
        (
            ("$count, $by = 1", "$count, $by = 2"),
            ("int $count", "array $count"),
            ("&$count", "$count"),
            ("?string $count", "string $count"),
            ("int ...$count", "string ...$count"),
            ("$count, int|string $by", "$count, int $by"),
            ("#[A(1)] int $count, int $by", "#[A(1)] array $count, int $by"),
            ("#[A('by')] int $count, int $by", "#[A('by')] int $count, array $by"),
            ("#[SensitiveParameter] $count = [1, 2]", "#[SensitiveParameter] $count = [1, 3]"),
            ("$by, $count = 'by'", "$by, $count = 'to'"),
        ),
    ),
    "python": (
        "totals.py", "def bump_counter(PARAMETERS):\n    return 1\n",
        "use.py", "from totals import bump_counter\nbump_counter(1)\n",
        (
            ("count, by=1", "count, by=2"), ("count: int", "count: list"), ("*count: int", "*count: str"), ("count, *, by=1", "count, *, by=2"),
            ("count, /, by=1", "count, /, by=2"), ("count, **by: int", "count, **by: str"), ("by, count='by'", "by, count='to'"),
        ),
    ),
    "kotlin": (
        "src/A.kt", "package shop\n\nfun bumpCounter(PARAMETERS) = 1\n",
        "src/B.kt", "package shop\n\nfun go() = bumpCounter(1, 2)\n",
        (
            ("count: Int, by: Int = 1", "count: Int, by: Int = 2"), ("count: Int", "count: List<Int>"), ("vararg count: Int", "vararg count: Long"),
            ('@Named("by") count: Int, by: Int', '@Named("by") count: Long, by: Int'),
            ('@Named("by") count: Int, by: Int', '@Named("by") count: Int, by: Long'), ("count: Int", "count: Int?"),
            ("crossinline count: () -> Int", "crossinline count: () -> Long"), ("noinline count: () -> Int", "count: () -> Int"),
        ),
    ),
    "csharp": (
        "A.cs", "namespace Shop;\n\npublic class A\n{\n    public static int BumpCounter(PARAMETERS) { return 1; }\n}\n",
        "B.cs", "namespace Shop;\n\npublic class B\n{\n    public int Go() { return A.BumpCounter(1, 2); }\n}\n",
        (
            ("int count, int by = 1", "int count, int by = 2"), ("int count", "int[] count"), ("ref int count", "int count"), ("params int[] count", "params long[] count"),
            ('[FromQuery(Name = "by")] int count, int by', '[FromQuery(Name = "by")] long count, int by'),
            ('[FromQuery(Name = "by")] int count, int by', '[FromQuery(Name = "by")] int count, long by'), ("string? count", "string count"), ("in int count", "out int count"),
            ("Dictionary<int, string> count", "Dictionary<int, long> count"),
        ),
    ),
    "java": (
        "src/A.java", "package shop;\n\npublic class A {\n    public static int bumpCounter(PARAMETERS) { return 1; }\n}\n",
        "src/B.java", "package shop;\n\npublic class B {\n    int go() { return A.bumpCounter(1, 2); }\n}\n",
        (("int count", "long count"), ("int... count", "long... count"), ('@Named("by") int count, int by', '@Named("by") long count, int by'), ("final Map<String, Integer> count", "final Map<String, Long> count")),
    ),
    "typescript": (
        "src/a.ts", "export function bumpCounter(PARAMETERS): number {\n  return 1;\n}\n",
        "src/b.ts", 'import { bumpCounter } from "./a";\n\nbumpCounter(1, 2);\n',
        (
            ("count: number, by = 1", "count: number, by = 2"), ("count: number", "count: string"), ("...count: number[]", "...count: string[]"),
            ("{ count = 1, by }: Props", "{ count = 2, by }: Props"), ("{ count, by }: Props", "{ count, by }: Other"), ("[count, by]: A", "[count, by]: B"),
            ("this: Window, count: number", "this: Document, count: number"),
        ),
    ),
    "go": (
        "shop/a.go", "package shop\n\nfunc BumpCounter(PARAMETERS) int {\n\treturn 1\n}\n",
        "shop/b.go", "package shop\n\nfunc Go() int {\n\treturn BumpCounter(1, 2)\n}\n",
        (("count int", "count string"), ("count, by int", "count, by string"), ("count ...int", "count ...string"), ("count map[string]int", "count map[string]bool"), ("int, string", "int, bool"), ("f func(int) bool", "f func(string) bool")),
    ),
    "rust": (
        "src/a.rs", "pub fn bump_counter(PARAMETERS) -> i32 {\n    1\n}\n",
        "src/lib.rs", "mod a;\n\nfn go() -> i32 {\n    a::bump_counter(1, 2)\n}\n",
        (("count: i32", "count: i64"), ("count: &str", "count: &mut str"), ("(count, by): (i32, i32)", "(count, by): (i32, i64)"), ("Point { x, y }: Point", "Point { x, y }: Other"), ("_: i32", "_: i64"), ("mut count: i32", "mut count: i64"), ("count: impl Fn(i32) -> bool", "count: impl Fn(i64) -> bool")),
    ),
    "cpp": (
        "a.hpp", "#pragma once\ninline int bump_counter(PARAMETERS) { return 1; }\n",
        "b.cpp", '#include "a.hpp"\nint go() { return bump_counter(1, 2); }\n',
        (
            ("int count, int by = 1", "int count, int by = 2"), ("[[maybe_unused]] int count", "[[maybe_unused]] long count"), ("const int &count", "int &count"),
            ("std::map<int, int> count", "std::map<int, long> count"), ("int &&count", "int &count"), ("auto... count", "int... count"),
        ),
    ),
}  # fmt: skip
CASES = [(language, old, new) for language, row in FORMS.items() for old, new in row[4]]


def _files(language: str, parameters: str) -> Files:
    path, text, *_ = FORMS[language]
    return {path: text.replace("PARAMETERS", parameters)}


@pytest.mark.parametrize(("language", "old", "new"), CASES)
def test_changed_parameter_type_default_or_form_lists_every_call(
    places: Places, language: str, old: str, new: str
) -> None:
    """A changed type, default, sigil, attribute, modifier or pattern of a parameter lists each call."""
    _, _, path, user, _ = FORMS[language]
    assert path in places({**_files(language, old), path: user}, _files(language, new))


SILENT: Mapping[str, tuple[str, str]] = {
    "php": ("int $count, $by = 1", "int  $count,\n    $by = 1"),
    "kotlin": ("count: Int, by: Int = 1", "count: Int, by: Int = 1, to: Int = 2"),
    "java": ("int count", "int amount"),
    "typescript": ("{ count, by }: Props", "{\n  count,\n  by,\n}: Props"),
    "go": ("count int", "amount int"),
    "rust": ("count: i32", "amount: i32"),
    "cpp": ("int count, int by = 1", "int amount, int by = 1"),
}  # fmt: skip


@pytest.mark.parametrize("language", SILENT)
def test_equivalent_parameter_change_affects_no_call(places: Places, language: str) -> None:
    """New line breaks, a new optional parameter, or a rename that no call uses affects no call."""
    _, _, path, user, _ = FORMS[language]
    old, new = SILENT[language]
    assert path not in places({**_files(language, old), path: user}, _files(language, new))
