import re

import pytest
from contract_findings import look, uses
from fakes import Repository
from families import few

# language -> (file, its text with the visibility left open, what goes, the private word, the public one, a file elsewhere that says the name)
LANGUAGES = {
    "java": (
        "a/Shop.java",
        "package a;\n\npublic class Shop {{\n  {} static int firstPrice(long x) {{ return 1; }}\n\n  int go() {{ return 1; }}\n}}\n",
        "private",
        "public",
        {"b/Till.java": "package b;\n\nimport a.Shop;\n\nclass Till {\n  int pay(Other shop) { return shop.firstPrice(1); }\n}\n"},
    ),
    "kotlin": (
        "a/Shop.kt",
        "package a\n\nclass Shop {{\n  {} fun firstPrice(x: Long): Int {{ return 1 }}\n\n  fun go() = 1\n}}\n",
        "private",
        "public",
        {"b/Till.kt": "package b\n\nimport a.Shop\n\nclass Till {\n  fun pay(shop: Other) = shop.firstPrice(1)\n}\n"},
    ),
    "c#": (
        "a/Shop.cs",
        "namespace A;\n\npublic class Shop\n{{\n    {} int FirstPrice(long x) {{ return 1; }}\n\n    public int Go() => 1;\n}}\n",
        "private",
        "public",
        {"b/Till.cs": "namespace A;\n\npublic class Till\n{\n    public int Pay(Other shop) => shop.FirstPrice(1);\n}\n"},
    ),
    "c# without a word": (
        "a/Shop.cs",
        "namespace A;\n\npublic class Shop\n{{\n    {} int FirstPrice(long x) {{ return 1; }}\n\n    public int Go() => 1;\n}}\n",
        "",
        "internal",
        {"b/Till.cs": "namespace A;\n\npublic class Till\n{\n    public int Pay(Other shop) => shop.FirstPrice(1);\n}\n"},
    ),
    "php": (
        "a/Shop.php",
        "<?php\nnamespace A;\n\nclass Shop\n{{\n    {} function firstPrice($x) {{ return 1; }}\n\n    public function go() {{ return 1; }}\n}}\n",
        "private",
        "public",
        {"b/Till.php": "<?php\nnamespace B;\n\nuse A\\Shop;\n\nfunction pay($shop) { return $shop->firstPrice(1); }\n"},
    ),
    "typescript": (
        "a/shop.ts",
        "export class Shop {{\n  {} firstPrice(x: number) {{ return 1; }}\n\n  go() {{ return 1; }}\n}}\n",
        "private",
        "public",
        {"b/till.ts": "import { Shop } from '../a/shop';\n\nexport const pay = (shop: any) => shop.firstPrice(1);\n"},
    ),
    "go": (
        "a/shop.go",
        "package a\n\ntype Shop struct{{}}\n\nfunc (s Shop) {}irstPrice(x int) int {{ return 1 }}\n\nfunc (s Shop) Go() int {{ return 1 }}\n",
        "f",
        "F",
        {"b/till.go": 'package b\n\nimport "shop/a"\n\nvar _ a.Shop\n\nfunc pay(s other) int { return s.NAME(1) }\n', "go.mod": "module shop\n"},
    ),
    "rust": (
        "src/shop/price.rs",
        "pub struct Shop;\n\nimpl Shop {{\n    {} fn first_price(&self, x: i64) -> i64 {{ 1 }}\n\n    pub fn go(&self) -> i64 {{ 1 }}\n}}\n",
        "",
        "pub",
        {
            "src/till.rs": "use crate::shop::price::Shop;\n\npub fn pay(shop: &Other) -> i64 { shop.first_price(1) }\n",
            "src/lib.rs": "mod shop;\nmod till;\n",
            "src/shop/mod.rs": "pub mod price;\n",
            "Cargo.toml": '[package]\nname = "shop"\n',
        },
    ),
    "rust's constants": (
        "src/shop/price.rs",
        "pub struct Shop;\n\n{} const first_price: i64 = 1;\n",
        "",
        "pub",
        {
            "src/till.rs": "use crate::shop::price::*;\nuse other::*;\n\npub fn pay() -> i64 { first_price }\n",
            "src/lib.rs": "mod shop;\nmod till;\n",
            "src/shop/mod.rs": "pub mod price;\n",
            "Cargo.toml": '[package]\nname = "shop"\n',
        },
    ),
    "c": (
        "a/shop.c",
        "{} int first_price(long x) {{ return 1; }}\n\nint go(void) {{ return 1; }}\n",
        "static",
        "",
        {"b/till.c": "#include <prices.h>\n\nint pay(void) { return first_price(1); }\n"},
    ),
    "c++": (
        "a/shop.cpp",
        "namespace {} {{\nint first_price(long x) {{ return 1; }}\n}}\n\nint go() {{ return 1; }}\n",
        "",
        "shop",
        {"b/till.cpp": "#include <prices.h>\n\nint pay() { return shop::first_price(1); }\n"},
    ),
    "ruby": (
        "shop.rb",
        "class Shop\n  def go\n    1\n  end\n\n  {}\n\n  def first_price(x)\n    1\n  end\nend\n",
        "private",
        "public",
        {"till.rb": "require_relative 'shop'\n\ndef pay(shop)\n  shop.first_price(1)\nend\n"},
    ),
    "ruby, on the same line": (
        "shop.rb",
        "class Shop\n  def go\n    1\n  end\n\n  {} def first_price(x) = 1\nend\n",
        "private",
        "public",
        {"till.rb": "require_relative 'shop'\n\ndef pay(shop)\n  shop.first_price(1)\nend\n"},
    ),
    "ruby, by name": (
        "shop.rb",
        "class Shop\n  def go\n    1\n  end\n\n  def first_price(x) = 1\n  {} :first_price\nend\n",
        "private",
        "public",
        {"till.rb": "require_relative 'shop'\n\ndef pay(shop)\n  shop.first_price(1)\nend\n"},
    ),
}  # fmt: skip


