"""Names that moved are not reported if they still resolve; names that nothing provides any more are."""

import time
from collections.abc import Mapping

import pytest
from contract_findings import look, open_uses
from fakes import Repository
from families import few

from deeprepo.impact.uses.known_files import KnownFiles
from deeprepo.impact.uses.providers import is_declared_still

Files = Mapping[str, str | None]
WORKSPACE = '[workspace]\nmembers = ["crates/*"]\n'
CRATE = '[package]\nname = "NAME"\nversion = "0.1.0"\nedition = "2021"\n'
SHAPE, TONE = "pub mod tone;\n\npub struct Shape;\n", "pub struct Tone;\n"
USER = "use crate::shape::Shape;\nuse crate::shape::tone::Tone;\n\npub fn draw(_: Shape, _: Tone) {}\n"
RUST: Files = {
    "Cargo.toml": WORKSPACE,
    "crates/app/Cargo.toml": CRATE.replace("NAME", "app"),
    "crates/app/src/lib.rs": "pub mod draw;\npub mod shape;\n",
    "crates/app/src/shape.rs": SHAPE,
    "crates/app/src/shape/tone.rs": TONE,
    "crates/app/src/draw.rs": USER,
}
GONE: Files = {"crates/app/src/shape.rs": None, "crates/app/src/shape/tone.rs": None}
CORE: Files = {
    "crates/core/Cargo.toml": CRATE.replace("NAME", "app-core"),
    "crates/core/src/lib.rs": "pub mod shape;\n",
    "crates/core/src/shape.rs": SHAPE,
    "crates/core/src/shape/tone.rs": TONE,
    "crates/app/Cargo.toml": CRATE.replace("NAME", "app") + '\n[dependencies]\napp-core = { path = "../core" }\n',
}
ALLMAN = "namespace Shop\n{\n    public static class Sizes\n    {\n        public static int Even(Box box) { return 2; }\n    }\n}\n"
BOX = "namespace Shop\n{\n    public class Box\n    {\n        public int Wide() { return 3; }\n    }\n}\n"
LIB = "namespace Shop\n{\n    public static class Tools\n    {\n        public static int CountRows(this Box box) { return 3; }\n    }\n}\n"
CALLER = "using Shop;\n\nnamespace App\n{\n    public class Use : Box\n    {\n        public int Far() { return Make().CountRows() + this.CountRows(); }\n        Box Make() { return null; }\n    }\n}\n"
EXTENSION: Files = {"Box.cs": BOX, "Tools.cs": LIB, "App/Use.cs": CALLER}
WITHOUT = LIB.replace("        public static int CountRows(this Box box) { return 3; }\n", "")
FLAGS = "bitflags! {\n    pub struct SearchFields: u32 {\n        const MESSAGE = 1;\n    }\n}\n"
FLAGS_TEST = "    #[test]\n    fn finds() {\n        let fields = SearchFields::MESSAGE;\n    }\n"
LEXEME_TEST = "using Shop;\n\nnamespace Shop.Tests;\n\npublic partial class EngineTests\n{\n    static Lexeme Make(string id) =>\n        new(id);\n}\n"
LEXEME = "namespace Shop;\n\npublic class Lexeme { public static int Rows() => 1; }\n"
LEXEME_USER = "namespace Shop;\n\npublic partial class Use\n{\n    int Far() => Lexeme.Rows();\n}\n"
JAVA_LEXEME = "package shop;\n\npublic class Lexeme {\n    static int rows() { return 1; }\n}\n"
JAVA_BASE = "package shop;\n\npublic class Base { }\n"
JAVA_USER = "package shop;\n\npublic class Use extends Base {\n    int far() { return Lexeme.rows(); }\n}\n"
MOVED: dict[str, tuple[Files, Files]] = {
    "a module of Rust, to another crate": (
        RUST,
        {**GONE, **CORE, "crates/app/src/lib.rs": "pub mod draw;\n\npub use app_core::shape;\n"},
    ),
    "a module of Rust, handed on with all others": (
        RUST,
        {**GONE, **CORE, "crates/app/src/lib.rs": "pub mod draw;\n\npub use app_core::*;\n"},
    ),
    "a module of Rust, to a published crate": (
        RUST,
        {**GONE, "crates/app/src/lib.rs": "pub mod draw;\n\npub use app_core::{shape};\n"},
    ),
    "a file module of Rust, into an inline one": (
        RUST,
        {
            **GONE,
            "crates/app/src/lib.rs": "pub mod draw;\n\npub mod shape {\n    pub struct Shape;\n\n    pub mod tone {\n        pub struct Tone;\n    }\n}\n",
        },
    ),
    "a module of Rust, to a path that an attribute names": (
        RUST,
        {
            **GONE,
            "crates/app/src/lib.rs": 'pub mod draw;\n#[path = "form/shape.rs"]\npub mod shape;\n',
            "crates/app/src/form/shape.rs": '#[path = "tone.rs"]\npub mod tone;\n\npub struct Shape;\n',
            "crates/app/src/form/tone.rs": TONE,
        },
    ),
    "a type of Rust, into a macro of another module that inner tests import": (
        {
            "Cargo.toml": CRATE.replace("NAME", "app"),
            "src/lib.rs": "pub mod walk;\n",
            "src/walk.rs": f"{FLAGS}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{FLAGS_TEST}}}\n",
        },
        {
            "src/lib.rs": "pub mod filter;\npub mod walk;\n",
            "src/filter.rs": FLAGS,
            "src/walk.rs": f"#[cfg(test)]\nmod tests {{\n    use crate::filter::SearchFields;\n\n{FLAGS_TEST}}}\n",
        },
    ),
    "a type of C#, into another part of a test class": (
        {
            "src/Engine.cs": "namespace Shop;\n\nsealed class Lexeme(string id);\n\npublic class Engine { }\n",
            "tests/Shop.Tests/EngineTests.cs": LEXEME_TEST,
        },
        {
            "src/Engine.cs": "namespace Shop;\n\npublic class Engine { }\n",
            "tests/Shop.Tests/EngineTests.Fixtures.cs": "namespace Shop.Tests;\n\npublic partial class EngineTests\n{\n    sealed class Lexeme(string id);\n}\n",
        },
    ),
    "a type of Rust, into a macro of another module that one function imports": (
        {
            "Cargo.toml": CRATE.replace("NAME", "app"),
            "src/lib.rs": "pub mod filter;\npub mod walk;\n",
            "src/filter.rs": "pub fn other() {}\n",
            "src/walk.rs": f"{FLAGS}\npub fn walk() {{\n    let fields = SearchFields::MESSAGE;\n}}\n",
        },
        {
            "src/filter.rs": f"pub fn other() {{}}\n\n{FLAGS}",
            "src/walk.rs": "pub fn walk() {\n    use crate::filter::SearchFields;\n\n    let fields = SearchFields::MESSAGE;\n}\n",
        },
    ),
    "an import of Rust, of a module that another import also leads through": (
        {
            "Cargo.toml": CRATE.replace("NAME", "app"),
            "src/lib.rs": "pub mod parcels;\npub mod receipts;\npub mod shop;\n",
            "src/shop/mod.rs": "pub mod refunds;\n",
            "src/shop/refunds.rs": "pub fn total() {}\n\npub trait Customer {}\n",
            "src/receipts.rs": "pub fn other() {}\n",
            "src/parcels.rs": "use crate::shop::{refunds::{Customer}};\nuse crate::shop::refunds;\n\npub struct Depot;\nimpl Customer for Depot {}\n\npub fn go() {\n    refunds::total();\n}\n",
        },
        {
            "src/shop/refunds.rs": "pub trait Customer {}\n\npub use crate::receipts::total;\n",
            "src/receipts.rs": "pub fn other() {}\n\npub fn total() {}\n",
            "src/parcels.rs": "use crate::shop::{refunds::{Customer}};\nuse crate::receipts;\n\npub struct Depot;\nimpl Customer for Depot {}\n\npub fn go() {\n    receipts::total();\n}\n",
        },
    ),
    "a file of C#, into another part of the class that uses its type": (
        {"Lexeme.cs": LEXEME, "Use.cs": LEXEME_USER},
        {
            "Lexeme.cs": None,
            "Use.Types.cs": f"namespace Shop;\n\npublic partial class Use\n{{\n    {LEXEME.splitlines()[-1]}\n}}\n",
        },
    ),
    "a type of C#, now an alias for the whole project": (
        {"Lexeme.cs": LEXEME, "Use.cs": LEXEME_USER},
        {
            "Lexeme.cs": LEXEME.replace("Shop", "Shop.Words").replace("Lexeme", "Token"),
            "Usings.cs": "global using Lexeme = Shop.Words.Token;\n",
        },
    ),
    "a file of Java, into the base of the class that uses its type": (
        {"shop/Lexeme.java": JAVA_LEXEME, "shop/Base.java": JAVA_BASE, "shop/Use.java": JAVA_USER},
        {
            "shop/Lexeme.java": None,
            "shop/Base.java": "package shop;\n\npublic class Base {\n    static class Lexeme {\n        static int rows() { return 1; }\n    }\n}\n",
        },
    ),
    "a file of Swift, into an extension of the class that uses its type": (
        {
            "Package.swift": '// swift-tools-version:5.9\nlet package = Package(name: "A", targets: [.target(name: "A")])\n',
            "Sources/A/Lexeme.swift": "struct Lexeme {\n    static func rows() -> Int { 1 }\n}\n",
            "Sources/A/Use.swift": "class Use {\n    func far() -> Int { Lexeme.rows() }\n}\n",
        },
        {
            "Sources/A/Lexeme.swift": None,
            "Sources/A/Use+Lexeme.swift": "extension Use {\n    struct Lexeme {\n        static func rows() -> Int { 1 }\n    }\n}\n",
        },
    ),
    "a static method of C#, made an extension": (
        {
            "A.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "Sizes.cs": ALLMAN,
            "Use.cs": "namespace Shop\n{\n    public static class Use\n    {\n        public static int Far(Box box) { return Sizes.Even(box); }\n    }\n}\n",
        },
        {"Sizes.cs": ALLMAN.replace("(Box box)", "(this Box box)")},
    ),
    "a method of C#, made an extension": (
        {
            "A.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "Box.cs": BOX,
            "Use.cs": "namespace Shop\n{\n    public static class Use\n    {\n        public static int Far(Box box) { return box.Wide(); }\n    }\n}\n",
        },
        {
            "Box.cs": "namespace Shop\n{\n    public class Box\n    {\n    }\n\n    public static class Boxes\n    {\n        public static int Wide(this Box box) { return 3; }\n    }\n}\n"
        },
    ),
    "methods of Ruby, made by macros": (
        {
            "app/models/order.rb": "class Order\n  def buyer_name\n    user.name\n  end\n\n  def closed?\n    true\n  end\n\n  def self.recently_paid\n    []\n  end\nend\n",
            "app/mail.rb": "class Mail\n  def call\n    order = Order.new\n    [order.buyer_name, order.closed?, Order.recently_paid]\n  end\nend\n",
        },
        {
            "app/models/order.rb": "class Order\n  delegate :name, to: :user, prefix: :buyer\n  enum :state, { open: 0, closed: 1 }\n  scope :recently_paid, -> { where(paid: true) }\nend\n"
        },
    ),
    "an attribute of Python, to a new mixin": (
        {
            "shop/__init__.py": "",
            "shop/basket.py": "class Basket:\n    def __init__(self, owner):\n        self.owner_name = owner\n\n    def title(self):\n        return self.owner_name\n",
        },
        {
            "shop/owned.py": "class Owned:\n    def __init__(self, owner):\n        self.owner_name = owner\n",
            "shop/basket.py": "from shop.owned import Owned\n\n\nclass Basket(Owned):\n    def title(self):\n        return self.owner_name\n",
        },
    ),
    "an extension of a type that stands elsewhere": (
        {
            "Package.swift": "// swift-tools-version:5.9\n",
            "Sources/Old/Future.swift": 'import NIO\n\nextension LoopFuture {\n    @available(*, deprecated, renamed: "flatMapErrors")\n    public func catchMap() -> LoopFuture { self.flatMapErrors() }\n}\n',
            "Sources/Shop/Page.swift": "import NIO\n\nfunc go(_ future: LoopFuture) -> LoopFuture { future.flatMapErrors() }\n",
        },
        {"Sources/Old/Future.swift": None},
    ),
    "a class of PHP, to another folder of its namespace": (
        {
            "composer.json": '{"autoload":{"psr-4":{"Shop\\\\":"src/"}}}\n',
            "src/Order.php": "<?php\n\nnamespace Shop;\n\nclass Order\n{\n}\n",
            "src/Page.php": "<?php\n\nnamespace Shop;\n\nclass Page\n{\n    public function show(): Order\n    {\n        return new Order();\n    }\n}\n",
        },
        {
            "composer.json": '{"autoload":{"psr-4":{"Shop\\\\":["src/","domain/"]}}}\n',
            "src/Order.php": None,
            "domain/Order.php": "<?php\n\nnamespace Shop;\n\nclass Order\n{\n}\n",
        },
    ),
    "a class of Kotlin, behind an alias": (
        {
            "src/shop/Connector.kt": "package shop\n\nclass Connector {\n    fun ping() = 1\n}\n",
            "src/page/Page.kt": "package page\n\nimport shop.Connector\n\nfun show(c: Connector) = c.ping()\n",
        },
        {
            "src/shop/Connector.kt": "package shop\n\ntypealias Connector = core.Connector\n",
            "src/core/Connector.kt": "package core\n\nclass Connector {\n    fun ping() = 1\n}\n",
        },
    ),
    "a static method of C#, to a class that the project takes in all files": (
        {
            "A.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "Usings.cs": "global using static Shop.Prices;\n",
            "Prices.cs": "namespace Shop;\n\npublic static class Prices\n{\n    public static int TotalOf(int n) => n;\n}\n",
            "Page.cs": "namespace Shop.Pages;\n\npublic class Page\n{\n    int Go() => TotalOf(1);\n}\n",
        },
        {
            "Usings.cs": "global using static Shop.Prices;\nglobal using static Shop.Sums;\n",
            "Prices.cs": "namespace Shop;\n\npublic static class Prices\n{\n}\n",
            "Sums.cs": "namespace Shop;\n\npublic static class Sums\n{\n    public static int TotalOf(int n) => n;\n}\n",
        },
    ),
    "a method of Java that Lombok generates from a field": (
        {
            "src/shop/Order.java": "package shop;\n\npublic class Order {\n    private final String name;\n\n    public Order withName(String name) {\n        return new Order(name);\n    }\n}\n",
            "src/shop/Page.java": 'package shop;\n\nclass Page {\n    Order go(Order order) {\n        return order.withName("a");\n    }\n}\n',
        },
        {
            "src/shop/Order.java": "package shop;\n\nimport lombok.With;\n\n@With\npublic class Order {\n    private final String name;\n}\n"
        },
    ),
    "a constructor of C++, from the source into its header": (
        {
            "code.h": "#pragma once\nclass Code {\npublic:\n    Code(int n);\n    int m;\n};\n",
            "code.cc": '#include "code.h"\nCode::Code(int n) : m(n) {}\nint go() {\n    return Code(3).m;\n}\n',
        },
        {
            "code.h": "#pragma once\nclass Code {\npublic:\n    constexpr Code(int n):\n        m(n) {}\n    int m;\n};\n",
            "code.cc": '#include "code.h"\nint go() {\n    return Code(3).m;\n}\n',
        },
    ),
    "a class of PHP, to a new name with an alias for the former one": (
        {
            "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
            "src/Order.php": "<?php\n\nnamespace App;\n\nclass Order\n{\n}\n",
            "src/Page.php": "<?php\n\nnamespace App;\n\nclass Page extends Order\n{\n}\n",
        },
        {
            "src/Order.php": "<?php\n\nrequire __DIR__ . '/Sale.php';\n",
            "src/Sale.php": "<?php\n\nnamespace App;\n\nclass Sale\n{\n}\n\nclass_alias(Sale::class, Order::class);\n",
            "src/Page.php": "<?php\n\nnamespace App;\n\nclass Page extends Sale\n{\n}\n",
        },
    ),
    "a static method of PHP, into a trait": (
        {
            "src/Order.php": "<?php\n\nnamespace App;\n\nclass Order\n{\n    public static function make(): self\n    {\n        return new self();\n    }\n}\n",
            "src/Page.php": "<?php\n\nnamespace App;\n\nclass Page\n{\n    public function go()\n    {\n        return Order::make();\n    }\n}\n",
        },
        {
            "src/Order.php": "<?php\n\nnamespace App;\n\nclass Order\n{\n    use Makes;\n}\n",
            "src/Makes.php": "<?php\n\nnamespace App;\n\ntrait Makes\n{\n    public static function make(): static\n    {\n        return new static();\n    }\n}\n",
        },
    ),
}


