"""The names in new PHP, Rust and Ruby lines that the repository lacks."""

from trees import messages

PHP = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "app/"}}, "autoload-dev": {"psr-4": {"Tests\\\\": "tests/"}}}',
    "app/Money/Cents.php": (
        "<?php\nnamespace Shop\\Money;\nclass Cents extends Base {\n const RATE = 1;\n public static $all;\n"
        " public function __construct(private int $amount, string $currency = '') {}\n public static function of(int $a) {}\n"
        " public static function pair(int $a, int $b) {}\n}\n"
    ),
    "app/Money/Base.php": "<?php\nnamespace Shop\\Money;\nclass Base { const ZERO = 0; use Counts; }\n",
    "app/Money/Counts.php": "<?php\nnamespace Shop\\Money;\ntrait Counts { public static function count() {} }\n",
    "app/Money/Far.php": "<?php\nnamespace Shop\\Money;\nuse Library\\Model;\nclass Far extends Model { const A = 1; }\n",
    "app/Money/Kind.php": "<?php\nnamespace Shop\\Money;\nenum Kind { case Small; }\n",
}
RUST = {
    "Cargo.toml": "",
    "src/lib.rs": "mod money;\npub mod cart;\npub use vte;\nuse std::io::{self, Write};\nmod inline {\n    pub fn x() {}\n}\n#[macro_export]\nmacro_rules! sum { () => {} }\n",
    "src/money.rs": (
        "pub use crate::cart::{Cart, inner::{Deep, Other as Named}};\npub enum Kind { Small, Large(u8) }\npub fn cents(a: u8, b: &str) -> u8 { a }\n"
        "pub struct Cents;\n"
    ),
    "src/cart/mod.rs": "pub mod inner;\npub struct Cart;\n",
    "src/cart/inner.rs": "pub struct Deep;\npub struct Other;\nbitflags! { pub struct F: u8 {} }\n",
}


def test_missing_php_name_and_wrong_call_are_reported() -> None:
    text = (
        "<?php\nnamespace Shop\\Pay;\nuse Shop\\Money\\Cent;\nuse Shop\\Money\\Cents;\nuse Shop\\Money\\Far;\nuse Shop\\Money\\Kind as K;\nuse Shop\\Mony\\Cents as C;\n"
        "use Library\\Nothing;\nuse function Shop\\Money\\sum;\n"
        "Cents::RATE; Cents::ZERO; Cents::count(); Cents::class;\nCents::RATES;\nCents::$all;\nCents::off(1);\nCents::of();\nCents::of(1, 2);\n"
        "new Cents();\nnew Cents(amount: 1, size: 2);\nFar::nothing();\nK::Smal;\nK::cases();\n"
        "$make = Cents::pair(...);\n"
    )
    assert messages({**PHP, "app/Pay/Pay.php": text}, "app/Pay/Pay.php") == [
        "3 missing-name Cent: Cents",
        "7 missing-module Shop\\Mony: Shop\\Money",
        "11 missing-member Cents.RATES: RATE",
        "13 missing-member Cents.off: of",
        "14 arguments Cents.of: is missing 'a'",
        "16 arguments Cents: is missing 'amount'",
        "17 arguments Cents: has no parameter 'size'",
        "19 missing-member K.Smal: Small",
    ]


