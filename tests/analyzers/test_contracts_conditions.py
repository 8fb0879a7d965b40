"""Definitions whose text stays and that are lost all the same: by what stands around them, by their file's name, by who hands them on."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository
from families import few

Files = dict[str, str | bytes | None]
TOTAL = "def total(cart):\n    return sum(cart)\n"
SIZE = "\n\ndef size(cart):\n    return len(cart)\n"
PYTHON: Files = {
    "shop/__init__.py": "",
    "shop/extra.py": "y = 1\n",
    "shop/cart.py": TOTAL + SIZE,
    "app.py": "from shop.cart import total\n\n\ndef pay(cart):\n    return total(cart)\n",
}
RUBY: Files = {
    "lib/cart.rb": "class Cart\n  def total_price\n    1\n  end\nend\n",
    "lib/pay.rb": "require_relative 'cart'\n\ndef pay\n  Cart.new.total_price\nend\n",
}
PHP: Files = {
    "src/cart.php": "<?php\nfunction cart_total($c) {\n  return 1;\n}\n",
    "src/pay.php": "<?php\nrequire 'cart.php';\nfunction pay($c) {\n  return cart_total($c);\n}\n",
}
GO: Files = {
    "go.mod": "module x\n\ngo 1.22\n",
    "cart/cart.go": "package cart\n\nfunc TotalPrice(c []int) int {\n\treturn len(c)\n}\n",
    "main.go": 'package main\n\nimport "x/cart"\n\nfunc main() {\n\tcart.TotalPrice(nil)\n}\n',
}
JAVA: Files = {
    "src/main/java/a/Cart.java": "package a;\n\npublic class Cart {\n    public int totalPrice() {\n        return 1;\n    }\n}\n",
    "src/main/java/b/Pay.java": (
        "package b;\n\nimport a.Cart;\n\npublic class Pay {\n    int pay(Cart cart) {\n        return cart.totalPrice();\n    }\n}\n"
    ),
}
KOTLIN: Files = {
    "src/main/kotlin/a/Cart.kt": "package a\n\nclass Cart {\n    fun totalPrice(): Int = 1\n}\n",
    "src/main/kotlin/b/Pay.kt": (
        "package b\n\nimport a.Cart\n\nclass Pay {\n    fun pay(cart: Cart): Int = cart.totalPrice()\n}\n"
    ),
}
RUST: Files = {
    "Cargo.toml": "[package]\nname='x'\n",
    "src/extra.rs": "pub const Y: i32 = 1;\n",
    "src/cart.rs": "pub fn total_price(c: &[i32]) -> i32 {\n    1\n}\n",
    "src/main.rs": "mod cart;\nmod extra;\n\nfn main() {\n    cart::total_price(&[]);\n}\n",
}
C: Files = {
    "cart.h": "int total_price(int a);\n",
    "cart.c": '#include "cart.h"\nint total_price(int a) {\n  return a;\n}\n',
    "main.c": '#include "cart.h"\nint main(void) {\n  return total_price(1);\n}\n',
}
INNER = "namespace shop {\nint total(int rows);\nint empty();\n}\n"
NAMESPACE: Files = {
    "cart.hpp": INNER,
    "cfg.hpp": "#define CART_HPP\n",
    "cart.cpp": '#include "cart.hpp"\nint shop::total(int rows) {\n  return rows;\n}\n',
    "pay.cpp": '#include "cart.hpp"\nint pay(int rows) {\n  return shop::total(rows);\n}\n',
}
CPP: Files = {
    "cart.hpp": "class Cart {\npublic:\n  int total_price();\n};\n",
    "main.cpp": '#include "cart.hpp"\nint main() {\n  Cart cart;\n  return cart.total_price();\n}\n',
}
CSHARP: Files = {
    "Cart.cs": "namespace A;\npublic class Cart {\n    public int TotalPrice() { return 1; }\n}\n",
    "Pay.cs": "namespace A;\npublic class Pay {\n    int P(Cart cart) { return cart.TotalPrice(); }\n}\n",
}
SCRIPT: Files = {
    "src/cart.js": "function totalPrice(c) {\n  return c.length;\n}\nmodule.exports = { totalPrice };\n",
    "src/pay.js": "const { totalPrice } = require('./cart.js');\n\nfunction pay(c) {\n  return totalPrice(c);\n}\n",
}
MODULE: Files = {
    "src/extra.js": "export const y = 1;\n",
    "src/cart.js": "export function totalPrice(c) {\n  return c.length;\n}\n",
    "src/pay.js": "import { totalPrice } from './cart.js';\n\nexport function pay(c) {\n  return totalPrice(c);\n}\n",
}


def at(files: Files, path: str) -> str:
    """The text of a file of a scene."""
    text = files[path]
    assert isinstance(text, str)
    return text


AROUND: dict[str, tuple[Files, str, str]] = {
    "deleted at the end": (PYTHON, "shop/cart.py", f"{TOTAL}{SIZE}\n\ndel total\n"),
    "deleted in other letters": (PYTHON, "shop/cart.py", f"{TOTAL}{SIZE}\n\ndel ｔｏｔａｌ\n"),  # noqa: RUF001 - Python reads them as `total`
    "taken out of the module": (PYTHON, "shop/cart.py", f"{TOTAL}{SIZE}\n\nglobals().pop('total')\n"),
    "below a raise": (PYTHON, "shop/cart.py", f"raise SystemExit\n{TOTAL}{SIZE}"),
    "below an exit": (PYTHON, "shop/cart.py", f"import sys\nsys.exit(0)\n{TOTAL}{SIZE}"),
    "undefined in Ruby": (RUBY, "lib/cart.rb", "class Cart\n  def total_price\n    1\n  end\n  undef total_price\nend\n"),
    "removed in Ruby": (
        RUBY, "lib/cart.rb", "class Cart\n  def total_price\n    1\n  end\n  remove_method :total_price\nend\n",
    ),
    "in a private section": (RUBY, "lib/cart.rb", "class Cart\n  private\n  def total_price\n    1\n  end\nend\n"),
    "in a protected section": (RUBY, "lib/cart.rb", "class Cart\n  protected\n  def total_price\n    1\n  end\nend\n"),
    "made private by its name": (
        RUBY, "lib/cart.rb", "class Cart\n  def total_price\n    1\n  end\n  private :total_price\nend\n",
    ),
    "in the class of a class": (
        RUBY, "lib/cart.rb", "class Cart\n  class << self\n  def total_price\n    1\n  end\n  end\nend\n",
    ),
    "in another module": (RUBY, "lib/cart.rb", f"module Hidden\n{at(RUBY, 'lib/cart.rb')}end\n"),
    "behind __halt_compiler": (
        PHP, "src/cart.php", "<?php\n$x = 1;\n__halt_compiler();\nfunction cart_total($c) {\n  return 1;\n}\n",
    ),
    "under a condition of PHP": (
        PHP, "src/cart.php", "<?php\nif (false) {\nfunction cart_total($c) {\n  return 1;\n}\n}\n",
    ),
    "in another namespace": (PHP, "src/cart.php", at(PHP, "src/cart.php").replace("<?php", "<?php\nnamespace X;")),
    "not built": (GO, "cart/cart.go", f"//go:build ignore\n\n{at(GO, 'cart/cart.go')}"),
    "built with C alone": (GO, "cart/cart.go", at(GO, "cart/cart.go").replace("cart\n", 'cart\n\nimport "C"\n', 1)),
    "without a body": (GO, "cart/cart.go", "package cart\n\nfunc TotalPrice(c []int) int\n"),
    "in another package of Go": (GO, "cart/cart.go", at(GO, "cart/cart.go").replace("package cart", "package cartx")),
    "in another package of Java": (
        JAVA, "src/main/java/a/Cart.java", at(JAVA, "src/main/java/a/Cart.java").replace("package a", "package z"),
    ),
    "in another package of Kotlin": (
        KOTLIN, "src/main/kotlin/a/Cart.kt", at(KOTLIN, "src/main/kotlin/a/Cart.kt").replace("package a", "package z"),
    ),
    "under cfg": (RUST, "src/cart.rs", f"#[cfg(any())]\n{at(RUST, 'src/cart.rs')}"),
    "in a file under cfg": (RUST, "src/cart.rs", f"#![cfg(test)]\n{at(RUST, 'src/cart.rs')}"),
    "in a module under cfg": (RUST, "src/main.rs", f"#[cfg(test)]\n{at(RUST, 'src/main.rs')}"),
    "in a conditional macro": (RUST, "src/cart.rs", f"cfg_never! {{\n{at(RUST, 'src/cart.rs')}}}\n"),
    "under #if of C": (C, "cart.h", f"#if 0\n{at(C, 'cart.h')}#endif\n"),
    **{
        name: (NAMESPACE, "cart.hpp", text)
        for name, text in {
            "under a condition that the grammar cannot read": f'#if __has_include("never.h")\n{INNER}#endif\n',
            "under one with angle brackets": f"#if __has_include(<never.h>)\n{INNER}#endif\n",
            "under a call with a text": f'#if defined(NEVER) && FOO("x")\n{INNER}#endif\n',
            "one definition under such a condition": INNER.replace("int total", '#if __has_include("n.h")\nint total').replace("int empty", "#endif\nint empty"),
            "under a condition with a continued line": f"#\\\nif 0\n{INNER}#endif\n",
            "under a condition with a digraph": f"%:if 0\n{INNER}%:endif\n",
            "under a condition behind a comment": f"/* x */ #if 0\n{INNER}#endif\n",
            "under a condition without an end": f"#if 0\n{INNER}",
            "under a condition whose end is in a text": f'#if 0\nauto s = R"(\n#endif\n)";\n{INNER}#endif\n',
            "a guard that is defined above": f"#define CART_HPP\n#ifndef CART_HPP\n{INNER}#endif\n",
            "a guard below an include": f'#include "cfg.hpp"\n#ifndef CART_HPP\n#define CART_HPP\n{INNER}#endif\n',
            "a guard that nothing defines": f"#ifndef CART_HPP_NEVER\n{INNER}#endif\n",
            "a namespace that is a macro": f"#define shop store\n{INNER}#undef shop\n",
            "a type that is a macro": f"#define int struct never\n{INNER}#undef int\n",
            "a macro without a value": f"#define total\n{INNER}",
            "a name that is poisoned": f"#pragma GCC poison total\n{INNER}",
            "a template's head": INNER.replace("int total", "template <int N>\nint total"),
            "an error inside the namespace": INNER.replace("int total", "#error no\nint total"),
            "a module": f"export module x;\n{INNER}",
        }.items()
    },
    "a private member": (CPP, "cart.hpp", at(CPP, "cart.hpp").replace("public:", "private:")),
    "under #if of C#": (
        CSHARP, "Cart.cs", at(CSHARP, "Cart.cs").replace("    public int", "#if NEVER\n    public int").replace("}\n}", "}\n#endif\n}"),
    ),
    "in another namespace of C#": (CSHARP, "Cart.cs", at(CSHARP, "Cart.cs").replace("namespace A", "namespace Z")),
    "below a throw": (SCRIPT, "src/cart.js", f"throw new Error('x');\n{at(SCRIPT, 'src/cart.js')}"),
    "no longer exported": (SCRIPT, "src/cart.js", f"{at(SCRIPT, 'src/cart.js')}delete module.exports.totalPrice;\n"),
    "exported under a condition": (
        SCRIPT, "src/cart.js", at(SCRIPT, "src/cart.js").replace("module.exports", "if (0) {\nmodule.exports") + "}\n",
    ),
    "exported over": (SCRIPT, "src/cart.js", f"{at(SCRIPT, 'src/cart.js')}module.exports = {{}};\n"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "path", "text"), few(AROUND.values(), *range(0, len(AROUND), 4)), ids=AROUND)
def test_what_stands_around_a_definition_belongs_to_its_contract(
    repository: Repository, files: Files, path: str, text: str
) -> None:
    """Its text is the same, and its users are open all the same."""
    pull = repository.change(files, {path: text})

    assert look(pull) == []
    assert [use.path for use in open_uses(pull)]


@pytest.mark.parametrize(
    ("files", "path", "text"),
    [
        (CPP, "cart.hpp", f"#ifndef CART_HPP\n#define CART_HPP\n{at(CPP, 'cart.hpp')}#endif\n"),
        (
            NAMESPACE,
            "cart.hpp",
            f'// A cart.\n#pragma once\n#ifndef SHOP_CART_HPP_\n#define SHOP_CART_HPP_\n#include "cfg.hpp"\n{INNER}#endif\n',
        ),
        (NAMESPACE, "cart.hpp", f"{INNER}#if 0\nint never();\n#endif\n"),
        (NAMESPACE, "cart.hpp", f"{INNER}#define LIMIT 5\n"),
        (PYTHON, "shop/cart.py", f'"""Raise nothing.\n\nraise SystemExit\n"""\n{TOTAL}{SIZE}'),
        (GO, "cart/cart.go", f"// A cart.\n{at(GO, 'cart/cart.go')}"),
        (RUST, "src/cart.rs", f"#[inline]\n{at(RUST, 'src/cart.rs')}"),
        (
            RUST,
            "src/cart.rs",
            f"#![cfg_attr(windows, allow(rustdoc::broken_intra_doc_links))]\n{at(RUST, 'src/cart.rs')}",
        ),
        (PHP, "src/cart.php", at(PHP, "src/cart.php") + "\nreturn [];\n"),
    ],
)
def test_what_is_no_condition_obliges_nobody(repository: Repository, files: Files, path: str, text: str) -> None:
    """A header's guard, a docstring, a comment and other attributes leave a definition where it is."""
    pull = repository.change(files, {path: text})

    assert (look(pull), open_uses(pull)) == ([], ())