@pytest.mark.parametrize("layout", few(MOVED, 0, 3, 5, 7))
def test_moved_name_that_still_resolves_is_neither_reported_nor_open(repository: Repository, layout: str) -> None:
    """A moved name that unchanged code still resolves causes no finding and no open reference."""
    before, after = MOVED[layout]
    pull = repository.change(dict(before), dict(after))
    assert ([one.title for one in look(pull)], [use.says for use in open_uses(pull) if use.may_break]) == ([], [])


ACCESS = "using Shop;\nusing Shop.Kinds;\n\nnamespace App;\n\npublic class Access\n{\n    public bool IsNullable(Symbol symbol)\n    {\n        return symbol switch\n        {\n            Property one => one.Type.IsNullable(),\n            _ => false,\n        };\n    }\n\n    public bool Has(IRow row) => row.IsNullable;\n}\n"
IN_SIGHT: dict[str, tuple[Files, Files]] = {
    "an extension method, beside a method of the caller's base": (
        {
            "Box.cs": BOX,
            "Testing/Fixture.cs": "namespace Shop.Testing\n{\n    public class Fixture :\n        Stage\n    {\n        protected int CountRows<T>() { return 3; }\n    }\n}\n",
            "Testing/Stage.cs": "namespace Shop.Testing\n{\n    public class Stage\n    {\n    }\n}\n",
            "Tools.cs": LIB.replace("CountRows(", "CountRows<T>("),
            "App/Use.cs": "namespace App\n{\n    using Shop;\n    using Shop.Testing;\n\n\n    public class Use :\n        Fixture\n    {\n        public int Far() { return CountRows<int>(); }\n    }\n}\n",
        },
        {"Tools.cs": None},
    ),
    "an extension method with an ordinary name, removed with its file": (
        {
            "Box.cs": BOX,
            "Tools.cs": LIB.replace("CountRows", "Add"),
            "App/Use.cs": CALLER.replace("Make().CountRows() + this.CountRows()", "new Rows().Add(3)"),
        },
        {"Tools.cs": None},
    ),
    "a property, beside an extension method of another type": (
        {
            "IRow.cs": "namespace Shop;\n\npublic interface IRow\n{\n    bool IsNullable { get; }\n}\n",
            "Kinds.cs": "namespace Shop.Kinds;\n\npublic static class Kinds\n{\n    internal static bool IsNullable(this Kind kind) => true;\n}\n",
            "App/Access.cs": ACCESS,
        },
        {
            "IRow.cs": "namespace Shop;\n\npublic interface IRow\n{\n    bool IsReadNullable { get; }\n}\n",
            "App/Access.cs": ACCESS.replace("row.IsN", "row.IsReadN").replace("bool IsN", "bool IsReadN"),
        },
    ),
    "an extension method, into a block of its class": (
        EXTENSION,
        {
            "Tools.cs": "namespace Shop\n{\n    public static class Tools\n    {\n        extension(Box box)\n        {\n            public int CountRows() { return 3; }\n        }\n    }\n}\n"
        },
    ),
    "an extension method, to another static class": (
        EXTENSION,
        {"Tools.cs": WITHOUT, "BoxTools.cs": LIB.replace("class Tools", "class BoxTools")},
    ),
}


