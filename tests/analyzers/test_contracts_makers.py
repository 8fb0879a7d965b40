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
TS = {
    "till.ts": "@Injectable()\nexport class Till {\n  countCoins() { return 1; }\n  close() {}\n}\n",
    "app.ts": 'import { Till } from "./till";\nnew Till().countCoins();\n',
}
TS_REST = "export abstract class Till {\n  close() {}\n}\n"
LUA = {
    "till.lua": "local Till = {}\nfunction Till.count_coins() return 1 end\nfunction Till.close() return 2 end\nreturn Till\n",
    "app.lua": 'local Till = require("till")\nprint(Till.count_coins())\n',
}
LUA_REST = "local Till = {}\nfunction Till.close() return 2 end\n"
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


def _py(code: str, path: str = "more.py") -> tuple[Files, Files]:
    """The member goes, and a file that uses its class comes."""
    return PY, {"till.py": PY_REST, path: f"import lazy\nfrom till import Till\n\n{code}\n"}


def _js(code: str, path: str = "more.js") -> tuple[Files, Files]:
    rest = JS_REST.replace('import { more } from "./more.js";\n', "")
    return JS, {
        "till.js": rest,
        path: f'import * as lazy from "lazy";\nimport {{ Till }} from "./till.js";\n\n{code}\n',
    }


def _java(code: str) -> tuple[Files, Files]:
    return JAVA, {"m/Till.java": f"package m;\n\n{code} {{\n    private int coins;\n}}\n"}


def _c(code: str, path: str = "till.c") -> tuple[Files, Files]:
    return C, {"till.h": "#ifndef TILL_H\n#define TILL_H\n#endif\n", "till.c": '#include "till.h"\n'} | {path: code}


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
        (LUA, {"till.lua": LUA_REST + "return setmetatable(Till, { __index = find })\n"}),
        (JS, {"till.js": JS_REST + "_.extend(\n  Till.prototype,\n  more,\n);\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST + "Object.defineProperties(Till.prototype, more);\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST + "for (const k of Object.keys(more)) Till.prototype[k] = more[k];\n", "more.js": MORE}),
        (JS, {"till.js": JS_REST + "mixin(Till);\n", "more.js": MORE}),
        _py("lazy.attach(Till, TABLE)"),
        _py("Till = patched(Till)"),
        _py("Till = counting(1)(\n    Till,\n)"),
        _py("if COUNTS:\n    install(Till)"),
        _py("def install():\n    for name in TABLE:\n        setattr(Till, name, len)"),
        (PY, {"till.py": PY_REST + "\n    def __init__(self):\n        self.__dict__.update(TABLE)\n"}),
        (PY, {"till.py": PY_REST + '\n    def __init__(self):\n        self.__dict__["a"] = 1\n'}),
        (PY, {"till.py": PY_REST + "\n    def __init__(self):\n        vars(self).update(TABLE)\n"}),
        (PY, {"till.py": PY_REST + "\n\nTill.__getattr__ = find\n"}),
        _js("lazy.attach(Till, more);"),
        _js("Till = counted(Till);"),
        _js("export default counted(Till);"),
        _js("module.exports = counted(Till);"),
        _js("function go() { Object.assign(Till, more); }"),
        _js("const own = Till.prototype;\nown[name] = more;"),
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
    """No finding says that the name is gone, and its use is listed as open."""
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
        (PY, {"till.py": PY_REST, "more.py": "from till import (\n    Till,\n    Box,\n)\n"}),
        _py("# moved out of till (Till)"),
        _py('NOTE = "see install(Till)"'),
        _py('"""\ninstall(Till)\n"""'),
        _py("def go(one):\n    return one in (Till, dict)"),
        _py("def go(session):\n    return session.query(Till).all()"),
        _py("def go(one):\n    return issubclass(one, Till) or issubclass(Till, object)"),
        _py("def go(settings):\n    return build_from(Till, settings)"),
        _py("made = build_from(Till, 1)"),
        _py("print(Till)"),
        _py("ALL = []\nALL.append(Till)"),
        _py("urls = [\n    view(Till),\n    1,\n]"),
        _py("from django.contrib import admin\n\nadmin.site.register(Till, Box)"),
        _py("install(Till)", "tests/test_till.py"),
        _py("def test_till():\n    assert create_autospec(Till)", "tests/test_till.py"),
        (PY, {"till.py": PY_REST + '\n    def __init__(self):\n        log.debug("made %s", self.__dict__)\n'}),
        (PY, {"till.py": PY_REST + "\n    def __init__(self):\n        # setattr(self, name, 1)\n        self.own = vars(self)\n"}),
        _js("console.log(Till);"),
        _js("export const all = [];\nall.push(Till);"),
        _js("export function go() {\n  return Reflect.construct(Till, []);\n}"),
        _js("export const one = module.get(Till);"),
        _js("// mixin(Till);\n/* Till.prototype[a] = b */"),
        _js("export const size = Till.prototype.close.length;"),
        _js("test('till', () => {\n  expect(Till).toBeDefined();\n});", "till.test.js"),
        (TS, {"till.ts": "@Injectable()\n" + TS_REST}),
        _java('@SuppressWarnings("unchecked")\npublic class Till'),
        _java("@Deprecated\npublic final class Till"),
        _java("/** Was @lombok.Getter */\npublic class Till"),
        _c('#include "log.h"\nvoid go(int coins) {\n  LOG_DEBUG("size of %d", coins);\n  UNUSED(coins);\n}\n'),
        _c("void test_go(void) {\n  ASSERT_EQ(coins, 3);\n}\nTEST(coins) { }\n", "tests/test_till.c"),
        (
            RUST,
            {
                "src/till.rs": "#[cfg(test)]\nmod tests {\n    #[test]\n    fn coins() {\n        let coins = 3;\n        assert_eq!(coins, 3);\n    }\n}\n"
            },
        ),
        (RUBY, {"till.rb": "class Till\n  def go\n    raise :coins\n  end\nend\n"}),
        (LUA, {"till.lua": LUA_REST + "print(Till)\nreturn Till\n"}),
        (GO, {"till/till.go": "package till\n\nconst note = `\n//go:generate enumer\n`\n\ntype Kind int\n"}),
    ],
)  # fmt: skip
def test_what_makes_nothing_leaves_the_proof(repository: Repository, before: Files, after: Files) -> None:
    """A class that inherits, a call or a mark that was there, a name of another place, and what only looks at a class or keeps it."""
    found = look(repository.change(dict(before), dict(after)))

    assert [one.verdict for one in found] == ["proven"]