def _lines(repository: Repository, language: str, word: str) -> list[str]:
    """What is reported or open about the name of a member that is removed."""
    path, text, _, _, others = LANGUAGES[language]
    name = f"{word}irstPrice" if language == "go" else ""
    before = text.format(word)
    after = re.sub(r" *def first_price\(x\)\n.*?end\n", "", before, flags=re.DOTALL)
    after = "\n".join(line for line in after.split("\n") if "irstPrice" not in line and "first_price" not in line)
    files: dict[str, str | bytes | None] = {one: body.replace("NAME", name) for one, body in others.items()}
    pull = repository.change({path: before, **files}, {path: after})
    return sorted({*(use.path for use in uses(pull)), *(one.path for one in look(pull))})


@pytest.mark.parametrize("language", few(LANGUAGES, *range(0, len(LANGUAGES), 4)))
def test_a_removed_private_member_is_nobody_elses_contract(repository: Repository, language: str) -> None:
    """A file that could not name it means something else by the same word."""
    assert _lines(repository, language, LANGUAGES[language][2]) == []


@pytest.mark.parametrize("language", few(LANGUAGES, *range(0, len(LANGUAGES), 4)))
def test_a_removed_public_member_is(repository: Repository, language: str) -> None:
    """The same use of a member that anyone may name is reported or open."""
    assert _lines(repository, language, LANGUAGES[language][3]) != []


def test_a_private_method_of_ruby_is_the_contract_of_its_heirs(repository: Repository) -> None:
    """Without a receiver another file can call it: a subclass, or who mixes it in."""
    shop = "class Shop\n  private\n\n  def first_price(x)\n    1\n  end\nend\n"
    till = "require_relative 'shop'\n\nclass Till < Shop\n  def pay\n    first_price(1)\n  end\nend\n"
    pull = repository.change({"shop.rb": shop, "till.rb": till}, {"shop.rb": "class Shop\nend\n"})

    assert {*(use.path for use in uses(pull)), *(one.path for one in look(pull))} == {"till.rb"}