@pytest.mark.parametrize("move", IN_SIGHT)
def test_extension_method_moved_within_its_namespace_is_not_open(repository: Repository, move: str) -> None:
    """A C# extension method may move to another static class in its namespace without breaking callers."""
    before, after = IN_SIGHT[move]
    assert open_uses(repository.change(dict(before), dict(after))) == ()


@pytest.mark.parametrize(
    ("shared", "own", "is_broken"),
    [
        ("global using static Shop.Tools;\n", "", True),
        ("", "using static Shop.Tools;\n\n", True),
        ("global using static System.Math;\n", "", False),
        ("", "", False),
    ],
)
def test_bare_call_means_an_extension_only_if_its_class_is_imported(
    repository: Repository, shared: str, own: str, *, is_broken: bool
) -> None:
    """A C# file can import a class's methods itself, or with all files of the project."""
    use = f"{own}namespace Shop\n{{\n    public class Use\n    {{\n        int Far(Box box) {{ return CountRows(box); }}\n    }}\n}}\n"
    project = '<Project Sdk="Microsoft.NET.Sdk"></Project>\n'
    files = {"A.csproj": project, "Usings.cs": shared, "Box.cs": BOX, "Tools.cs": LIB, "Use.cs": use}
    found = look(repository.change(files, {"Tools.cs": WITHOUT}))
    assert [one.path for one in found] == ["Use.cs"] * is_broken


