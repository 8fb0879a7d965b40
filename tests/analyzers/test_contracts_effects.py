"""The consequence in a contract finding matches what happens in that language."""

import pytest
from contract_findings import look
from fakes import Repository

Files = dict[str, str]
GO: tuple[Files, Files] = (
    {
        "go.mod": "module shop\n\ngo 1.22\n",
        "rates/rates.go": "package rates\n\nfunc Quote(w int) int {\n\treturn w\n}\n",
        "main.go": 'package main\n\nimport "shop/rates"\n\nfunc main() {\n\tprintln(rates.Quote(1))\n}\n',
    },
    {"rates/rates.go": "package rates\n\nfunc Price(w int) int {\n\treturn w\n}\n"},
)
RUST: tuple[Files, Files] = (
    {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
        "src/main.rs": "mod rates;\n\nfn main() {\n    let _ = rates::quote(1);\n}\n",
        "src/rates.rs": "pub fn quote(w: u32) -> u32 {\n    w\n}\n",
    },
    {"src/rates.rs": "pub fn price(w: u32) -> u32 {\n    w\n}\n"},
)
C: tuple[Files, Files] = (
    {
        "rates.h": "int quote(int w);\n",
        "rates.c": '#include "rates.h"\n\nint quote(int w) {\n    return w;\n}\n',
        "main.c": '#include "rates.h"\n\nint main(void) {\n    return quote(1);\n}\n',
    },
    {"rates.h": "int price(int w);\n", "rates.c": '#include "rates.h"\n\nint price(int w) {\n    return w;\n}\n'},
)
PYTHON: tuple[Files, Files] = (
    {"rates.py": "def quote(w):\n    return w\n", "main.py": "import rates\n\nprint(rates.quote(1))\n"},
    {"rates.py": "def price(w):\n    return w\n"},
)
SCRIPT: tuple[Files, Files] = (
    {
        "rates.js": "export function quote() {}\n",
        "main.js": 'import * as rates from "./rates.js";\n\nconst ask = rates.quote;\n',
    },
    {"rates.js": "export function price() {}\n"},
)


@pytest.mark.parametrize(
    ("change", "effect"),
    [
        (GO, "The file no longer compiles."),
        (RUST, "The file no longer compiles."),
        (C, "The file no longer compiles, or the program no longer links."),
        (PYTHON, "This line raises AttributeError when it runs."),
        (SCRIPT, "This line fails, or reads `undefined`, whenever it runs."),
    ],
    ids=["go", "rust", "c", "python", "javascript"],
)
def test_described_effect_matches_the_language(
    repository: Repository, change: tuple[Files, Files], effect: str
) -> None:
    """The effect is a compile error, a Python exception, or `undefined` in JavaScript."""
    found = look(repository.change(*change))
    assert {finding.consequence for finding in found} == {effect}


def test_kotlin_override_of_nothing_is_reported_as_a_compile_error(repository: Repository) -> None:
    """A Kotlin `override` that no longer overrides anything is reported as a compile error."""
    base = "open class Rate {\n    open fun quote(weight: Int): Int = weight\n}\n"
    heir = "class Fast : Rate() {\n    override fun quote(weight: Int): Int = weight\n}\n"
    after = base.replace("weight: Int)", "weight: Int, zone: Int)")
    (kotlin,) = look(repository.change({"Rate.kt": base, "Fast.kt": heir}, {"Rate.kt": after}))
    assert kotlin.consequence == "The file no longer compiles: this method no longer overrides anything."
