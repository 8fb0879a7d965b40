"""Text that is built to be slow takes a language only linear time."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import growth
import pytest
from families import few

from deeprepo.impact import resolving
from deeprepo.impact.language import language_of, leading
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.resolving.importers import Project

SIZE = 20_000

CONFIGS = {
    "go.mod": ("go", ["module x\n{\n}", "module x\nreplace {a }", "use ({a\n}"]),
    "tsconfig.json": ("javascript", ['{"a": "{\\"}', '{"a": {,}', "{{/*}", '{"a": 1,{ }']),
    "package.json": ("javascript", ['{{"exports":}1', "{[}"]),
    "Cargo.toml": ("rust", ["[a]\n{a.}a = 1\n", "a = {[}", "{[[a]]\n}"]),
    "a.csproj": ("csharp", ["<Project>\n{\n}", "{<Using }"]),
    "composer.json": ("php", ["{[}"]),
}
SOURCES = {
    "python": ("a.py", ["{\n}", "{from a import (\n}", "{>>> from a import (\n}", "x = {a.}a", "{import }", "{f(1)\n}", "x = '{\\'}"]),
    "javascript": ("a.js", ["{\n}", "{import }", "{import {}", "{const {}", "{import(/*}", "{import<}", '{"x";}', "{/*}"]),
    "jvm": ("A.java", ["{\n}", "{import a;\n}", "{import }", "{@a }", "{/*}", "{w}"]),
    "csharp": ("A.cs", ["{\n}", "x{ }", "{using a;\n}", "{#}"]),
    "cfamily": ("a.c", ["{\n}", '{#include "b.h"\n}', "{a }", "{#ifdef __cplusplus\n}"]),
    "go": ("a.go", ["package a\n{\n}", "package a\n{`}", '{import "a"\n}', 'import "a"\n{w}']),
    "rust": ("a.rs", ["{\n}", "{use {}", "{a::}"]),
    "php": ("a.php", ["<?php\n{\n}", "<?php\n{catch(}", "<?php\n{require(}", "<?php\n{\\A}"]),
    "ruby": ("a.rb", ["{\n}", "{require 'a'\n}", "{require }", "{begin\nrequire 'a'}", "{A}", "{A::}", "{x,}"]),
}  # fmt: skip


def _made(form: str, size: int) -> bytes:
    """Return `before{unit}after`, with the unit repeated until the text has about this size."""
    before, _, rest = form.partition("{")
    unit, _, after = rest.rpartition("}")
    return (before + unit * (size // len(unit)) + after).encode()


def _imports(project: Project, path: str, text: bytes) -> object:
    with suppress(Unreadable):
        return project.links(path, text)
    return ()


def _grows(act: Callable[[Any], object], form: str, size: int = SIZE) -> str:
    found = growth.slow(lambda factor: partial(act, _made(form, size * factor)))
    return f"{form!r}: {found}" if found else ""


@pytest.mark.parametrize("name", CONFIGS)
def test_configuration_file_is_parsed_in_linear_time(name: str) -> None:
    """The time for blank lines, unclosed strings and deep nesting is linear in the file's length."""
    language, forms = CONFIGS[name]
    path = SOURCES[language][0]
    assert not [
        slow
        for form in forms
        if (slow := _grows(lambda text: resolving.project(leading(language), {path}, {name: text}), form, 15_000))
    ]


@pytest.mark.parametrize("most", [2, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("language", few(SOURCES, 0, 1))
def test_source_file_is_parsed_in_linear_time(language: str, most: int | None) -> None:
    """The time for imports, definitions and references is linear in the file's length."""
    path, forms = SOURCES[language][0], SOURCES[language][1][:most]
    project = resolving.project(leading(language), {path, "b.h"}, {})
    acts: list[Callable[[bytes], object]] = [
        lambda text: _imports(project, path, text),
        lambda text: resolving.outline(path, text, "head"),
        lambda text: resolving.uses(path, text, {"a", "f"}),
    ]
    assert not [slow for form in forms for act in acts if (slow := _grows(act, form, 4_000))]


CHAINS = {"a.py": "x = (a«»)", "a.rs": "fn g() { a«» }", "a.js": "x = a«»;", "A.kt": "fun g() { a«» }"}
CALLS = 400


@pytest.mark.parametrize("path", few(CHAINS, 0, 2))
def test_call_chain_is_resolved_in_linear_time(path: str) -> None:
    """Each call contains the ones before it, but its value is derived from the previous call only."""
    language = language_of(path)
    assert language is not None
    before, _, after = CHAINS[path].partition("«»")
    chain, apart = before + "\n.f()" * CALLS + after, "\n".join([before + ".f()" + after] * CALLS)

    def seconds(text: str) -> float:
        return growth.seconds(lambda: resolving.uses(path, text.encode(), {"a", "f"}), 1)

    seconds(before + after)  # compiles the queries
    assert seconds(chain) < 8 * seconds(apart)