def _others(number: int) -> Files:
    """Return classes with an inner class of the same name, each in its own namespace."""
    text = "namespace FarNUMBER;\n\npublic class Other\n{\n    class Lexeme { public static int Rows() => 1; }\n}\n"
    return {f"far/Other{at}.cs": text.replace("NUMBER", str(at)) for at in range(number)}


def test_changed_files_are_read_before_hundreds_of_others_with_the_name(repository: Repository) -> None:
    """The type moved to a changed file, although more files have the name than are read."""
    before, after = MOVED["a type of C#, into another part of a test class"]
    assert look(repository.change({**before, **_others(320)}, dict(after))) == []


def test_nothing_is_proven_missing_if_files_that_may_provide_it_were_not_read(repository: Repository) -> None:
    """With fewer files that have the name, all are read."""
    before, after, path = LOST["a file of C#, into a class that its user does not inherit from"]
    found = look(repository.change({**before, **_others(20)}, dict(after)))
    assert [(one.path, one.verdict) for one in found] == [(path, "proven")]
    many = look(repository.change({**before, **_others(320)}, dict(after)))
    assert "proven" not in [one.verdict for one in many]


LOST: dict[str, tuple[Files, Files, str]] = {
    "a file of C#, into a class that its user does not inherit from": (
        {"Lexeme.cs": LEXEME, "Use.cs": LEXEME_USER},
        {
            "Lexeme.cs": None,
            "Other.cs": f"namespace Shop;\n\npublic class Other\n{{\n    {LEXEME.splitlines()[-1]}\n}}\n",
        },
        "Use.cs",
    ),
    "a file of Java that its user imports, into the user's base": (
        {
            "shop/Lexeme.java": JAVA_LEXEME,
            "shop/Base.java": JAVA_BASE,
            "app/Use.java": JAVA_USER.replace(
                "package shop;\n", "package app;\n\nimport shop.Base;\nimport shop.Lexeme;\n"
            ),
        },
        {
            "shop/Lexeme.java": None,
            "shop/Base.java": "package shop;\n\npublic class Base {\n    public static class Lexeme {\n        public static int rows() { return 1; }\n    }\n}\n",
        },
        "app/Use.java",
    ),
    "a module of Rust that nobody hands on": (
        RUST,
        {**GONE, **CORE, "crates/app/src/lib.rs": "pub mod draw;\n"},
        "crates/app/src/draw.rs",
    ),
    "a module of Rust that is handed on under another name": (
        RUST,
        {**GONE, **CORE, "crates/app/src/lib.rs": "pub mod draw;\n\npub use app_core::shape as form;\n"},
        "crates/app/src/draw.rs",
    ),
    "a function of Python, while a class nearby has a method called so": (
        {
            "shop/__init__.py": "",
            "shop/till.py": "def close_till():\n    return 1\n",
            "shop/page.py": "from shop.till import close_till\n\nclose_till()\n",
        },
        {"shop/till.py": "class Till:\n    def close_till(self):\n        return 1\n"},
        "shop/page.py",
    ),
    "an extension of C# whose static call gives too little": (
        {
            "A.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "Sizes.cs": ALLMAN.replace("(Box box)", "(this Box box)"),
            "Use.cs": "namespace Shop\n{\n    public static class Use\n    {\n        public static int Far(Box box) { return Sizes.Even(box); }\n    }\n}\n",
        },
        {"Sizes.cs": ALLMAN.replace("(Box box)", "(this Box box, int times)")},
        "Use.cs",
    ),
}