def test_missing_rust_name_and_wrong_call_are_reported() -> None:
    text = (
        "use crate::money::{cents, cent, Kind, Deep, Named};\nuse crate::mony::Kind as K;\nuse crate::cart::iner::Deep as D;\nuse crate::inline::x;\n"
        "use crate::sum;\nuse crate::money::Kind::Small;\nuse crate::cart::inner::Anything;\nuse serde::nothing;\nuse super::y;\nuse crate::money;\nuse crate::vte::ansi;\nuse crate::io::x;\n"
        'fn f() { Kind::Small; Kind::Smal; Kind::new(); cents(1); money::cents(1, ""); money::cnts(1); }\n'
    )
    assert messages({**RUST, "src/pay.rs": text}, "src/pay.rs") == [
        "1 missing-name cent: cents",
        "2 missing-module crate::mony: money",
        "3 missing-module crate::cart::iner: inner",
        "7 missing-name Anything",
        "13 missing-member Kind.Smal: Small",
        "13 arguments cents: is missing 'b'",
        "13 missing-member money.cnts: cents",
    ]
    macros = "cfg_ffi! { pub mod ffi; pub fn made() {} }\nmod money;\npub struct One;\n"
    text = "use crate::{ffi, made, One};\nuse crate::mad::x;\nuse crate::Made;\nuse crate::Two;\n"
    tree = {"Cargo.toml": "", "src/lib.rs": macros, "src/money.rs": "", "src/a.rs": text}
    assert messages(tree, "src/a.rs") == [
        "2 missing-module crate::mad: made",
        "3 missing-name Made: made",
        "4 missing-name Two",
    ]
    assert messages({**tree, "src/lib.rs": f'include!("made.rs");\n{macros}'}, "src/a.rs") == []
    made_by_attribute = f"#[codes::map]\npub fn rule() {{}}\n{macros}"  # may generate any item
    assert messages({**tree, "src/lib.rs": made_by_attribute}, "src/a.rs") == []
    known = f"#[inline]\npub fn rule() {{}}\n{macros}"
    assert messages({**tree, "src/lib.rs": known}, "src/a.rs") != []
    program = {
        "Cargo.toml": '[[bin]]\npath = "core/main.rs"\n',
        "core/main.rs": "mod flags;\nuse crate::flgs::x;\n",
        "core/flags/mod.rs": "pub mod defs;\nuse crate::flags::dfs::FLAG;\nuse crate::flags::defs::FLAGS;\n",
        "core/flags/defs.rs": "pub const FLAG: u8 = 1;\n",
    }
    assert messages(program, "core/main.rs") == ["2 missing-module crate::flgs: flags"]
    assert messages(program, "core/flags/mod.rs") == [
        "2 missing-module crate::flags::dfs: defs",
        "3 missing-name FLAGS: FLAG",
    ]
    shared = {
        "Cargo.toml": '[workspace]\nmembers = ["shop", "core"]\n',
        "core/Cargo.toml": '[package]\nname = "shop-core"\n',
        "core/src/lib.rs": "mod inner;\nmod tax;\npub use inner::*;\npub use tax::{cents as of, Rate};\n",
        "core/src/inner.rs": "pub struct Basket;\nstruct Hidden;\n",
        "core/src/tax.rs": "pub fn cents(a: u8) {}\npub struct Rate;\n",
        "shop/Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nshop-core = { path = "../core" }\n',
        "shop/src/lib.rs": "mod cart; mod till;\nfn top() { cart::Line; cart::Lin; cart::add(1); }\n",
        "shop/src/cart.rs": "pub struct Line;\npub fn add(a: u8, b: u8) {}\n",
    }
    text = (
        "use shop_core::{Basket, Baskett, of, Rte};\nuse crate::{cart::{Line, Lne as L}, cart};\nuse super::cart::{Lines};\n"
        "use ::cart::Any;\nuse serde::Any as Other;\nfn f() { cart::add(1); }\nmod tests { use super::Line; use super::super::cart::Nope; }\n"
        "given! { use crate::cart::Made; }\n"
    )
    assert messages({**shared, "shop/src/till.rs": text}, "shop/src/till.rs") == [
        "1 missing-name Baskett",
        "1 missing-name Rte: Rate",
        "2 missing-name Lne: Line",
        "3 missing-name Lines: Line",
        "6 arguments cart.add: is missing 'b'",
        "7 missing-name Nope",
    ]
    assert messages(shared, "shop/src/lib.rs") == [
        "2 missing-member cart.Lin: Line",
        "2 arguments cart.add: is missing 'b'",
    ]
    unnamed = 'fn take(_: &str, low: u8) {}\nfn f() { take("", 1); take(1); }\n'
    assert messages({"src/a.rs": unnamed}, "src/a.rs") == ["2 arguments take: is missing 'low'"]