MOVED = {
    "to no language": (PYTHON, "shop/cart.py", "shop/cart.py.txt", "app.py"),
    "to a copy": (PYTHON, "shop/cart.py", "shop/cart.py.bak", "app.py"),
    "to prose": (PYTHON, "shop/cart.py", "shop/README.md", "app.py"),
    "to another language": (PYTHON, "shop/cart.py", "shop/cart.rb", None),
    "to what is built into it": (PYTHON, "shop/cart.py", "shop/cart.pyx", None),
    "to a stub": (PYTHON, "shop/cart.py", "shop/cart.pyi", None),
    "out of Java": (JAVA, "src/main/java/a/Cart.java", "src/main/java/a/Cart.java.txt", "src/main/java/b/Pay.java"),
    "out of JavaScript": (SCRIPT, "src/cart.js", "src/cart.js.bak", "src/pay.js"),
    "out of Go": (GO, "cart/cart.go", "cart/cart.go.txt", "main.go"),
    "to a test": (GO, "cart/cart.go", "cart/cart_test.go", "main.go"),
    "to another system": (GO, "cart/cart.go", "cart/cart_plan9.go", None),
    "to a name that is not built": (GO, "cart/cart.go", "cart/_cart.go", None),
    "to what is not required": (RUBY, "lib/cart.rb", "lib/cart.rake", None),
}


