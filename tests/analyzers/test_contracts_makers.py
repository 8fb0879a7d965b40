"""What is gone where the change adds what may give it again: when the program runs, or when it is built. Then nothing is proven."""

from collections.abc import Mapping

import pytest
from contract_findings import look, uses
from fakes import Repository

Files = Mapping[str, str | None]
PY = {
    "till.py": "class Till:\n    def count_coins(self):\n        return 1\n\n    def close(self):\n        return 2\n",
    "app.py": "from till import Till\n\nTill().count_coins()\n",
}
PY_REST = "class Till:\n    def close(self):\n        return 2\n"
LAZY = {
    "shop/__init__.py": "from shop.tills import count_coins\n",
    "shop/tills.py": "def count_coins():\n    return 1\n",
    "app.py": "from shop import count_coins\n\ncount_coins()\n",
}
JS = {
    "till.js": "export class Till { countCoins() { return 1; } close() {} }\n",
    "app.js": 'import { Till } from "./till.js";\nnew Till().countCoins();\n',
}
JS_REST = 'import { more } from "./more.js";\nexport class Till { close() {} }\n'
MORE = "export const more = { countCoins() { return 1; } };\n"
JAVA = {
    "m/Till.java": "package m;\n\npublic class Till {\n    private int coins;\n\n    public int getCoins() {\n        return coins;\n    }\n}\n",
    "m/App.java": "package m;\n\npublic class App {\n    int go(Till till) {\n        return till.getCoins();\n    }\n}\n",
}
KOTLIN = {
    "Till.kt": 'package m\n\nclass Till(val coins: Int) {\n    fun describeCoins(): String = "x"\n}\n',
    "App.kt": "package m\n\nfun go(till: Till) = till.describeCoins()\n",
}
CSHARP = {
    "Till.cs": "namespace S;\n\npublic partial class Till\n{\n    public ICommand CountCommand { get; }\n    public int Coins { get; set; }\n}\n",
    "App.cs": "namespace S;\n\npublic class App\n{\n    object Go(Till till) => till.CountCommand;\n}\n",
}
C = {
    "till.h": "#ifndef TILL_H\n#define TILL_H\nint get_coins(void);\n#endif\n",
    "till.c": '#include "till.h"\nint get_coins(void) { return 1; }\n',
    "app.c": '#include "till.h"\nint go(void) { return get_coins(); }\n',
}
PASTE = "#define GETTER(n) int get_##n(void)\n"
CPP = {
    "till.h": "#pragma once\nclass Till {\npublic:\n  int getCoins() const { return coins; }\nprivate:\n  int coins;\n};\n",
    "app.cpp": '#include "till.h"\nint go(Till till) { return till.getCoins(); }\n',
}
RUBY = {
    "till.rb": "class Till\n  def coins_cents\n    1\n  end\nend\n",
    "app.rb": 'require_relative "till"\nTill.new.coins_cents\n',
}
GO = {
    "go.mod": "module s\n",
    "till/till.go": "package till\n\ntype Kind int\n\nfunc KindOfText(s string) Kind { return 1 }\n",
    "app.go": 'package main\n\nimport "s/till"\n\nfunc main() { println(till.KindOfText("x")) }\n',
}
RUST = {
    "Cargo.toml": '[package]\nname = "s"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub mod till;\npub mod app;\n",
    "src/till.rs": "pub fn get_coins() -> u32 {\n    1\n}\n",
    "src/app.rs": "use crate::till;\n\npub fn go() -> u32 {\n    till::get_coins()\n}\n",
}
PHP = {
    "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
    "src/Till.php": "<?php\nnamespace App;\nclass Till { public function countCoins() { return 1; } }\n",
    "src/App.php": "<?php\nnamespace App;\nclass App { function go(Till $till) { return $till->countCoins(); } }\n",
}