def test_rust_super_resolves_through_a_path_attribute() -> None:
    """`super` refers to the file with the `mod` line, even if a `#[path]` attribute moves the module."""
    text = "use super::{Frame, top};\nuse super::super::Root;\nfn f() { super::top(1); super::lost(); }\n"
    crate = {"Cargo.toml": "", "src/lib.rs": "mod lex;\nmod parse;\npub fn root() {}\n"}
    lex = "struct Frame;\nfn top(a: u8) {}\n"
    moved = {**crate, "src/lex.rs": f'#[path = "told.rs"]\nmod told;\n{lex}', "src/told.rs": text}
    assert messages(moved, "src/told.rs") == []
    beside = {**crate, "src/lex.rs": f"mod told;\n{lex}", "src/lex/told.rs": text.replace("Frame", "Frames")}
    assert messages(beside, "src/lex/told.rs") == ["1 missing-name Frames: Frame", "2 missing-name Root: root"]


def test_missing_ruby_file_is_reported() -> None:
    tree = {
        "lib/shop/money.rb": "",
        "lib/shop/fast.c": "",
        "lib/pay.rb": 'require_relative "shop/money"\nrequire_relative "shop/mony"\nrequire_relative "shop/fast"\nrequire_relative "shop/#{x}"\nrequire "none"\n',
    }
    assert messages(tree, "lib/pay.rb") == ["2 missing-module shop/mony: shop/money"]


def test_missing_member_of_a_new_php_object_is_reported() -> None:
    text = (
        "<?php\nnamespace Shop\\Pay;\nuse Shop\\Money\\Cents;\nfunction pay($other) {\n $one = new Cents(1);\n $one->amount;\n $one->amont;\n $one->of(1);\n"
        " $other->nothing();\n $two = new Cents(1); $two = $other; $two->nothing();\n $one->set = 1; $one->set;\n}\n"
    )
    assert messages({**PHP, "app/Pay/Pay.php": text}, "app/Pay/Pay.php") == ["7 missing-member one.amont: amount"]