@pytest.mark.parametrize("more", ["", "\n"], ids=["as it is", "edited"])
@pytest.mark.parametrize(("files", "old", "new", "broken"), few(MOVED.values(), *range(0, len(MOVED), 4)), ids=MOVED)
def test_a_new_suffix_takes_definitions_away(
    repository: Repository, files: Files, old: str, new: str, broken: str | None, more: str
) -> None:
    """Who relies on the file is a finding where the break is proven, and open where it is not."""
    pull = repository.change(files, {old: None, new: at(files, old) + more})
    found = look(pull)

    assert (broken is None and open_uses(pull)) or broken in {finding.path for finding in found}


HANDED: dict[str, tuple[Files, str, str]] = {
    "a cycle": (PYTHON, "shop/cart.py", f"from shop.cart import total\n{SIZE}"),
    "a module of that name": (PYTHON, "shop/cart.py", f"import os as total\n{SIZE}"),
    "a module that is not there": (PYTHON, "shop/cart.py", f"from shop.gone import total\n{SIZE}"),
    "an import that may fail": (
        PYTHON, "shop/cart.py", f"try:\n    from shop.fast import total\nexcept ImportError:\n    pass\n{SIZE}",
    ),
    "a loop": (PYTHON, "shop/cart.py", f"for total in ():\n    pass\n{SIZE}"),
    "an import for types": (
        {**PYTHON, "shop/extra.py": TOTAL}, "shop/cart.py",
        f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from shop.extra import total\n{SIZE}",
    ),
    "another definition": (
        {**PYTHON, "shop/extra.py": "def total(cart, tax):\n    return 1\n"}, "shop/cart.py", f"from shop.extra import total\n{SIZE}",
    ),
    "a file that is not there": (MODULE, "src/cart.js", "export { totalPrice } from './gone.js';\n"),
    "an export of types": (
        {**MODULE, "src/extra.js": "export function totalPrice(c) {\n  return c.length;\n}\n"},
        "src/cart.js", "export type { totalPrice } from './extra.js';\n",
    ),
    "a required module": (
        {**SCRIPT, "src/extra.js": "exports.y = 1;\n"}, "src/cart.js",
        "const { totalPrice } = require('./extra.js');\nmodule.exports = { totalPrice };\n",
    ),
    "a module of Rust": (RUST, "src/cart.rs", "pub use crate::extra::total_price;\n"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "path", "text"), HANDED.values(), ids=HANDED)
