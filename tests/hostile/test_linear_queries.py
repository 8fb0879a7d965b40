"""No query keeps more matches open for a longer row; many open matches make a query slow.

Tree-sitter compares each node with every open match. With a fixed number of matches, a query takes linear
time on any machine.
"""

from collections.abc import Iterator

import pytest
from tree_sitter import QueryCursor

from deeprepo.impact import table
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.parsing import root_of
from deeprepo.impact.reading import reader
from deeprepo.impact.reading.matching import UNFINISHED
from deeprepo.impact.values import Definition

LENGTH = 1_000  # of a row

# Rows as in generated or hostile code. The marks « and » enclose the repeated part.
ROWS = {
    "a.c": ["int «a, »b;", "void f(«int a, »int b);", "void g() { f(«a, »b); }", "enum E { «A,\n»Z };", '«#include "b.h"\n»'],
    "a.cpp": ["«[[a]] »void f();", "template <«class A, »class B> void f();", "class C : «A, »B {};", "class C { «virtual »void f(); };"],
    "A.cs": ["«[A]\n»class C {}", "«[A]\n»partial class C { void F() {} }", "class C { «public »void F() {} }", "class C { void F() { G(«a, »b); } }", "«using A;\n»", "class C : «A, »B {}"],
    "a.ex": ["defmodule A do\n«@impl true\n»def f, do: 1\nend", "f(«a, »b)", "alias A.{«B, »C}", "x = %A{«a: 1, »b: 2}"],
    "a.go": ["package a\nvar «a, »b T", "package a\nvar «a, »b []T", "package a\nvar «_, »b T = A{}", "package a\nfunc f(«a, »b int) {}", "package a\nfunc f() { «a, »b := c }", "package a\nvar x = A{ «b: c, »d: e }"],
    "A.java": ["«@A »class C {}", "class C { «@A(b = 1) »void f() {} }", "class C { void f(«@A »int x) {} }", "class C { «public »void f() {} }", "class C { int «a, »b; }", "class C implements «A, »B {}", "«import a.b;\n»"],
    "a.js": ["«@a »class C {}", "class C { «@a() »f() {} }", "export { «a, »b } from 'a';", "export { «a as b, »c };", "import { «a as b, »c } from 'a';", "const { «a, »b } = require('a');", "f(«a, »b);", "module.exports = { «a, »b };"],
    "A.kt": ["«@A »class C", "class C { «@A »fun f() {} }", "class C(«val a: Int, »val b: Int)", "«public »fun f() {}", "fun f() { g(«a = b, »c = d) }", "«import a.b\n»"],
    "a.lua": ["«a, »b = 1", "local «a, »b = require('a')", "f(«a, »b)", "x = {«a = 1, »b = 2}"],
    "a.php": ["<?php\n«#[A]\n»function f() {}", "<?php\nclass C { «#[A] »public function f() {} }", "<?php\nuse A\\{«B, »C};", "<?php\nf(«$a, »$b);", "<?php\nclass C { public «$a, »$b; }"],
    "a.py": ["«@a\n»def f(): pass", "«@a(b=1)\n»class C(A): pass", "«@dataclass\n»class C:\n a: int\n b: int = 1", "class C(ABC):\n« @abstractmethod\n» def f(self): pass", "class C(«a=b, »metaclass=d):\n x = 1", "class C(«A, »B): pass", "from a import («b, »c)", "type(«a, »b)"],
    "a.rb": ["f «a, »b", "private «:a, »:b", "def f(«a, »b); end", "class A\n«attr_reader :a\n»end"],
    "a.rs": ["«#[a]\n»fn f() {}", "«#[a(b)]\n»struct S { c: i32 }", '«#[path = "a"]\n»mod a;', "«#[cfg(a)]\n»fn f() {}", "«#[a] // b\n»fn f() {}", "struct S { «#[cfg(a)] »a: i32 }", "trait T { «#[a] »fn f(); }", "use a::{«b, »c};", "S { «a: b, »c }"],
    "A.scala": ["«@a »class C", "class C { «@a »def f() = 1 }", "«private »class C(a: Int)", "import a.{«b, »c}", "class C(«a: Int, »b: Int)"],
    "a.swift": ["«@a »class C {}", "«@a\n»func f() {}", "func f(«a: Int, »b: Int) {}", "«private »extension A { func f() {} }", "enum E { case «a, »b }"],
    "a.ts": ["«@a »class C {}", "class C { f(«@a »x) {} }", "export type { «a, »b } from 'a';", "import type { «a, »b } from 'a';", "interface A { «a: b;\n»}", "type A = «B | »C;"],
    "a.tsx": ["x = <a «b={c} »/>;", "x = <a>«<b/>»</a>;", "export { «a, »b } from 'a';"],
}  # fmt: skip


def _queries(language: Language) -> list[str]:
    """Return the names of the queries in a language's folder."""
    return sorted(file.stem for file in (table.FOLDERS[0] / language.folder).glob("*.scm"))


def _waiting(language: Language, code: bytes) -> Iterator[str]:
    """Yield the queries that keep more matches open for this code than the first limit allows."""
    root = root_of(language.grammar, language.code(code) if language.code else code)
    assert root is not None
    for name in _queries(language):
        for word in language.texts(name):
            if query := language.query((name,), word):
                cursor = QueryCursor(query.query, match_limit=UNFINISHED[0])
                cursor.matches(root)
                if cursor.did_exceed_match_limit:
                    yield name


@pytest.mark.parametrize("path", ROWS)
def test_longer_row_keeps_no_more_matches_open(path: str) -> None:
    """No query for a language exceeds the smallest limit on a row with a thousand repetitions."""
    language = language_of(path)
    assert language is not None
    waiting = []
    for form in ROWS[path]:
        before, _, rest = form.partition("«")
        unit, _, after = rest.partition("»")
        waiting += [
            f"{form!r}: {name}" for name in _waiting(language, (before + unit * LENGTH + after + "\n").encode())
        ]
    assert not waiting


def test_every_language_has_rows() -> None:
    """Every language has rows of attributes, lists and imports in this test."""
    tested = {language.folder for path in ROWS if (language := language_of(path))}
    assert set(table.folders()) <= tested


def _class(code: bytes) -> Definition:
    """Return the class `P` in a Python file."""
    python = language_of("a.py")
    assert python is not None
    facts = reader.facts(python, code)
    assert facts is not None
    (found,) = [one for one in facts.definitions if one.name == "P"]
    return found