def test_unknown_field_in_a_literal_is_reported() -> None:
    """An unknown field in a literal is reported, except in open types."""
    rust = {
        "Cargo.toml": "",
        "src/lib.rs": "mod order;\nmod a;\n",
        "src/order.rs": "pub struct Order { pub id: u32, pub note: u32 }\n",
    }
    text = "use crate::order::Order;\nfn f(o: Order) { Order { id: 1, noet: 2 }; Order { id: 1 }; Order { id: 1, ..o }; }\n"
    assert messages({**rust, "src/a.rs": text}, "src/a.rs") == [
        "2 missing-member Order.noet: note",
    ]

    ship = "export interface Opts { depth: number; wide?: boolean }\nexport interface Any { a: number; [key: string]: number }\nexport interface Lib extends Other { b: number }\n"
    text = (
        "import { Any, Lib, Opts } from './ship';\nconst a: Opts = { depht: 1 };\nconst b: Opts = { wide: true };\nconst c: Opts = { ...a, x: 1 };\nconst d: Any = { a: 1, x: 2 };\n"
        "const e: Lib = { b: 1, c: 2 };\n"
    )
    assert messages({"ship.ts": ship, "a.ts": text}, "a.ts") == [
        "2 missing-member Opts.depht: depth",
        "4 missing-member Opts.x",
    ]

    go = {
        "go.mod": "module a.b/c\n",
        "ship/ship.go": "package ship\n\ntype Base struct{}\n\ntype Order struct {\n\t*Base\n\tNote string\n}\n\ntype Names map[string]int\n",
    }
    text = 'package use\n\nimport "a.b/c/ship"\n\nvar one = ship.Order{Base: nil, Noet: ""}\n\nvar two = ship.Names{key: 1}\n'
    assert messages({**go, "use/use.go": text}, "use/use.go") == ["5 missing-member Order.Noet: Note"]

    swift = {
        "Sources/Shop/Order.swift": "struct Order {\n    let id: Int\n    var note: Int?\n    var all: Int { 1 }\n}\n@Observable struct Seen {\n    let id: Int\n}\n@Made struct Made {\n    let id: Int\n}\nstruct Twice {}\n",
        "Sources/Two/Twice.swift": "struct Twice { let id: Int }\n",
    }
    text = "let a = Order(id: 1, noet: 2)\nlet b = Order(note: 2)\nlet c = Order(id: 1, note: 2)\nlet d = Made(x: 1)\nlet e = Twice(x: 1)\nlet f = Seen(x: 1)\n"
    assert messages({**swift, "Sources/Shop/Use.swift": text}, "Sources/Shop/Use.swift") == [
        "1 missing-member Order.noet: note",
        "6 missing-member Seen.x",
    ]

    elixir = {
        "lib/cart.ex": "defmodule Shop.Cart do\n  @enforce_keys [:items]\n  defstruct [:items, owner: 1]\nend\n",
        "lib/made.ex": "defmodule Shop.Made do\n  defstruct @all ++ [:a]\nend\n",
    }
    text = (
        "defmodule Shop.Till do\n  alias Shop.{Cart, Made}\n  def a(i), do: %Cart{items: i, ownr: 2}\n  def b(%Cart{owner: o}), do: %Cart{owner: o}\n  def c(c), do: {%Cart{c | x: 1}, %Made{b: 1}, %Lib.Cart{x: 1}}\n"
        "  defmodule Line do\n    defstruct [:a]\n  end\n  def d, do: %Line{b: 1}\nend\n"
    )
    assert messages({**elixir, "lib/till.ex": text}, "lib/till.ex") == [
        "3 missing-member Cart.ownr: owner",
        "5 missing-member Cart.x",
    ]
    types = "defmodule Shop.Till do\n  alias Shop.Cart\n  @type many :: [%Cart{}]\n  @spec e(%Cart{}) :: {:ok, %Cart{}} | :error\n  def e(c), do: c\nend\n"
    assert messages({**elixir, "lib/till.ex": types}, "lib/till.ex") == []


def test_literal_of_a_type_that_may_gain_fields_is_not_checked() -> None:
    """A literal is not checked if an attribute macro or another file may add fields to its type."""
    rust = {
        "Cargo.toml": "",
        "src/lib.rs": "mod order;\nmod a;\n",
        "src/order.rs": "use made::widened;\n#[widened(note)]\npub struct Order { pub id: u32 }\n#[made::widened]\npub struct Other { pub id: u32 }\n"
        "#[derive(Read)]\n#[read(all)]\npub struct Plain { pub id: u32 }\n",
    }
    text = "use crate::order::{Order, Other, Plain};\nfn f() { Order { id: 1, note: 2 }; Other { id: 1, note: 2 }; }\nfn g() { Plain { id: 1, note: 2 }; }\n"
    assert messages({**rust, "src/a.rs": text}, "src/a.rs") == ["3 missing-member Plain.note"]

    text = "import { Opts } from './ship';\nconst a: Opts = { depth: 1, note: 2 };\n"
    ship = {"ship.ts": "export interface Opts { depth: number }\n", "a.ts": text}
    wider = "import './ship';\ndeclare module './ship' {\n  interface Opts { note: number }\n}\n"
    assert messages(ship, "a.ts") == ["2 missing-member Opts.note"]
    assert messages({**ship, "wider.d.ts": wider}, "a.ts") == []
