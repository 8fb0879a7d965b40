"""A forgotten caller is reported in every language without a model, as the README promises."""

import pytest
from small_changes import ByCode, Files

from bot.sections.overlooked import OVERLOOKED

JVM = "package shop\n\n"
# language -> files before, the file in which `total_price` is renamed, the forgotten caller, its line
CASES: dict[str, tuple[Files, str, str, int]] = {
    "python": (
        {"lib.py": "def total_price(a):\n    return a\n", "app.py": "from lib import total_price\n\nprint(total_price(1))\n"},
        "lib.py", "app.py", 3,
    ),
    "javascript": (
        {"lib.js": "export function total_price(a) { return a }\n", "app.js": "import { total_price } from './lib.js'\n\nconsole.log(total_price(1))\n"},
        "lib.js", "app.js", 3,
    ),
    "typescript": (
        {"lib.ts": "export function total_price(a: number) { return a }\n", "app.ts": "import { total_price } from './lib'\n\nconsole.log(total_price(1))\n"},
        "lib.ts", "app.ts", 3,
    ),
    "vue": (
        {"lib.ts": "export function total_price(a: number) { return a }\n", "App.vue": "<script setup lang=\"ts\">\nimport { total_price } from './lib'\nconst a = total_price(1)\n</script>\n<template><p>{{ a }}</p></template>\n"},
        "lib.ts", "App.vue", 3,
    ),
    "svelte": (
        {"lib.js": "export function total_price(a) { return a }\n", "App.svelte": "<script>\nimport { total_price } from './lib.js'\nconst a = total_price(1)\n</script>\n<p>{a}</p>\n"},
        "lib.js", "App.svelte", 3,
    ),
    "go": (
        {"go.mod": "module example.com/m\n\ngo 1.21\n", "lib/lib.go": "package lib\n\nfunc Total_price(a int) int { return a }\n", "main.go": 'package main\n\nimport "example.com/m/lib"\n\nfunc main() { println(lib.Total_price(1)) }\n'},
        "lib/lib.go", "main.go", 5,
    ),
    "rust": (
        {"Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": "pub mod rates;\npub mod till;\n", "src/rates.rs": "pub fn total_price(a: u32) -> u32 {\n    a\n}\n", "src/till.rs": "use crate::rates::total_price;\n\npub fn till() -> u32 {\n    total_price(1)\n}\n"},
        "src/rates.rs", "src/till.rs", 4,
    ),
    "java": (
        {"src/shop/Rates.java": "package shop;\n\npublic class Rates {\n    public static int total_price(int a) { return a; }\n}\n", "src/shop/Till.java": "package shop;\n\npublic class Till {\n    int till() { return Rates.total_price(1); }\n}\n"},
        "src/shop/Rates.java", "src/shop/Till.java", 4,
    ),
    "kotlin": (
        {"src/Rates.kt": f"{JVM}fun total_price(a: Int): Int = a\n", "src/Till.kt": f"{JVM}fun till(): Int = total_price(1)\n"},
        "src/Rates.kt", "src/Till.kt", 3,
    ),
    "scala": (
        {"src/Rates.scala": f"{JVM}object Rates {{\n  def total_price(a: Int): Int = a\n}}\n", "src/Till.scala": f"{JVM}object Till {{\n  def till: Int = Rates.total_price(1)\n}}\n"},
        "src/Rates.scala", "src/Till.scala", 4,
    ),
    "c#": (
        {"Rates.cs": "namespace Shop;\n\npublic static class Rates\n{\n    public static int total_price(int a) => a;\n}\n", "Till.cs": "namespace Shop;\n\npublic class Till\n{\n    public int Sum() => Rates.total_price(1);\n}\n"},
        "Rates.cs", "Till.cs", 5,
    ),
    "c": (
        {"rates.h": "int total_price(int a);\n", "till.c": '#include "rates.h"\n\nint till(void) { return total_price(1); }\n'},
        "rates.h", "till.c", 3,
    ),
    "c++": (
        {"rates.hpp": "inline int total_price(int a) { return a; }\n", "till.cpp": '#include "rates.hpp"\n\nint till() { return total_price(1); }\n'},
        "rates.hpp", "till.cpp", 3,
    ),
    "ruby": (
        {"lib/rates.rb": "module Rates\n  def self.total_price(a)\n    a\n  end\nend\n", "lib/till.rb": "require_relative 'rates'\n\nputs Rates.total_price(1)\n"},
        "lib/rates.rb", "lib/till.rb", 3,
    ),
    "php": (
        {"src/Rates.php": "<?php\n\nnamespace Shop;\n\nclass Rates\n{\n    public static function total_price(int $a): int { return $a; }\n}\n", "src/Till.php": "<?php\n\nnamespace Shop;\n\nfunction till(): int { return Rates::total_price(1); }\n"},
        "src/Rates.php", "src/Till.php", 5,
    ),
    "elixir": (
        {"lib/rates.ex": "defmodule Rates do\n  def total_price(a), do: a\nend\n", "lib/till.ex": "defmodule Till do\n  def till, do: Rates.total_price(1)\nend\n"},
        "lib/rates.ex", "lib/till.ex", 2,
    ),
    "lua": (
        {"rates.lua": "local M = {}\nfunction M.total_price(a) return a end\nreturn M\n", "till.lua": 'local rates = require("rates")\nprint(rates.total_price(1))\n'},
        "rates.lua", "till.lua", 2,
    ),
    "swift": (
        {"Sources/Shop/Rates.swift": "func total_price(a: Int) -> Int { return a }\n", "Sources/Shop/Till.swift": "func till() -> Int { return total_price(a: 1) }\n"},
        "Sources/Shop/Rates.swift", "Sources/Shop/Till.swift", 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", CASES)
def test_forgotten_caller_is_reported(by_code: ByCode, language: str) -> None:
    """A finding, or a hint in the list, has the caller's line, although the diff doesn't contain that file."""
    before, changed, caller, line = CASES[language]
    after = before[changed].replace("total_price", "net_price").replace("Total_price", "Net_price")
    review = by_code(before, {changed: after})
    findings = [placed.finding for placed in review.reported]
    places = {(one.path, one.start) for one in findings}
    places |= {(proof.path, proof.line) for one in findings for proof in one.evidence}
    places |= {(row.path, row.line) for row in OVERLOOKED.of(review)}
    assert (caller, line) in places