def test_an_explicit_import_decides_a_name(repository: Repository) -> None:
    """A static import gives the name another meaning: in the class that lost its own, and beside it."""
    shop = "package a;\n\npublic class Shop {\n  static int toIntExact(long x) { return 1; }\n\n  int go() { return toIntExact(2L); }\n}\n"
    beside = "package a;\n\nimport static java.lang.Math.toIntExact;\n\nclass Till {\n  int pay() { return toIntExact(1L); }\n}\n"
    after = shop.replace("  static int toIntExact(long x) { return 1; }\n\n", "").replace(
        "package a;\n", "package a;\n\nimport static java.lang.Math.toIntExact;\n"
    )
    pull = repository.change({"a/Shop.java": shop, "a/Till.java": beside}, {"a/Shop.java": after})

    assert look(pull) == []
    assert uses(pull) == ()


def test_a_member_of_the_same_package_is_its_contract(repository: Repository) -> None:
    """Without a word a member of Java is the package's, also that of its tests in another folder tree."""
    shop = "package a;\n\npublic class Shop {\n  int firstPrice(long x) { return 1; }\n\n  int go() { return 1; }\n}\n"
    till = "package a;\n\nclass Till {\n  int pay(Shop shop) { return shop.firstPrice(1); }\n}\n"
    files = {"main/a/Shop.java": shop, "other/a/Till.java": till}
    found = look(
        repository.change(
            dict(files), {"main/a/Shop.java": shop.replace("  int firstPrice(long x) { return 1; }\n\n", "")}
        )
    )

    assert [one.path for one in found] == ["other/a/Till.java"]


# language -> (file that loses a function, its text, file beside it that imports a like name from elsewhere, its text)
IMPORTED = {
    "kotlin": (
        "a/Shop.kt",
        "package a\n\nfun firstPrice(x: Long) = 1\n\nfun go() = 1\n",
        "a/Till.kt",
        "package a\n\nimport lib.prices.firstPrice\n\nfun pay() = firstPrice(1)\n",
    ),
    "php": (
        "a/shop.php",
        "<?php\nnamespace A;\n\nfunction firstPrice($x) { return 1; }\n\nfunction go() { return 1; }\n",
        "a/till.php",
        "<?php\nnamespace A;\n\nuse function Lib\\firstPrice;\n\nfunction pay() { return firstPrice(1); }\n",
    ),
    "rust": (
        "src/shop.rs",
        "pub fn first_price(x: i64) -> i64 { 1 }\n\npub fn go() -> i64 { 1 }\n",
        "src/till.rs",
        "use crate::shop::*;\nuse prices::first_price;\n\npub fn pay() -> i64 { first_price(1) }\n",
    ),
    "python": (
        "shop.py",
        "def first_price(x):\n    return 1\n\n\ndef go():\n    return 1\n",
        "till.py",
        "from shop import *\nfrom prices import first_price\n\n\ndef pay():\n    return first_price(1)\n",
    ),
    "typescript": (
        "shop.ts",
        "export function firstPrice(x: number) { return 1; }\n\nexport function go() { return 1; }\n",
        "till.ts",
        "import { go } from './shop';\nimport { firstPrice } from 'prices';\n\nexport const pay = () => firstPrice(go());\n",
    ),
}


@pytest.mark.parametrize("language", IMPORTED)
def test_an_import_from_elsewhere_decides_in_every_language(repository: Repository, language: str) -> None:
    """The file says which one it means: nothing is reported, and nothing of it is open."""
    path, text, beside, user = IMPORTED[language]
    after = "\n".join(line for line in text.split("\n") if "irstPrice" not in line and "first_price" not in line)
    after = after.replace("    return 1\n\n\ndef go", "def go", 1)
    pull = repository.change({path: text, beside: user}, {path: after})

    assert look(pull) == []
    assert [use.path for use in uses(pull)] == []