@pytest.mark.parametrize("layout", few(LOST, 0, 2, 3))
def test_name_that_nothing_provides_is_proven_missing(repository: Repository, layout: str) -> None:
    """A homonym, a re-export under another name, or an unreachable copy doesn't keep a name alive."""
    before, after, path = LOST[layout]
    found = look(repository.change(dict(before), dict(after)))
    assert {(one.path, one.verdict) for one in found} == {(path, "proven")}


CALLED: dict[str, tuple[str, str, str]] = {
    "Java": ("Cart.java", "class Cart {\n  void total(int a) {}\n}\n", "class Use {\n  void go(Cart c) {\n    c.total(1);\n  }\n}\n"),
    "Kotlin": ("Cart.kt", "class Cart {\n  fun total(a: Int) {}\n}\n", "fun go(c: Cart) {\n  c.total(1)\n}\n"),
    "TypeScript": (
        "cart.ts",
        "export class Cart {\n  total(a: number) {}\n}\n",
        'import { Cart } from "./cart"\nexport function go(c: Cart) {\n  c.total(1)\n}\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", CALLED)
def test_a_new_call_of_a_removed_method_does_not_declare_it(repository: Repository, language: str) -> None:
    """A call on a line of its own looks like a declaration, so the syntax tree is asked. A new call proves nothing."""
    path, home, user = CALLED[language]
    calling = home.replace("total", "run").replace("{}", "{\n    total(1);\n  }")
    found = look(repository.change({path: home, f"use{path}": user}, {path: calling}))
    assert {(one.path, one.verdict) for one in found} == {(f"use{path}", "unproven")}


@pytest.mark.parametrize(
    ("path", "text", "way"),
    [
        ("a.rs", "pub use core::{shape, tone};", "re-export"),
        ("a.rs", "pub use core::form as shape;", "re-export"),
        ("a.cs", "using shape = Shop.Form;", "alias"),
        ("a.kt", "typealias shape = shop.Form", "alias"),
        ("a.cs", "class A {\n    public int shape { get; set; }\n}", "declaration"),
        ("a.cs", "record A(int shape);", "declaration"),
        ("a.cs", "record A(\n    int shape);", "declaration"),
        ("a.java", "interface A {\n    double shape();\n}", "declaration"),
        ("a.java", "interface A {\n    int shape = 3;\n}", "declaration"),
        ("a.ts", "interface A {\n  shape?: string;\n}", "declaration"),
        ("a.ts", "class A {\n  run() {\n    this.shape = 1;\n  }\n}", "declaration"),
        ("a.go", "type A struct {\n\tshape string\n}", "declaration"),
        ("a.rb", "  attr_reader :shape", "accessor"),
        ("a.py", "from shop.form import shape", "re-export"),
        ("a.py", "def run():\n        shape = 1", None),
        ("a.ts", "run({\n  shape: value,\n})", None),
        ("a.java", "class A {\n    int run() {\n    return shape();\n}\n}", None),
        ("a.cs", "class A : B {\n    public override int shape() { return 1; }\n}", None),
        ("a.rs", "// pub use core::shape;", None),
    ],
)
def test_only_declarations_aliases_and_reexports_provide_a_name(path: str, text: str, way: str | None) -> None:
    """Declarations, aliases and re-exports provide a name; references, comments and overrides don't."""
    rows = [(at, line) for at, line in enumerate(text.split("\n"), 1) if "shape" in line]
    assert [KnownFiles({path: text.encode()}).way("shape", path, *row) for row in rows] == [way]


def test_thousands_of_references_are_checked_quickly(repository: Repository) -> None:
    """Thousands of calls that may each mean any of many classes with bases are checked quickly."""
    members = "".join(f"  total{number}(): number {{\n    return 1;\n  }}\n" for number in range(40))
    files = {"src/order.ts": f"export class Order extends Base {{\n{members}}}\n"}
    for number in range(40):
        calls = "".join(f"  order.total{at}();\n" for at in range(40))
        files[f"src/user{number}.ts"] = (
            f'import {{Order}} from "./order";\nexport function use(order: Order) {{\n{calls}}}\n'
        )
        files[f"src/other{number}.ts"] = f"export class Other{number} extends Far{number} {{\n{members}}}\n"
    start = time.process_time()
    look(repository.change(files, {"src/order.ts": "export class Order extends Base {}\n"}))
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("line", "is_declared"),
    [
        ("    API_NODISCARD bool is_wide() const { return wide_; }", True),
        ("API_INLINE App *App::is_wide(int n) {", True),
        ("#define is_wide(n) (n)", True),
        ("    return is_wide();", False),
        ("    is_wide(2);", False),
        ("    if(is_wide()) {", False),
        ("    bool b = is_wide();", False),
    ],
)
def test_a_line_of_a_header_that_declares_the_name_is_told_from_one_that_uses_it(
    line: str, *, is_declared: bool
) -> None:
    """The grammar takes a declaration after an unknown macro for a use."""
    assert is_declared_still("is_wide", "app.hpp", line) is is_declared
    assert not is_declared_still("is_wide", "app.py", line)


def test_a_module_is_declared_by_its_full_name() -> None:
    """The last part of a qualified module name counts."""
    assert KnownFiles({}).way("Env", "lib/env.ex", 1, "defmodule Tesla.Env do", is_module=True) == "inline module"