def test_a_name_that_is_bound_and_not_defined_is_not_proven_to_be_there(
    repository: Repository, files: Files, path: str, text: str
) -> None:
    """A definition gives way to a binding behind which nobody sees one like it: the uses are open."""
    assert open_uses(repository.change(files, {path: text}))


@pytest.mark.parametrize(
    ("files", "path", "text", "caller"),
    [
        (PYTHON, "shop/cart.py", f"from shop.extra import total\n{SIZE}", "app.py"),
        (PYTHON, "shop/cart.py", f"from .extra import total\n{SIZE}", "app.py"),
        (MODULE, "src/cart.js", "export { totalPrice } from './extra.js';\n", "src/pay.js"),
        (MODULE, "src/cart.js", "import { totalPrice } from './extra.js';\nexport { totalPrice };\n", "src/pay.js"),
    ],
)
def test_an_import_of_what_its_file_lacks_offers_nothing(
    repository: Repository, files: Files, path: str, text: str, caller: str
) -> None:
    """The definition goes, and a file in full sight that never had it is to hand it on: the callers break."""
    found = look(repository.change(files, {path: text}))

    assert {(finding.path, finding.verdict) for finding in found} == {(caller, "proven")}


@pytest.mark.parametrize(
    ("files", "change"),
    [
        (PYTHON, {"shop/cart.py": f"from shop.extra import total\n{SIZE}", "shop/extra.py": f"y = 1\n\n\n{TOTAL}"}),
        (
            MODULE,
            {
                "src/cart.js": "export { totalPrice } from './extra.js';\n",
                "src/extra.js": f"export const y = 1;\n{at(MODULE, 'src/cart.js')}",
            },
        ),
    ],
)
def test_a_definition_that_moved_and_is_handed_on_obliges_nobody(
    repository: Repository, files: Files, change: Files
) -> None:
    """What importers get is the same function."""
    pull = repository.change(files, change)

    assert (look(pull), open_uses(pull)) == ([], ())


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (PYTHON, "shop/cart/__init__.py"),
        ({"app.py": "import json\n\nprint(json.dumps(1))\n"}, "json.py"),
        (
            {
                "a/cart/index.js": "export function totalPrice(c) {\n  return c;\n}\n",
                "b.js": "import { totalPrice } from './a/cart';\ntotalPrice(1);\n",
            },
            "a/cart.js",
        ),
    ],
)
def test_an_added_file_that_stands_before_another_leaves_its_importers_open(
    repository: Repository, files: Files, path: str
) -> None:
    """No line of theirs changed, and they get another module."""
    uses = open_uses(repository.change(files, {path: "x = 1\n"}))

    assert {(use.path, use.says) for use in uses} >= {(use.path, f"this import means {path} now") for use in uses}
    assert uses
