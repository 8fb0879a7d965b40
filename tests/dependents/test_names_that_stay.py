"""Names that a refactoring moves to where unchanged code still finds them."""

import pytest
from dependents_scene import find
from fakes import Repository

import deeprepo
from bot.values import Verdict

PROPERTY = "package com.shop\n\nclass Item {{\n    {}\n}}\n"
ITEM, USE = "src/main/kotlin/com/shop/Item.kt", "src/main/java/com/shop/Use.java"
JAVA = "package com.shop;\n\npublic class Use {{\n    Object f(Item item) {{ return {}; }}\n}}\n"
PROJECT = '<Project Sdk="Microsoft.NET.Sdk">\n  <ItemGroup>\n{}  </ItemGroup>\n</Project>\n'
ALIAS = '    <Using Include="Shop.Money" Alias="Cash" />\n'
CHARGE = "module.exports = function {}(one) {{\n  return one;\n}};\n"
STAYS = {
    "kotlin: a property that Java has as a removed getter": (
        {ITEM: PROPERTY.format('fun getName() = "a"'), USE: JAVA.format("item.getName()")},
        {ITEM: PROPERTY.format('val name = "a"')},
    ),
    "kotlin: a property of a file that Java has as a removed getter": (
        {ITEM: 'package com.shop\n\nfun getName() = "a"\n', USE: JAVA.format("ItemKt.getName()")},
        {ITEM: 'package com.shop\n\nval name = "a"\n'},
    ),
    "javascript: a module that is still the function": (
        {"package.json": "{}", "charge.js": CHARGE.format("charge "), "server.js": "const charge = require('./charge');\n\ncharge(1);\n"},
        {"charge.js": f"{CHARGE.format('')}module.exports.charge = module.exports;\n"},
    ),
    "javascript: a module that becomes an object, of which a member is taken": (
        {"package.json": "{}", "charge.js": CHARGE.format("charge "), "server.js": "const charge = require('./charge');\n\n(charge.charge || charge)(1);\n"},
        {"charge.js": "module.exports = { charge: function (one) {\n  return one;\n} };\n"},
    ),
    "c#: an alias in the project with the name of a removed class": (
        {"Shop.csproj": PROJECT.format(""), "Cash.cs": "namespace Shop;\n\npublic class Cash { }\n", "Use.cs": "namespace Shop;\n\nclass Use\n{\n    object F() => new Cash();\n}\n"},
        {"Shop.csproj": PROJECT.format(ALIAS), "Cash.cs": "namespace Shop;\n\npublic class Money { }\n"},
    ),
    "kotlin: a label with the name of a removed function": (
        {"src/main/kotlin/com/shop/A.kt": "package com.shop\n\nfun discount(n: Int) = n\n\nclass Keep\n", "src/main/kotlin/com/shop/B.kt": "package com.shop\n\nimport lib.each\n\nfun get() = each { return@discount }\n"},
        {"src/main/kotlin/com/shop/A.kt": "package com.shop\n\nclass Keep\n"},
    ),
    "c#: a part of a tuple with the name of a removed class": (
        {"A.cs": "namespace Shop;\n\npublic class Item { }\n\npublic class Keep { }\n", "B.cs": "namespace Shop;\n\nclass Box\n{\n    (int Item, int Number) Both() => (Item: 3, Number: 2);\n    int One() => Both().Item;\n}\n"},
        {"A.cs": "namespace Shop;\n\npublic class Keep { }\n"},
    ),
    "java: a parameter of a type with the name of a deleted class": (
        {"src/main/java/com/shop/Item.java": "package com.shop;\n\npublic class Item { public int n; }\n", "src/main/java/com/shop/Box.java": "package com.shop;\n\npublic class Box<Item> { Item get() { return null; } }\n", "src/main/java/com/shop/Bag.java": "package com.shop;\n\npublic class Bag { <Item> Item get(Item i) { return i; } }\n"},
        {"src/main/java/com/shop/Item.java": None},
    ),
    "kotlin: an argument with the name of a value in a deleted file": (
        {"src/main/kotlin/com/shop/A.kt": "package com.shop\n\nval discount = 3\n", "src/main/kotlin/com/shop/B.kt": "package com.shop\n\nimport lib.make\n\nfun get() = make(discount = 3)\n"},
        {"src/main/kotlin/com/shop/A.kt": None},
    ),
    "kotlin: a member with the name of a function in a deleted file": (
        {"src/main/kotlin/com/shop/A.kt": "package com.shop\n\nfun discount(x: Int) = x\n", "src/main/kotlin/com/shop/B.kt": "package com.shop\n\nfun f(s: lib.Store) = s.discount(3)\n"},
        {"src/main/kotlin/com/shop/A.kt": None},
    ),
    "scala: a member with the name of a function in a deleted file": (
        {"src/main/scala/com/shop/A.scala": "package com.shop\n\ndef discount(x: Int) = x\n", "src/main/scala/com/shop/B.scala": "package com.shop\n\ndef f(s: Store) = s.discount(3)\n"},
        {"src/main/scala/com/shop/A.scala": None},
    ),
    "kotlin: names of a deleted script, which no other file sees": (
        {"scripts/a.main.kts": "val discount = 3\nfun load(a: Int) = a\n", "build.gradle.kts": 'plugins { id("x") }\nval x = load(3)\nval y = root.discount\n'},
        {"scripts/a.main.kts": None},
    ),
    "c++: a template of the standard library before a member": (
        {"limits.hpp": "#pragma once\nnamespace shop {\nnamespace detail {\ntemplate <class T>\nusing numeric_limits = OTHER::numeric_limits<T>;\n}\n}\n", "text.hpp": '#pragma once\n#include "limits.hpp"\n', "use.hpp": '#include <limits>\n#include "text.hpp"\n\ntemplate <class T>\nbool has() { return std::numeric_limits<T>::has_infinity; }\n'},
        {"text.hpp": "#pragma once\n"},
    ),
    "kotlin: a class that becomes nested, with a wildcard import": (
        {"core/Model.kt": "package app.core\n\nclass Relationship(val id: String)\n", "ui/Account.kt": "package app.ui\n\nenum class FollowState { FOLLOWING, REQUESTED }\n\nclass Account {\n    fun state(): FollowState = FollowState.FOLLOWING\n}\n", "ui/Other.kt": "package app.ui\n\nfun f(s: FollowState) = s == FollowState.REQUESTED\n"},
        {"core/Model.kt": "package app.core\n\nclass Relationship(val id: String) {\n    enum class FollowState { FOLLOWING, REQUESTED }\n}\n", "ui/Account.kt": "package app.ui\n\nimport app.core.Relationship.FollowState\n\nclass Account {\n    fun state(): FollowState = FollowState.FOLLOWING\n}\n", "ui/Other.kt": "package app.ui\n\nimport app.core.Relationship.*\n\nfun f(s: FollowState) = s == FollowState.REQUESTED\n"},
    ),
    "go: an interface method that an embedded interface has": (
        {"go.mod": "module x\n\ngo 1.22\n", "gui/gui.go": "package gui\n\ntype IHandler interface {\n\tAsk(a string) error\n}\n\ntype Handler struct{}\n\nfunc (h *Handler) Ask(a string) error { return nil }\n", "ctrl/c.go": 'package ctrl\n\nimport "x/gui"\n\ntype C struct{ h gui.IHandler }\n\nfunc (c *C) Run() error { return c.h.Ask("x") }\n'},
        {"gui/gui.go": "package gui\n\ntype asker interface {\n\tAsk(a string) error\n}\n\ntype IHandler interface {\n\tasker\n}\n\ntype base struct{}\n\nfunc (h *base) Ask(a string) error { return nil }\n\ntype Handler struct{ base }\n"},
    ),
    "c++: a method that becomes a template in the header": (
        {"CMakeLists.txt": "project(x)\n", "lib/prefs.h": "#pragma once\nenum { SHOW_TOOLBAR, SHOW_STATUS };\nclass Prefs {\npublic:\n  bool getBool(int key) const;\n  void set(int key, bool v);\n};\n", "lib/prefs.cc": '#include "prefs.h"\nbool Prefs::getBool(int key) const { return key; }\nvoid Prefs::set(int key, bool v) {}\n', "qt/main.cc": '#include "../lib/prefs.h"\nint go(Prefs& p) { p.set(SHOW_TOOLBAR, true); return p.getBool(SHOW_STATUS); }\n'},
        {"lib/prefs.h": "#pragma once\nclass Prefs {\npublic:\n  enum Key {\n    SHOW_TOOLBAR,\n    SHOW_STATUS\n  };\n  bool getBool(int key) const;\n  template <class T>\n  void set(int key, T v) {\n  }\n};\nusing enum Prefs::Key;\n", "lib/prefs.cc": '#include "prefs.h"\nbool Prefs::getBool(int key) const { return key; }\n'},
    ),
    "c++: a method that becomes constexpr in the header": (
        {"lib/context.h": "#pragma once\nstruct Config;\nclass Context {\npublic:\n  void setConfig(Config const* config);\n};\nContext& current();\n", "lib/context.cc": '#include "context.h"\nvoid Context::setConfig(Config const* config) {}\n', "app/other.h": "#pragma once\nclass Other {\npublic:\n  void setConfig(int a);\n};\n", "app/run.cc": '#include "../lib/context.h"\nvoid run(Config const* c) { current().setConfig(c); }\n'},
        {"lib/context.h": "#pragma once\nstruct Config;\nclass Context {\npublic:\n  constexpr void setConfig(Config const* config) {}\n};\nContext& current();\n", "lib/context.cc": '#include "context.h"\n'},
    ),
    "c++: a function that becomes a macro": (
        {"lib/log.h": "#pragma once\nstruct tr_log_message { int level; };\nvoid tr_logFree(tr_log_message* m);\n", "lib/log.cc": '#include "log.h"\nvoid tr_logFree(tr_log_message* m) {}\n', "gtk/a.cc": '#include "../lib/log.h"\nvoid f(tr_log_message* m) { tr_logFree(m); }\n'},
        {"lib/log.h": "#pragma once\nnamespace tr {\nstruct log_message { int level; };\ninline void logFree(log_message* m) {}\n}\nusing tr_log_message = tr::log_message;\n#define tr_logFree(m) tr::logFree(m)\n", "lib/log.cc": '#include "log.h"\n'},
    ),
    "kotlin: a function that the companion inherits": (
        {"a/A.kt": 'package a\n\nclass A {\n    companion object {\n        const val KEY_NAME = "x"\n        fun make() = A()\n    }\n}\n', "a/U.kt": "package a\n\nimport a.A.Companion.KEY_NAME\n\nfun f() = KEY_NAME\nfun g() = A.make()\n"},
        {"a/A.kt": 'package a\n\nconst val KEY_NAME = "x"\n\nclass A {\n    companion object : Factory\n}\n\ninterface Factory {\n    fun make() = A()\n}\n', "a/U.kt": "package a\n\nfun f() = KEY_NAME\nfun g() = A.make()\n"},
    ),
    "c++: an overload whose body moves to another file": (
        {
            "app.hpp": "class App {\n  public:\n    App *require() { return this; }\n    App *require(int n) { return this; }\n};\n",
            "use.cpp": '#include "app.hpp"\n\nvoid use(App *app) { app->require(2); }\n',
        },
        {
            "app.hpp": "class App {\n  public:\n    App *require() { return this; }\n    App *require(int n);\n};\n",
            "app_inl.hpp": '#include "app.hpp"\n\nApp *App::require(int n) { return this; }\n',
        },
    ),
    "c++: overloads that are only declared, behind a macro": (
        {
            "text.hpp": "namespace detail {\ninline std::string &trim_end(std::string &s) { return s; }\ninline std::string &trim_end(std::string &s, const std::string &c) { return s; }\n}\n",
            "use.cpp": '#include "text.hpp"\n\nvoid use(std::string s) { detail::trim_end(s); }\n',
        },
        {
            "text.hpp": "namespace detail {\nAPI_INLINE std::string &trim_end(std::string &s);\nAPI_INLINE std::string &trim_end(std::string &s, const std::string &c);\n}\n",
            "text_inl.hpp": '#include "text.hpp"\n\nnamespace detail {\nAPI_INLINE std::string &trim_end(std::string &s) { return s; }\nAPI_INLINE std::string &trim_end(std::string &s, const std::string &c) { return s; }\n}\n',
        },
    ),
    "kotlin: a class that becomes an alias": (
        {"a/Old.kt": "package a\n\nclass Cart {\n    fun total() = 1\n}\n", "a/U.kt": "package a\n\nfun f(c: Cart) = c.total()\n"},
        {"a/Old.kt": "package a\n\ntypealias Cart = a.shop.Basket\n", "a/shop/Basket.kt": "package a.shop\n\nclass Basket {\n    fun total() = 1\n}\n"},
    ),
    "go: a method and a field that an embedded struct has": (
        {"go.mod": "module x\n\ngo 1.22\n", "a/a.go": "package a\n\ntype Ctx struct {\n\tName string\n\tSize int\n}\n\nfunc (c *Ctx) Close() {}\n", "b/b.go": 'package b\n\nimport "x/a"\n\nfunc F(c *a.Ctx) string {\n\tc.Close()\n\treturn c.Name\n}\n'},
        {"a/a.go": "package a\n\ntype base struct {\n\tName string\n}\n\nfunc (b *base) Close() {}\n\ntype Ctx struct {\n\tbase\n\tSize int\n}\n"},
    ),
    "go: a type that becomes an alias in a block": (
        {"go.mod": "module x\n\ngo 1.22\n", "a/a.go": "package a\n\nfunc Load(n int) int { return n }\n\ntype Opt struct {\n\tN int\n}\n\nconst Max = 3\n", "b/b.go": 'package b\n\nimport "x/a"\n\nfunc F(o a.Opt) int { return a.Load(a.Max) + o.N }\n'},
        {"a/a.go": 'package a\n\nimport "x/internal/c"\n\nvar Load = c.Load\n\ntype (\n\tOpt = c.Opt\n)\n\nconst (\n\tMax = c.Max\n)\n', "internal/c/c.go": "package c\n\nfunc Load(n int) int { return n }\n\ntype Opt struct {\n\tN int\n}\n\nconst Max = 3\n"},
    ),
    "elixir: a function that `use` defines": (
        {"lib/a.ex": "defmodule A do\n  use Base\n  def list_all(x), do: x\nend\n", "lib/base.ex": "defmodule Base do\n  defmacro __using__(_) do\n    quote do\n      def one(x), do: x\n    end\n  end\nend\n", "lib/u.ex": "defmodule U do\n  def f(x), do: A.list_all(x)\nend\n"},
        {"lib/a.ex": "defmodule A do\n  use Base\nend\n", "lib/base.ex": "defmodule Base do\n  defmacro __using__(_) do\n    quote do\n      def one(x), do: x\n      def list_all(x), do: x\n    end\n  end\nend\n"},
    ),
    "python: a class that a call makes": (
        {"k.py": "import enum\n\n\nclass Color(enum.Enum):\n    RED = 1\n    BLUE = 2\n", "use.py": "from k import Color\n\nprint(Color.RED, Color.BLUE)\n"},
        {"k.py": 'import enum\n\nColor = enum.Enum("Color", "RED BLUE")\n'},
    ),
    "ruby: a class that a call makes": (
        {"lib/a.rb": "class Point\n  attr_reader :left_edge, :top\n  def initialize(left_edge:, top:)\n    @left_edge = left_edge\n    @top = top\n  end\nend\n", "lib/u.rb": 'require_relative "a"\nPoint.new(left_edge: 1, top: 2).left_edge\n'},
        {"lib/a.rb": "Point = Data.define(:left_edge, :top)\n"},
    ),
    "swift: an initializer whose label the calls never had": (
        {"Package.swift": "// swift-tools-version:5.5\n", "Sources/Shop/Part.swift": "public struct Part {\n    public let body: [UInt8]\n}\n\nextension String {\n    public init?(part: Part) {\n        self.init(decoding: part.body, as: UTF8.self)\n    }\n}\n", "Sources/Shop/Use.swift": "func text(of raw: Substring, data: [UInt8]) -> String {\n    return String(raw) + String(decoding: data, as: UTF8.self)\n}\n"},
        {"Sources/Shop/Part.swift": "public struct Part {\n    public let body: [UInt8]\n}\n"},
    ),
    "rust: a private import that a test imports from the crate itself": (
        {"Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n\n[dependencies]\nserde = "1"\n', "src/lib.rs": "mod context;\npub use context::*;\n", "src/context.rs": "use serde::de::{Deserialize, Deserializer};\n\npub struct Order(i32);\n\nimpl<'de> Deserialize<'de> for Order {\n    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {\n        Ok(Self(1))\n    }\n}\n\npub struct Context {\n    pub order: Order,\n}\n", "tests/order.rs": "use shop::*;\n\npub fn test_order() {\n    use serde::Deserialize;\n\n    #[derive(Deserialize, Clone)]\n    enum Kind {\n        Real,\n    }\n}\n"},
        {"src/lib.rs": "mod context;\nmod order;\npub use context::*;\npub use order::Order;\n", "src/context.rs": "use crate::Order;\n\npub struct Context {\n    pub order: Order,\n}\n", "src/order.rs": "use serde::{Deserialize, Deserializer};\n\npub struct Order(i32);\n\nimpl<'de> Deserialize<'de> for Order {\n    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {\n        Ok(Self(1))\n    }\n}\n"},
    ),
    "rust: a list of imports with a path that begins like an inner module": (
        {"Cargo.toml": '[package]\nname = "shop"\nedition = "2021"\n', "src/lib.rs": "pub mod mysql;\npub mod query;\n", "src/query/mod.rs": "pub mod bind;\n", "src/query/bind.rs": "pub struct Raw;\n", "src/mysql/mod.rs": "pub mod query;\n", "src/mysql/query.rs": "pub struct Builder;\n"},
        {"src/mysql/mod.rs": "pub mod query;\n\nuse crate::{mysql::query::Builder, query::bind::Raw};\n\npub fn make(_: Builder, _: Raw) {}\n"},
    ),
    "go: constants that move in their package, one of them assigned": (
        {"go.mod": "module x\n\ngo 1.22\n", "kinds/store.go": 'package kinds\n\nimport "x/back"\n\ntype FileType = back.FileType\n\nconst (\n\tPackFile = back.PackFile\n\tKeyFile  = back.KeyFile\n)\n', "back/back.go": "package back\n\ntype FileType uint8\n\nconst (\n\tPackFile FileType = 1 + iota\n\tKeyFile\n)\n", "cmd/list.go": 'package cmd\n\nimport "x/kinds"\n\nfunc List(what string) kinds.FileType {\n\tvar t kinds.FileType\n\tswitch what {\n\tcase "packs":\n\t\tt = kinds.PackFile\n\tcase "keys":\n\t\tt = kinds.KeyFile\n\t}\n\treturn t\n}\n'},
        {"kinds/store.go": "package kinds\n", "kinds/filetype.go": "package kinds\n\ntype FileType uint8\n\nconst (\n\tPackFile FileType = 1 + iota\n\tKeyFile\n)\n"},
    ),
    "c++: a function that has the name of one of the standard library": (
        {"lib/helper.h": "#pragma once\n#include <ctime>\nnamespace lib { namespace helper {\ninline size_t strftime(char *str, size_t count, const char *format, const std::tm *time) { return std::strftime(str, count, format, time); }\n} }\n", "lib/sink.h": '#pragma once\n#include "helper.h"\nnamespace lib {\ninline size_t name(char *s, const std::tm *t) { return helper::strftime(s, 9, "x", t); }\n}\n', "lib/log.h": '#pragma once\n#include "helper.h"\nnamespace lib {\ninline void log(char *s, const std::tm *t) { std::strftime(s, 9, "x", t); }\n}\n'},
        {"lib/helper.h": "#pragma once\n#include <ctime>\nnamespace lib { namespace helper {\n} }\n", "lib/sink.h": '#pragma once\n#include "helper.h"\nnamespace lib {\nstruct Sink {\n  static size_t strftime(char *s, size_t n, const char *f, const std::tm *t) { return std::strftime(s, n, f, t); }\n  size_t name(char *s, const std::tm *t) { return strftime(s, 9, "x", t); }\n};\n}\n'},
    ),
    "go: a function that the language has, too": (
        {"go.mod": "module x\n\ngo 1.22\n", "a/main.go": "package a\n\nfunc max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n\nfunc Wide(n int) int {\n\treturn max(n, 3)\n}\n", "a/other.go": "package a\n\nfunc Other(n int) int {\n\treturn max(n, 4)\n}\n"},
        {"a/main.go": "package a\n\nfunc Wide(n int) int {\n\treturn max(n, 3)\n}\n"},
    ),
    "typescript: functions of one name, imported in different blocks": (
        {"gts.ts": "export function parseFile(source: string, name: string, opts: object) {\n  return [source, name, opts];\n}\n", "hbs.ts": "export function parseFile(source: string, name: string, opts: object) {\n  return [name, source, opts];\n}\n", "extract.ts": "export async function extract(source: string, fn: string, opts: object, parse: () => void) {\n  if (fn.endsWith('.hbs')) {\n    const {parseFile} = await import('./hbs.js')\n    parseFile(source, fn, opts)\n  } else {\n    const {parseFile} = await import('./gts.js')\n    parseFile(source, fn, opts)\n  }\n}\n"},
        {"gts.ts": "export function parseFile(source: string, name: string, opts: object, parse: () => void) {\n  return [source, name, opts, parse()];\n}\n", "extract.ts": "export async function extract(source: string, fn: string, opts: object, parse: () => void) {\n  if (fn.endsWith('.hbs')) {\n    const {parseFile} = await import('./hbs.js')\n    parseFile(source, fn, opts)\n  } else {\n    const {parseFile} = await import('./gts.js')\n    parseFile(source, fn, opts, parse)\n  }\n}\n"},
    ),
    "rust: a method that an attribute generates": (
        {"Cargo.toml": '[package]\nname = "j"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ntyped-builder = "0.20"\n', "src/lib.rs": "pub mod a;\npub mod u;\n", "src/a.rs": "pub struct S {\n    pub n: u8,\n}\nimpl S {\n    pub fn builder() -> B {\n        B\n    }\n}\npub struct B;\nimpl B {\n    pub fn n(self, n: u8) -> Self {\n        self\n    }\n}\n", "src/u.rs": "use crate::a::S;\npub fn f() {\n    S::builder().n(1);\n}\n"},
        {"src/a.rs": "use typed_builder::TypedBuilder;\n\n#[derive(TypedBuilder)]\npub struct S {\n    pub n: u8,\n}\n"},
    ),
}  # fmt: skip
SHELL = {f"{name}/Cargo.toml": f'[package]\nname = "shop-{name}"\nedition = "2021"\n' for name in "abc"}
SHELL["b/Cargo.toml"] += '\n[dependencies]\nshop-a = { path = "../a" }\n'
LOST = {
    "a property with another name": (
        STAYS["kotlin: a property that Java has as a removed getter"][0],
        {ITEM: PROPERTY.format('val title = "a"')},
    ),
    "a property of a file with another name": (
        STAYS["kotlin: a property of a file that Java has as a removed getter"][0],
        {ITEM: 'package com.shop\n\nval title = "a"\n'},
    ),
    "a module that becomes an object": (
        {"package.json": "{}", "charge.js": CHARGE.format("charge "), "server.js": "const charge = require('./charge');\n\ncharge(1);\n"},
        {"charge.js": "module.exports = { charge: function (one) {\n  return one;\n} };\n"},
    ),
    "another alias": (
        STAYS["c#: an alias in the project with the name of a removed class"][0],
        {"Shop.csproj": PROJECT.format(ALIAS.replace("Cash", "Coin")), "Cash.cs": "namespace Shop;\n\npublic class Money { }\n"},
    ),
    "a class of another crate than the path names": (
        {**SHELL, "a/src/lib.rs": "mod index;\npub use index::{Index, Filter};\n", "a/src/index.rs": "pub struct Index;\n\npub struct Filter {\n    pub all: bool,\n}\n", "b/src/lib.rs": "\n", "b/benches/search.rs": "use shop_a::{Index, Filter};\n\nfn main() {\n    let _ = (Index, Filter { all: true });\n}\n", "c/src/lib.rs": "pub struct Settings;\n"},
        {"a/src/lib.rs": "mod index;\npub use index::Index;\n", "a/src/index.rs": "pub struct Index;\n", "c/src/lib.rs": "pub struct Settings;\n\npub struct Filter<'a>(pub &'a str);\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", STAYS)
def test_moved_name_that_still_resolves_is_not_proven_missing(repository: Repository, what: str) -> None:
    """Nothing is proven about a name that a base, an embedded type, an import, an alias or generated code provides."""
    before, after = STAYS[what]
    repository.commit(dict(before), "before")
    repository.commit(dict(after), "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    proven = [one.title for one in review.findings if one.verdict == Verdict.PROVEN]
    assert (proven, review.open) == ([], ())


@pytest.mark.parametrize(
    ("user", "now"),
    [
        ("import lib.Base\n\nclass Box : Base() { fun get(): Item? = null }\n", "class Box { fun get(): Item? = null }\n"),
        ("import lib.*\n\nfun get(): Item? = null\n", "import lib.Base\n\nfun get(): Item? = null\n"),
    ],
)  # fmt: skip
def test_removed_name_that_may_come_from_elsewhere_is_not_proven(repository: Repository, user: str, now: str) -> None:
    """Of a removed name of one word nothing is proven if a class or a package that is unknown may have it."""
    told = []
    for used in (user, now):
        home = "package com.shop\n\nclass Keep\n"
        files = {
            "src/com/shop/A.kt": f"{home}\nclass Item\n",
            "src/com/shop/B.kt": f"package com.shop\n\n{used}",
        }
        repository.commit({**files}, "before")
        repository.commit({"src/com/shop/A.kt": home}, "after")
        review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
        told.append(([one.verdict for one in review.findings], [row.partition(":")[0] for row in review.overlooked]))
    assert told == [([], ["src/com/shop/B.kt"]), (["proven"], [])]


def test_removed_private_import_breaks_a_submodule(repository: Repository) -> None:
    """If the private import is removed, a submodule that imports the name from there is broken."""
    total = "use super::Cart;\n\npub fn total(cart: &Cart) -> i32 {\n    cart.count\n}\n"
    before = {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n',
        "src/lib.rs": "pub mod cart;\npub mod order;\n",
        "src/cart.rs": "pub struct Cart {\n    pub count: i32,\n}\n",
        "src/order.rs": "use crate::cart::Cart;\npub mod total;\n\npub fn made() -> i32 {\n    1\n}\n",
        "src/order/total.rs": total,
    }
    repository.commit(before, "before")
    repository.commit({"src/order.rs": before["src/order.rs"].replace("use crate::cart::Cart;\n", "")}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert [(one.path, one.verdict) for one in review.findings] == [("src/order/total.rs", "proven")]


def test_exporting_file_is_read_even_if_the_search_limit_is_reached(repository: Repository) -> None:
    """A name is still found if the search for definitions reaches its limit before the exporting file."""
    header = "const CardHeader = (props: {title: string}) => <h1>{props.title}</h1>;\n\n"
    was = f"{header}const Header = CardHeader;\n\nexport {{ CardHeader, Header }};\n"
    now = f"{header}export {{\n  CardHeader,\n  CardHeader as Header,\n}};\n"
    before = {
        "package.json": '{"name": "root", "private": true, "workspaces": ["ui/*", "app"]}\n',
        "app/package.json": '{"name": "app", "dependencies": {"all": "workspace:*"}}\n',
        "app/page.tsx": "import { Card } from 'all';\n\nexport const Page = () => <Card.Header title='b' />;\n",
        "app/aa.tsx": "export const titles = [\n" + "  'Header',\n" * 4_001 + "];\n",
        "ui/all/package.json": '{"name": "all", "source": "./src/index.ts", "main": "./src/index.ts"}\n',
        "ui/all/src/index.ts": "export * as Card from '@ui/card';\n",
        "ui/card/package.json": '{"name": "@ui/card", "source": "./src/index.ts", "main": "./src/index.ts"}\n',
        "ui/card/src/index.ts": "export { CardHeader, Header } from './card';\n",
        "ui/card/src/card.tsx": was,
    }
    repository.commit(before, "before")
    repository.commit({"ui/card/src/card.tsx": now}, "alias")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert (review.findings, review.open) == ((), ())


def test_new_enum_member_affects_only_exhaustive_code(repository: Repository) -> None:
    """A new enum member affects only code that has to list every member."""
    error = "export enum Code {\n  NOT_FOUND = 'NOT_FOUND',\n}\n"
    user = "import { Code } from './code';\nexport const f = () => Code.NOT_FOUND;\n"
    kind = "package a;\n\npublic enum Kind {\n  ON, OFF;\n}\n"
    job = "package a;\n\nclass Job {\n  Kind kind = Kind.ON;\n}\n"
    repository.commit({"code.ts": error, "user.ts": user, "a/Kind.java": kind, "a/Job.java": job}, "before")
    gained = error.replace("}", "  OUT_OF_TURN = 'OUT_OF_TURN',\n}")
    repository.commit({"code.ts": gained, "a/Kind.java": kind.replace("OFF", "OFF, IDLE")}, "gains")
    repository.commit({"code.ts": error.replace("'NOT_FOUND'", "'GONE'")}, "edits")

    gains, edits = (deeprepo.review(repository.folder, f"{one}~1..{one}", effort="none") for one in ("HEAD~1", "HEAD"))
    assert (gains.findings, gains.open, gains.relying) == ((), (), ())
    assert [row.partition(":")[0] for row in edits.relying] == ["user.ts"]


def test_elixir_module_with_the_same_last_part_is_another_module(repository: Repository) -> None:
    """Without an alias, `Supervisor` means Elixir's own module, not the changed `Shop.Queue.Supervisor`."""
    supervisor = """defmodule Shop.Queue.Supervisor do
  use Supervisor

  def child_spec({name, opts}, conf), do: {name, opts, conf}
end
"""
    shop = """defmodule Shop do
  def plugin(module), do: Supervisor.child_spec({module, []}, id: module)
end
"""
    repository.commit({"lib/shop/queue/supervisor.ex": supervisor, "lib/shop.ex": shop}, "before")
    after = supervisor.replace("({name, opts}, conf), do: {name, opts, conf}", "(opts), do: opts")
    repository.commit({"lib/shop/queue/supervisor.ex": after}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert ([one.title for one in review.findings], review.open) == ([], ())


@pytest.mark.parametrize(
    "record",
    [
        "record struct RuleKey(Type Kind, Policy? NamingPolicy);",
        "record RuleKey(\n    Policy? NamingPolicy,\n    Type Kind);",
    ],
)
def test_csharp_record_parameters_are_members(repository: Repository, record: str) -> None:
    """A C# record's parameters are still found as members after the record moves out of its class."""
    cache = "namespace Shop;\n\nsealed partial class Cache\n{\n    Rules? Get(RuleKey k) => _all.GetOrAdd(new(k), key => new(() => Made(key.NamingPolicy))).Value;\n"
    files: dict[str, str | bytes | None] = {
        "A.cs": f"{cache}\n    {record}\n}}\n",
        "A.Other.cs": "namespace Shop;\n\nsealed partial class Cache\n{\n    int Other() => 1;\n}\n",
    }
    found = find(repository.change(files, {"A.cs": f"{cache}}}\n\n{record}\n"}))
    rows = [row for row in found.references if row.path == "A.cs" and row.name.endswith("NamingPolicy")]
    assert rows
    assert [row for row in rows if row.missing] == []


@pytest.mark.parametrize(
    ("home", "user", "shared", "line"),
    [
        (
            "Sources/Shop/Part.swift",
            "Sources/Shop/Use.swift",
            "Sources/Shop/Exports.swift",
            "@_exported import PartKit",
        ),
        ("Part.cs", "Use.cs", "Usings.cs", "global using PartKit;"),
    ],
)
def test_import_for_all_files_may_provide_a_removed_class(
    repository: Repository, home: str, user: str, shared: str, line: str
) -> None:
    """A removed class is not proven missing if the change adds an import for all files."""
    is_swift = home.endswith(".swift")
    part = (
        "public struct MultiPart {\n  public init() {}\n}\n"
        if is_swift
        else "namespace Shop;\npublic class MultiPart {\n}\n"
    )
    use = (
        "func make() -> MultiPart {\n  return MultiPart()\n}\n"
        if is_swift
        else "namespace Shop;\nclass Use {\n  MultiPart Make() { return new MultiPart(); }\n}\n"
    )
    repository.commit({home: part, user: use, shared: "// imports\n"}, "before")
    repository.commit({home: None, shared: f"// imports\n{line}\n"}, "after")
    verdicts = {one.verdict for one in deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").findings}
    repository.commit({shared: "// imports\n"}, "without")
    without = {one.verdict for one in deeprepo.review(repository.folder, "HEAD~2..HEAD", effort="none").findings}
    assert (Verdict.PROVEN in verdicts, Verdict.PROVEN in without) == (False, True)


def test_call_of_a_removed_swift_initializer_is_reported(repository: Repository) -> None:
    """A call with the removed Swift initializer's label is reported."""
    before, after = STAYS["swift: an initializer whose label the calls never had"]
    use = "func text(of part: Part) -> String? {\n    return String(part: part)\n}\n"
    repository.commit({**before, "Sources/Shop/Use.swift": use}, "before")
    repository.commit(dict(after), "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert [row.partition(":")[0] for row in review.overlooked] == ["Sources/Shop/Use.swift"]


def test_added_import_of_a_removed_name_is_proven_to_break(repository: Repository) -> None:
    """The author forgot it."""
    use = "from shop.rates import {}\n\n\ndef total(row):\n    return {}\n"
    both = "def apply(row):\n    return row\n\n\ndef fee(row):\n    return row / 2\n"
    repository.commit({"shop/rates.py": both, "shop/cart.py": use.format("apply, fee", "apply(fee(row))")}, "before")
    repository.commit({"shop/rates.py": "", "shop/cart.py": use.format("fee", "fee(row)")}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert {one.verdict for one in review.findings if one.path == "shop/cart.py"} == {"proven"}


@pytest.mark.parametrize("name", LOST)
def test_name_that_nothing_gives_any_more_is_proven_missing(repository: Repository, name: str) -> None:
    """The name is proven to be missing if what the change adds gives another name, or gives it elsewhere."""
    before, after = LOST[name]
    repository.commit(dict(before), "before")
    repository.commit(dict(after), "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert {one.verdict for one in review.findings} == {"proven"}


def test_name_is_not_proven_missing_in_the_line_that_adds_it(repository: Repository) -> None:
    """A library that the change includes provides the method now."""
    old = "def assert_count(count)\n  assert_equal count, 1\nend\n"
    new = "Minitest::Test.include(Minitest::Memory)\n\ndef assert_some(count)\n  assert_count(count: count)\nend\n"
    repository.commit({"test/test_helper.rb": f'require "minitest/autorun"\n\n{old}'}, "before")
    repository.commit(
        {"test/test_helper.rb": f'require "minitest/autorun"\nrequire "minitest/memory"\n\n{new}'}, "after"
    )
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert [one.title for one in review.findings if one.verdict == "proven"] == []


def test_csharp_call_may_mean_an_extension_of_another_type(repository: Repository) -> None:
    """Nothing is proven if another extension with the removed name is visible."""
    head = "namespace Shop.Tests\n{\n"
    drop = "    public static class ExtensionsOf{0}\n    {{\n        public static void Drop(this {0} one) {{ }}\n    }}\n}}\n"
    use = "    public class MailTest : StoreTest<Mail>\n    {\n        public void End() { Store.Drop(); }\n    }\n"
    before = {"tests/Raven.cs": head + drop.format("Raven"), "tests/Mail.cs": head + use + drop.format("Mail")}
    repository.commit(before, "before")
    repository.git("rm", "-q", "tests/Raven.cs")
    repository.git("commit", "-qm", "after")
    assert deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").findings == ()


def test_csharp_constructor_of_a_namesake_in_another_project_is_not_the_changed_one(repository: Repository) -> None:
    """If two files define the class in the same namespace, a new parameter in one of them proves nothing."""
    store = "namespace Shop.Stores\n{{\n    public class Cache\n    {{\n        public Cache({}) {{ }}\n    }}\n}}\n"
    use = "using Shop.Stores;\n\nnamespace Shop\n{\n    public class Options\n    {\n        public object Made() { return new Cache(30); }\n    }\n}\n"
    repository.commit({"core/Stores/Cache.cs": store.format("int minutes"), "old/Options.cs": use}, "before")
    after = {
        "core/Stores/Cache.cs": store.format("object memory, int minutes"),
        "old/Cache.cs": store.format("int minutes"),
    }
    repository.commit(after, "after")
    assert deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").findings == ()
