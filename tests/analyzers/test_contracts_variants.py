"""A new variant of a type: who names each of the others and has no branch for the rest is open, and nobody else."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

CARGO = {"Cargo.toml": '[package]\nname = "s"\nversion = "0.1.0"\n', "src/lib.rs": "pub mod fault;\npub mod web;\n"}
RUST = "#[derive(Debug)]\npub enum Fault {\n    Disk(String),\n    Net { host: String },\n}\n"
RUST_NEW = "#[derive(Debug)]\npub enum Fault {\n    Disk(String),\n    Net { host: String },\n    Late,\n}\n"
WEB = "use crate::fault::Fault;\n\npub fn status(f: &Fault) -> u16 {\n    match f {\n        Fault::Disk(_) => 500,\n        Fault::Net { .. } => 502,\n    }\n}\n"
KOTLIN = "package m\n\nsealed interface Page {\n    object Wait : Page\n    data class Done(val n: Int) : Page\n}\n"
KOTLIN_NEW = KOTLIN.replace("    object Wait : Page\n", "    object Wait : Page\n    object Lost : Page\n")
SHOW = "package m\n\nfun show(page: Page) = when (page) {\n    Page.Wait -> 1\n    is Page.Done -> 2\n}\n"
SCALA = "package m\n\nsealed trait Pay\ncase class Card(n: Int) extends Pay\ncase class Coin(n: Int) extends Pay\n"
SCALA_NEW = SCALA + "case class Bank(n: Int) extends Pay\n"
FEE = "package m\n\nobject Fee {\n  def of(p: Pay): Int = p match {\n    case Card(n) => n\n    case Coin(n) => n\n  }\n}\n"
SWIFT, SWIFT_NEW = (
    "enum Pay {\n    case card\n    case coin\n}\n",
    "enum Pay {\n    case card\n    case bank\n    case coin\n}\n",
)
SWIFT_USER = (
    "func fee(_ pay: Pay) -> Int {\n    switch pay {\n    case .card: return 1\n    case .coin: return 2\n    }\n}\n"
)
CSHARP = "namespace S;\n\npublic enum Pay\n{\n    Card,\n    Coin,\n}\n"
CSHARP_NEW = CSHARP.replace("    Coin,\n", "    Coin,\n    Bank,\n")
CSHARP_USER = (
    "namespace S;\n\npublic class Fee\n{\n    public int Of(Pay p) => p switch { Pay.Card => 1, Pay.Coin => 2 };\n}\n"
)
PHP = {"composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}'}
PHP_OLD = "<?php\nnamespace App;\nenum Pay\n{\n    case Card;\n    case Coin;\n}\n"
PHP_NEW = PHP_OLD.replace("    case Coin;\n", "    case Coin;\n    case Bank;\n")
PHP_USER = "<?php\nnamespace App;\nclass Fee {\n    function of(Pay $p) { return match ($p) { Pay::Card => 1, Pay::Coin => 2 }; }\n}\n"
TS, TS_NEW = "export enum Pay {\n  Card,\n  Coin,\n}\n", "export enum Pay {\n  Card,\n  Coin,\n  Bank,\n}\n"
TS_USER = 'import { Pay } from "./pay";\n\nexport const FEES: Record<Pay, number> = {\n  [Pay.Card]: 1,\n  [Pay.Coin]: 2,\n};\n'
ROWS = {
    "rust": (CARGO, "src/fault.rs", RUST, RUST_NEW, "src/web.rs", WEB, 4),
    "kotlin": ({}, "Page.kt", KOTLIN, KOTLIN_NEW, "Show.kt", SHOW, 3),
    "scala": ({}, "Pay.scala", SCALA, SCALA_NEW, "Fee.scala", FEE, 4),
    "swift": ({}, "Pay.swift", SWIFT, SWIFT_NEW, "Fee.swift", SWIFT_USER, 2),
    "c#": ({}, "Pay.cs", CSHARP, CSHARP_NEW, "Fee.cs", CSHARP_USER, 5),
    "php": (PHP, "src/Pay.php", PHP_OLD, PHP_NEW, "src/Fee.php", PHP_USER, 4),
    "typescript": ({}, "pay.ts", TS, TS_NEW, "fees.ts", TS_USER, 3),
}


@pytest.mark.parametrize("language", ROWS)
def test_a_place_that_lacks_a_branch_is_open(repository: Repository, language: str) -> None:
    """It is open and nothing is proven of it."""
    more, path, before, after, user_path, user, line = ROWS[language]
    pull = repository.change({**more, path: before, user_path: user}, {path: after})

    assert look(pull) == []
    assert [(use.path, use.line) for use in open_uses(pull)] == [(user_path, line)]


@pytest.mark.parametrize(
    ("language", "written", "instead"),
    [
        ("rust", "Fault::Net { .. } => 502", "_ => 502"),
        ("rust", "Fault::Net { .. } => 502,", "Fault::Net { .. } => 502,\n        other => 1,"),
        ("rust", "Fault::Net { .. } => 502,", "Fault::Net { .. } => 502,\n        Fault::Late => 1,"),
        ("rust", "Fault::Net { .. } => 502,", "Fault::Net { .. } => 502,\n        ref rest => 1,"),
        ("rust", "Fault::Net { .. } => 502,", "Fault::Net { .. } => 502,\n        rest @ _ => 1,"),
        ("rust", "match f {", "if let Fault::Disk(_) = f {"),
        ("kotlin", "is Page.Done", "else"),
        ("kotlin", "is Page.Done -> 2", "is Page.Done -> 2\n    else -> 3"),
        ("scala", "case Coin(n)", "case _"),
        ("swift", "case .coin: return 2", "case .coin: return 2\n    default: return 3"),
        ("swift", "case .coin: return 2", "case .coin: return 2\n    case let other: return 3"),
        ("c#", "Pay.Coin => 2", "Pay.Coin => 2, _ => 3"),
        ("php", "Pay::Coin => 2", "Pay::Coin => 2, default => 3"),
        ("typescript", "Record<Pay, number>", "Partial<Record<Pay, number>>"),
    ],
)
def test_a_branch_for_the_rest_or_for_the_new_one_is_enough(
    repository: Repository, language: str, written: str, instead: str
) -> None:
    """So is a place that never named all of them."""
    more, path, before, after, user_path, user, _ = ROWS[language]
    assert written in user
    pull = repository.change({**more, path: before, user_path: user.replace(written, instead)}, {path: after})

    assert open_uses(pull) == ()