def _lazy(code: str) -> tuple[Files, Files]:
    return LAZY, {"shop/__init__.py": code}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        _lazy("import lazy_loader\n\n__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, names={})\n"),
        _lazy("from shop.found import make\n\n__getattr__ = make(__name__)\n"),
        _lazy("from typing import Any\n\n__getattr__: Any = make(__name__)\n"),
        _lazy("from shop.found import __getattr__\n"),
        _lazy("from shop.found import find as __getattr__\n"),
        _lazy("try:\n    (__getattr__, __dir__) = attach(__name__)\nexcept ImportError:\n    pass\n"),
        (JAVA, {"m/Till.java": "package m;\n\npublic class Till {\n    @lombok.Getter(lazy = true) private int coins;\n}\n"}),
    ],
)  # fmt: skip
def test_what_the_change_makes_in_its_place_is_there(repository: Repository, before: Files, after: Files) -> None:
    """A module's `__getattr__` without a `def`, and an accessor that a mark with its full name makes: nobody says that it is gone."""
    assert look(repository.change(dict(before), dict(after))) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PY, {"till.py": PY_REST + "\n\nfor name, function in TABLE.items():\n    setattr(Till, name, function)\n"}),
        (PY, {"till.py": PY_REST, "more.py": "from till import Till\n\ninstall(\n    Till,\n    1,\n)\n"}),
        (PY, {"till.py": PY_REST + "\n    locals().update(TABLE)\n"}),
        (PY, {"till.py": PY_REST + "\n    def __getattribute__(self, name):\n        return len\n"}),
        (JS, {"till.js": JS_REST + "Object.assign(Till.prototype, more);\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST + "_.extend(\n  Till.prototype,\n  more,\n);\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST + "Object.defineProperties(Till.prototype, more);\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST + "for (const k of Object.keys(more)) Till.prototype[k] = more[k];\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST + "mixin(Till);\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST.replace("close() {}", "constructor() { Object.assign(this, more); }"), "more.js": MORE}),
        (JS, {"till.js": "export class Till { close() {} }\n", "more.js": 'import { Till } from "./till.js";\nReflect.defineProperty(Till.prototype, "x", y);\n'}),
        (
            {"till.ts": JS["till.js"], "app.ts": JS["app.js"].replace(".js", "")},
            {"till.ts": "@counting\nexport class Till { close() {} }\n"},
        ),
        (JAVA, {"m/Till.java": "package m;\n\n@lombok.Getter\npublic class Till {\n    private int coins;\n}\n"}),
        (JAVA, {"m/Till.java": "package m;\n\npublic class Till {\n    @lombok.experimental.Delegate private Box coins;\n}\n"}),
        (KOTLIN, {"Till.kt": "package m\n\n@Described\nclass Till(val coins: Int)\n"}),
        (CSHARP, {"Till.cs": "namespace S;\n\npublic partial class Till\n{\n    [RelayCommand] private void Count() { }\n    public int Coins { get; set; }\n}\n"}),
        (CSHARP, {"Till.cs": "namespace S;\n\n[Commands]\npublic partial class Till\n{\n    public int Coins { get; set; }\n}\n"}),
        (C, {"paste.h": PASTE, "till.h": '#include "paste.h"\nGETTER(coins);\n', "till.c": '#include "till.h"\nGETTER(coins) { return 1; }\n'}),
        (C, {"till.h": "#define getter(a, n) int a##_##n(void)\ngetter(get, coins);\n", "till.c": '#include "till.h"\ngetter(get, coins) { return 1; }\n'}),
        (CPP, {"till.h": "#pragma once\n#define GETTER(N, n) int get##N() const { return n; }\nclass Till {\npublic:\n  GETTER(Coins, coins)\nprivate:\n  int coins;\n};\n"}),
        (RUBY, {"till.rb": "class Till\n  monetize :coins\nend\n"}),
        (RUBY, {"till.rb": "class Till\nend\nTill.include(SomeGem::Coins)\n"}),
        (GO, {"till/till.go": "package till\n\n//go:generate enumer -type=Kind\ntype Kind int\n"}),
        (RUST, {"src/till.rs": "use crate::paste::getter;\n\ngetter!(coins);\n"}),
        (PHP, {"src/Till.php": "<?php\nnamespace App;\n/** @method int countCoins() */\nclass Till { public function __call($n, $a) { return 1; } }\n"}),
    ],
)  # fmt: skip
def test_what_the_change_may_make_is_open(repository: Repository, before: Files, after: Files) -> None:
    """No finding says that it is gone, and its use is there for whoever reads it."""
    pull = repository.change(dict(before), dict(after))

    assert look(pull) == []
    assert any("pp." in use.path for use in uses(pull))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PY, {"till.py": PY_REST, "sub.py": "from till import Till\n\n\nclass Sub(Till):\n    pass\n"}),
        (
            {**PY, "admin.py": "from till import Till\n\nregister(Till)\n"},
            {"till.py": PY_REST, "admin.py": "from till import Till\n\nregister(Till)\nprint(1)\n"},
        ),
        _lazy("def go():\n    __getattr__ = 1\n    return __getattr__\n"),
        _lazy("from found import own\n\nprint(own.__getattr__)\n"),
        (JS, {"till.js": JS_REST, "more.js": MORE}),
        (JS, {"till.js": "export class Till { close() { other(Tills); } }\n"}),
        (
            CSHARP | {"Till.cs": CSHARP["Till.cs"].replace("partial ", "")},
            {"Till.cs": "namespace S;\n\npublic class Till\n{\n    [Key] public int Coins { get; set; }\n}\n"},
        ),
        (C, {"till.h": "#ifndef TILL_H\n#define TILL_H\n#endif\n", "till.c": "void go(int coins) {\n  spend(coins);\n}\n"}),
        (JAVA, {"m/Till.java": "package m;\n\npublic class Till {\n    @Deprecated public int coins;\n}\n"}),
    ],
)  # fmt: skip
def test_what_makes_nothing_leaves_the_proof(repository: Repository, before: Files, after: Files) -> None:
    """A class that inherits, a call that was there, a name of another place."""
    found = look(repository.change(dict(before), dict(after)))

    assert [one.verdict for one in found] == ["proven"]
