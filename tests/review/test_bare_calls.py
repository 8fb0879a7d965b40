"""Calls without parentheses or a dot: infix calls, operators, commands and tagged templates."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

KOTLIN = "package shop\n\nclass A {\n    infix fun combineWith(o: A): A {\n        return o\n    }\n}\n"
KOTLIN_USE = "package shop\n\nfun go(a: A, b: A): A = a combineWith b\n"
EXTENSION = "package shop\n\ninfix fun A.combineWith(o: A): A {\n    return o\n}\n"
SCALA = "package shop\n\nclass A {\n  def combineWith(o: A): A = {\n    o\n  }\n}\n"
RIGHT = "package shop\n\nclass A {\n  def combine_:(o: A): A = {\n    o\n  }\n}\n"
MONEY_EXTENSION = "package shop\n\noperator fun Money.plus(o: Money): Money {\n    return o\n}\n"
MONEY_CLASS = "package shop\n\nclass Money\n"
RUBY = "class Cart\n  def combine_with(other, by = 1)\n    other\n  end\nend\n"
CASES: Mapping[str, tuple[Files, tuple[str, str, str], str]] = {
    "kotlin parameter": ({"s/A.kt": KOTLIN, "s/B.kt": KOTLIN_USE}, ("s/A.kt", "(o: A)", "(o: Int)"), "s/B.kt"),
    "kotlin result": ({"s/A.kt": KOTLIN, "s/B.kt": KOTLIN_USE}, ("s/A.kt", "): A {", "): A? {"), "s/B.kt"),
    "kotlin no infix": ({"s/A.kt": KOTLIN, "s/B.kt": KOTLIN_USE}, ("s/A.kt", "infix fun", "fun"), "s/B.kt"),
    "kotlin chain": ({"s/A.kt": KOTLIN, "s/B.kt": "package shop\n\nfun go(a: A, b: A): A = a combineWith b combineWith A() combineWith b\n"}, ("s/A.kt", "): A {", "): A? {"), "s/B.kt"),
    "kotlin extension": ({"s/A.kt": EXTENSION, "s/C.kt": "package shop\n\nclass A\n", "s/B.kt": KOTLIN_USE}, ("s/A.kt", "(o: A)", "(o: Int)"), "s/B.kt"),
    "scala": ({"s/A.scala": SCALA, "s/B.scala": "package shop\n\nobject B {\n  def go(a: A, b: A): A = a combineWith b\n}\n"}, ("s/A.scala", "(o: A)", "(o: Int)"), "s/B.scala"),
    "scala to the right": ({"s/A.scala": RIGHT, "s/B.scala": "package shop\n\nobject B {\n  def go(n: Z, a: A): A = n combine_: a\n}\n"}, ("s/A.scala", "(o: A)", "(o: Int)"), "s/B.scala"),
    "scala block": ({"s/A.scala": SCALA, "s/B.scala": "package shop\n\nobject B {\n  def go(a: A, b: A): A = a combineWith { b }\n}\n"}, ("s/A.scala", "(o: A)", "(o: Int)"), "s/B.scala"),
    "ruby command": ({"cart.rb": RUBY, "use.rb": 'require_relative "cart"\nclass Use\n  def go(cart)\n    cart.combine_with 1\n  end\nend\n'}, ("cart.rb", "by = 1", "by = 2"), "use.rb"),
    "swift closure": ({"Sources/App/A.swift": "func combineWith(_ run: (Int) -> Int) -> Int {\n    return run(1)\n}\n", "Sources/App/B.swift": "func go() -> Int {\n    return combineWith { $0 }\n}\n"}, ("Sources/App/A.swift", "(Int) -> Int)", "(String) -> Int)"), "Sources/App/B.swift"),
    "kotlin closure": ({"s/A.kt": "package shop\n\nfun combineWith(run: (Int) -> Int): Int {\n    return run(1)\n}\n", "s/B.kt": "package shop\n\nfun go() = combineWith { it }\n"}, ("s/A.kt", "(Int) -> Int)", "(String) -> Int)"), "s/B.kt"),
    "lua table": ({"a.lua": "local M = {}\nfunction M.combine_with(text)\n  return text\nend\nreturn M\n", "b.lua": 'local A = require("a")\nprint(A.combine_with { 1 })\n'}, ("a.lua", "(text)", "(other, text)"), "b.lua"),
    "elixir bare": ({"lib/a.ex": "defmodule A do\n  def combine_with(a, by \\\\ 1) do\n    a\n  end\nend\n", "lib/b.ex": "defmodule B do\n  def go(a) do\n    A.combine_with a\n  end\nend\n"}, ("lib/a.ex", "by \\\\ 1", "by \\\\ 2"), "lib/b.ex"),
    "elixir pipe": ({"lib/a.ex": "defmodule A do\n  def combine_with(a, by \\\\ 1) do\n    a\n  end\nend\n", "lib/b.ex": "defmodule B do\n  import A\n  def go(a), do: a |> combine_with\nend\n"}, ("lib/a.ex", "by \\\\ 1", "by \\\\ 2"), "lib/b.ex"),
    "javascript tag": ({"src/a.ts": "export function combineWith(parts: string[]): string {\n  return parts[0];\n}\n", "src/b.ts": 'import { combineWith } from "./a";\n\nexport const b = combineWith`x`;\n'}, ("src/a.ts", "): string {", "): string | null {"), "src/b.ts"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_call_without_parentheses_or_a_dot_is_reported(places: Places, case: str) -> None:
    """A call without parentheses or a dot is reported if its parameter's or result's type changes."""
    before, (path, old, new), user = CASES[case]
    text = before[path] or ""
    assert old in text
    assert user in places(before, {path: text.replace(old, new)})


SILENT: Mapping[str, tuple[Files, tuple[str, str, str], str]] = {
    "kotlin body": ({"s/A.kt": KOTLIN, "s/B.kt": KOTLIN_USE}, ("s/A.kt", "return o", "return this"), "s/B.kt"),
    "kotlin other class": ({"s/A.kt": KOTLIN, "s/C.kt": KOTLIN.replace("A", "C"), "s/B.kt": "package shop\n\nfun go(a: C, b: C): C = a combineWith b\n"}, ("s/A.kt", "(o: A)", "(o: Int)"), "s/B.kt"),
    "kotlin variable": ({"s/A.kt": KOTLIN, "s/B.kt": "package shop\n\nfun go(combineWith: Int) = combineWith to 1\n"}, ("s/A.kt", "(o: A)", "(o: Int)"), "s/B.kt"),
    "kotlin other operator": ({"s/A.kt": MONEY_EXTENSION, "s/C.kt": MONEY_CLASS, "s/B.kt": "package shop\n\nfun go(a: Int, b: Int) = a + b\n"}, ("s/A.kt", "(o: Money)", "(o: Int)"), "s/B.kt"),
    "scala other class": ({"s/A.scala": SCALA, "s/C.scala": SCALA.replace("A", "C"), "s/B.scala": "package shop\n\nobject B {\n  def go(a: C, b: C): C = a combineWith b\n}\n"}, ("s/A.scala", "(o: A)", "(o: Int)"), "s/B.scala"),
}  # fmt: skip


@pytest.mark.parametrize("case", SILENT)
def test_infix_call_on_another_class_is_not_reported(places: Places, case: str) -> None:
    """An infix call on another class, or of another operator, is not reported."""
    before, (path, old, new), user = SILENT[case]
    text = before[path] or ""
    assert old in text
    assert user not in places(before, {path: text.replace(old, new)})
