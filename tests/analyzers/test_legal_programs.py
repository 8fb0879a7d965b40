"""Programs that compile after the change but were once reported as broken, and variants that do break."""

import pytest
from contract_findings import causes
from fakes import Repository

from bot.values import Verdict

Files = dict[str, str | bytes | None]
RUST: Files = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub mod order;\npub mod user;\n",
    "src/order.rs": "pub struct Order;\n\nimpl Order {\n    pub fn parse_index(&self) -> u32 {\n        1\n    }\n}\n",
    "src/user.rs": "use crate::order::Order;\npub fn index(order: &Order) -> u32 {\n    order.parse_index()\n}\n",
}
JAVA: Files = {
    "src/shop/a/Prices.java": "package shop.a;\npublic class Prices {\n    public static int total(int n) {\n        return n;\n    }\n}\n",
    "src/shop/u/User.java": (
        "package shop.u;\nimport static shop.a.Prices.total;\npublic class User {\n    int go() {\n        return total(1);\n    }\n}\n"
    ),
}
JAVA_BASE = "package shop.a;\npublic class Base {\n    public int handle(int a%s) {\n        return a;\n    }\n}\n"
JAVA_HEIR = "package shop.u;\nimport shop.a.Base;\npublic class Heir extends Base {\n%s    public int handle(int a) {\n        return a;\n    }\n}\n"
CPP: Files = {
    "a.h": "#pragma once\nnamespace a {\nint parse_share(int n = 0);\n}\n",
    "a.cc": '#include "a.h"\nnamespace a {\nint parse_share(int n) {\n    return n;\n}\n}\n',
    "b.h": "#pragma once\nnamespace b {\nint use();\n}\n",
    "b.cc": '#include "a.h"\n#include "b.h"\nnamespace b {\nusing namespace a;\nint use() {\n    return parse_share();\n}\n}\n',
}
CPP_BASE = "#pragma once\nclass Base {\npublic:\n    virtual int handle(int a%s) { return a; }\n};\n"
CPP_HEIR = '#include "base.h"\nclass Heir : public Base {\npublic:\n    int handle(int a)%s { return a; }\n};\n'
GO: Files = {
    "go.mod": "module shop\n",
    "a/a.go": "package a\n\nconst Red = 1\n",
    "u/u.go": 'package u\n\nimport "shop/a"\n\nvar Color = a.Red\n',
}
TS_BASE = "export class Base {\n  handle(%s) {\n    return 1;\n  }\n}\n"
TS_HEIR = 'import { Base } from "./base";\n\nexport class Heir extends Base {\n  handle(%s) {\n    return 2;\n  }\n}\n'
SHIP_AND_CLASS = (
    'import { Ship } from "./ship"\n\nexport interface P {\n  stop(): number\n}\n'
    "export class P implements Ship {\n  go() {\n    return 1\n  }\n}\n"
)
MORE = ", int b"
LEGAL: dict[str, tuple[Files, Files]] = {
    "a macro makes the method it is given the name of": (
        RUST,
        {
            "src/order.rs": (
                "macro_rules! getters {\n    ($name:ident) => {\n        pub fn $name(&self) -> u32 {\n            1\n        }\n    };\n}\n\n"
                "pub struct Order;\n\nimpl Order {\n    getters!(parse_index);\n}\n"
            )
        },
    ),
    "a macro pastes the name of the method": (
        RUST,
        {
            "src/order.rs": "pub struct Order;\n\nimpl Order {\n    paste::paste! { pub fn [<parse_ index>](&self) -> u32 { 1 } }\n}\n"
        },
    ),
    "a static method is inherited from a new base": (
        JAVA,
        {
            "src/shop/a/Prices.java": "package shop.a;\npublic class Prices extends PricesBase {\n}\n",
            "src/shop/a/PricesBase.java": (
                "package shop.a;\npublic class PricesBase {\n    public static int total(int n) {\n        return n;\n    }\n}\n"
            ),
        },
    ),
    "a method without @Override becomes an overload": (
        {"src/shop/a/Base.java": JAVA_BASE % "", "src/shop/u/Heir.java": JAVA_HEIR % ""},
        {"src/shop/a/Base.java": JAVA_BASE % MORE},
    ),
    "a method without override hides the base's": (
        {"base.h": CPP_BASE % "", "heir.cc": CPP_HEIR % ""},
        {"base.h": CPP_BASE % MORE},
    ),
    "a macro declares the function": (
        CPP,
        {
            "a.h": "#pragma once\n#define DECLARE(name) inline int name(int n = 0) { return n; }\nnamespace a {\nDECLARE(parse_share)\n}\n",
            "a.cc": None,
        },
    ),
    "a function with a default argument moves to another source and header": (
        CPP,
        {
            "a.h": "#pragma once\n",
            "a.cc": None,
            "b.h": "#pragma once\nnamespace b {\nint use();\nint parse_share(int n = 0);\n}\n",
            "b.cc": '#include "b.h"\nnamespace b {\nint parse_share(int n) {\n    return n;\n}\nint use() {\n    return parse_share();\n}\n}\n',
        },
    ),
    "a method requires what is optional in its base": (
        {"src/base.ts": TS_BASE % "a: number", "src/heir.ts": TS_HEIR % "a: number"},
        {"src/base.ts": TS_BASE % "a = 0, b = 0"},
    ),
    "a constant is the second of its line": (
        GO,
        {"a/a.go": "package a\n\nconst (\n\tBlue, Red = iota, iota + 1\n)\n"},
    ),
    "a macro makes a method of the name that a renamed one had": (
        {
            **RUST,
            "src/order.rs": "pub struct Order;\n\nimpl Order {\n    pub fn check(&self, code: u32) -> u32 {\n        code\n    }\n}\n",
            "src/user.rs": "use crate::order::Order;\n\npub fn index(order: &Order) -> u32 {\n    order.check(1)\n}\n",
        },
        {
            "src/order.rs": "macro_rules! methods {\n    ($name:ident) => {\n        pub fn $name(&self, code: u32) -> u32 {\n            code\n        }\n    };\n}\n\npub struct Order;\n\nimpl Order {\n    pub fn load(&self, code: u32) -> u32 {\n        code\n    }\n\n    methods!(check);\n}\n"
        },
    ),
    "attributes say a word that the file imported": (
        {
            "Cargo.toml": RUST["Cargo.toml"],
            "src/lib.rs": "#![cfg_attr(not(test), warn(missing_docs))]\n\n#[cfg(test)]\nuse macros::private_test as test;\n\n#[cfg(all(test, unix))]\nmod tests {\n    #[test]\n    fn t() {}\n}\n",
        },
        {
            "src/lib.rs": "#![cfg_attr(not(test), warn(missing_docs))]\n\n#[cfg(all(test, unix))]\nmod tests {\n    #[test]\n    fn t() {}\n}\n"
        },
    ),
    "a class body makes the method through locals()": (
        {
            "shop.py": "class Order:\n    def total_of(self):\n        return 1\n",
            "use.py": "from shop import Order\n\nprint(Order().total_of())\n",
        },
        {"shop.py": 'class Order:\n    for name in ("total_of",):\n        locals()[name] = lambda self: 1\n'},
    ),
    "an interface of the same name adds the member to the class": (
        {
            "src/ship.ts": "export interface Ship {\n  go(): number\n}\n",
            "src/p.ts": SHIP_AND_CLASS,
        },
        {"src/ship.ts": "export interface Ship {\n  go(): number\n  stop(): number\n}\n"},
    ),
}
BROKEN: dict[str, tuple[Files, Files]] = {
    "a method with @Override": (
        {"src/shop/a/Base.java": JAVA_BASE % "", "src/shop/u/Heir.java": JAVA_HEIR % "    @Override\n"},
        {"src/shop/a/Base.java": JAVA_BASE % MORE},
    ),
    "a method with override": (
        {"base.h": CPP_BASE % "", "heir.cc": CPP_HEIR % " override"},
        {"base.h": CPP_BASE % MORE},
    ),
    "a method that requires more than its base offers": (
        {"src/base.ts": TS_BASE % "a: number, b: number", "src/heir.ts": TS_HEIR % "a: number, b: number"},
        {"src/base.ts": TS_BASE % "a: number"},
    ),
    "a function that loses its default argument": (
        CPP,
        {"a.h": "#pragma once\nnamespace a {\nint parse_share(int n);\n}\n"},
    ),
    "a call of what the file imported": (
        {
            "Cargo.toml": RUST["Cargo.toml"],
            "src/lib.rs": "use macros::private_test as test;\n\npub fn f() {\n    test();\n}\n",
        },
        {"src/lib.rs": "pub fn f() {\n    test();\n}\n"},
    ),
    "a method that nothing makes": (
        RUST,
        {"src/order.rs": "pub struct Order;\n\nimpl Order {\n    pub fn other(&self) -> u32 {\n        1\n    }\n}\n"},
    ),
}


def proven(repository: Repository, base: Files, change: Files) -> list[str]:
    """Return the titles of the proven findings."""
    pull = repository.change(base, change)
    return [finding.title for finding in causes(pull) if finding.verdict == Verdict.PROVEN]


@pytest.mark.parametrize("case", LEGAL)
def test_program_that_still_compiles_has_no_proven_finding(repository: Repository, case: str) -> None:
    """A program that still compiles after the change has no proven finding."""
    assert proven(repository, *LEGAL[case]) == []


@pytest.mark.parametrize("case", BROKEN)
def test_variant_that_no_longer_compiles_is_proven_broken(repository: Repository, case: str) -> None:
    """Without the part that keeps the program valid, the same change is proven to break."""
    assert len(proven(repository, *BROKEN[case])) == 1
