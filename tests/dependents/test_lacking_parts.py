"""Members, fields and cases that a type newly requires, and the code that doesn't provide them yet."""

from collections.abc import Mapping

import pytest
from dependents_scene import find
from fakes import Repository

JAVA = {
    "com/shop/a/Ship.java": "package com.shop.a;\npublic interface Ship {\n  void ship();\n  default int free() { return 1; }\n}\n",
    "com/shop/a/Half.java": "package com.shop.a;\npublic abstract class Half implements Ship { }\n",
    "com/shop/b/Parcel.java": "package com.shop.b;\nimport com.shop.a.Ship;\npublic class Parcel implements Ship {\n  public void ship() { }\n}\n",
    "com/shop/b/Letter.java": "package com.shop.b;\nimport com.shop.a.Half;\nclass Letter extends Half {\n  public void ship() { }\n}\n",
    "com/shop/b/Other.java": "package com.shop.b;\nimport com.shop.a.Ship;\nimport org.lib.Thing;\nclass Other extends Thing implements Ship {\n  public void ship() { }\n}\n",
    "com/shop/b/Had.java": "package com.shop.b;\nimport com.shop.a.Half;\nclass Had extends Half {\n  public void ship() { }\n  public int weigh() { return 1; }\n}\n",
    "com/shop/b/Never.java": "package com.shop.b;\nimport com.shop.a.Ship;\nclass Never implements Ship { }\n",
    "com/shop/c/Ship.java": "package com.shop.c;\npublic interface Ship { }\n",
    "com/shop/c/Apart.java": "package com.shop.c;\nclass Apart implements Ship { }\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "pub mod order;\npub mod user;\n",
    "src/order.rs": "pub struct Order {\n    pub id: u32,\n}\npub enum Kind { A, B }\n",
    "src/user.rs": (
        "use crate::order::{self, Kind, Order};\npub fn one() -> Order { Order { id: 1 } }\npub fn two(o: Order) -> Order {\n    Order { ..o }\n}\n"
        "pub fn three() -> order::Order { order::Order { id: 3 } }\npub fn four(k: Kind) -> u32 {\n    match k {\n        Kind::A | Kind::B => 1,\n    }\n}\n"
        "pub fn five(k: Kind) -> u32 {\n    match k {\n        Kind::A => 1,\n        _ => 2,\n    }\n}\n"
    ),
}
GO = {
    "go.mod": "module example.com/shop\n",
    "ship/ship.go": "package ship\n\ntype Shipper interface {\n\tShip() bool\n}\n\ntype Order struct {\n\tID int\n}\n",
    "parcel/parcel.go": (
        'package parcel\n\nimport "example.com/shop/ship"\n\ntype Parcel struct{}\n\nvar _ ship.Shipper = (*Parcel)(nil)\n\nvar one = ship.Order{1}\n\nvar two = ship.Order{ID: 1}\n'
    ),
    "parcel/methods.go": "package parcel\n\nfunc (p *Parcel) Ship() bool { return true }\n",
}
TYPESCRIPT = {
    "src/ship.ts": "export interface Opts { depth: number; wide?: boolean }\nexport interface Ship extends Opts { }\n",
    "src/kind.ts": "export enum Kind { A, B }\nexport type Mode = 'on' | 'off';\n",
    "src/names.ts": (
        "import { Kind, Mode } from './kind';\nconst one: Record<Kind, string> = { [Kind.A]: 'a', [Kind.B]: 'b' };\nconst two = { on: 1, 'off': 2 } satisfies Record<Mode, number>;\n"
        "const three: Partial<Record<Mode, number>> = { on: 1, off: 2 };\nconst four: Record<Mode, number> = { ...two };\nconst five = { on: 1, off: 2 };\n"
    ),
    "src/use.ts": (
        "import { Opts, Ship } from './ship';\nexport const one: Opts = { depth: 1 };\nexport const two: Opts = { ...one };\nexport const three: Partial<Opts> = { depth: 3 };\n"
        "export class Four implements Ship {\n  constructor(public depth: number) {}\n}\n"
    ),
}
PYTHON = {
    "ship.py": "from abc import ABC, abstractmethod\n\n\nclass Ship(ABC):\n    @abstractmethod\n    def ship(self): ...\n",
    "parcel.py": (
        "from ship import Ship\nimport lib\n\n\nclass Parcel(Ship):\n    def ship(self): ...\n\n\nclass Half(Ship):\n    pass\n\n\nclass Mixed(lib.Ready, Ship):\n    def ship(self): ...\n"
    ),
}
PHP = {
    "composer.json": '{"autoload": {"psr-4": {"App\\\\": "app/"}}}',
    "app/Ship.php": "<?php\nnamespace App;\ninterface Ship\n{\n    public function ship();\n}\n",
    "app/Parcel.php": "<?php\nnamespace App;\nclass Parcel implements Ship\n{\n    public function ship() {}\n}\n",
    "app/Kind.php": "<?php\nnamespace App;\nenum Kind: string\n{\n    case A = 'a';\n    case B = 'b';\n}\n",
    "app/Use.php": (
        "<?php\nnamespace App;\nfunction text(Kind $k)\n{\n    return match ($k) {\n        Kind::A => 1,\n        Kind::B => 2,\n    };\n}\n"
        "function other(Kind $k)\n{\n    return match ($k) {\n        Kind::A => 1,\n        Kind::B => 2,\n        default => 3,\n    };\n}\n"
    ),
}
SCALA = {
    "a/Ship.scala": "package a\ntrait Ship {\n  def ship(): Boolean\n}\ntrait Ready extends Ship {\n  def weigh(): Int = 1\n}\n",
    "a/Parcel.scala": (
        "package a\nclass Parcel extends Base(1) with Ship {\n  def ship() = true\n}\nclass Base(x: Int)\nabstract class Half extends Ship\nclass Letter extends Half {\n  def ship() = true\n}\n"
        "class Had extends Ready {\n  def ship() = true\n}\nclass Of(val weigh: Int) extends Ship {\n  def ship() = true\n}\nclass Lib extends lib.Thing with Ship {\n  def ship() = true\n}\n"
    ),
}
CSHARP = {
    "Ship.cs": "namespace Shop;\npublic interface IShip {\n  bool Ship();\n}\npublic class Order {\n  public required string Name { get; init; }\n}\n",
    "Parcel.cs": (
        "namespace Shop;\npublic class Parcel : IShip {\n  bool IShip.Ship() => true;\n}\npublic partial class Part : IShip {\n  public bool Ship() => true;\n}\n"
        'public class Use {\n  public Order One() => new Order { Name = "x" };\n}\n'
        "public enum Kind { A, B }\npublic class Text {\n  int One(Kind k) => k switch { Kind.A => 1, Kind.B => 2 };\n  int Two(Kind k) => k switch { Kind.A => 1, Kind.B => 2, _ => 3 };\n"
        "  int Three(Kind k) => k switch { Kind.A when k > 1 => 1, Kind.B => 2 };\n}\n"
    ),
}
KOTLIN = {
    "a/Ship.kt": "package a\n\ninterface Ship {\n    fun ship()\n    fun free() = 1\n}\n\nenum class Kind { A, B }\n",
    "a/Parcel.kt": (
        "package a\n\nclass Parcel : Ship {\n    override fun ship() {}\n}\n\nclass By(s: Ship) : Ship by s\n\nfun text(k: Kind) = when (k) {\n    Kind.A -> 1\n    Kind.B -> 2\n}\n\n"
        "fun other(k: Kind) = when (k) {\n    Kind.A -> 1\n    else -> 2\n}\n"
    ),
}
JAVA_ANONYMOUS = {
    "com/shop/a/Ship.java": JAVA["com/shop/a/Ship.java"],
    "com/shop/a/Half.java": "package com.shop.a;\npublic abstract class Half implements Ship {\n  public int weigh() { return 1; }\n}\n",
    "com/shop/b/Use.java": "package com.shop.b;\nimport com.shop.a.*;\nclass Use {\n  Ship one = new Ship() { public void ship() { } };\n  Ship two = new Half() { public void ship() { } };\n  Ship three = new Ship() { public void ship() { } public int weigh() { return 1; } };\n}\n",
}
JAVA_WITH_PACKAGES = {
    "com/shop/a/Ship.java": JAVA["com/shop/a/Ship.java"],
    "com/shop/b/Full.java": "package com.shop.b;\nclass Full implements com.shop.a.Ship {\n  public void ship() { }\n}\n",
    "com/shop/b/Lib.java": "package com.shop.b;\nclass Lib extends org.lib.Thing implements com.shop.a.Ship {\n  public void ship() { }\n}\n",
    "com/shop/b/Theirs.java": "package com.shop.b;\nclass Theirs implements org.lib.a.Ship {\n  public void ship() { }\n}\n",
}
RUST_WITH_PATHS = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "pub mod ship;\npub mod parcel;\n",
    "src/ship.rs": "pub trait Ship {\n    fn ship(&self);\n}\n",
    "src/parcel.rs": (
        "pub struct Parcel;\nimpl crate::ship::Ship for Parcel {\n    fn ship(&self) {}\n}\npub struct Other;\nimpl lib::ship::Ship for Other {\n    fn ship(&self) {}\n}\n"
        "mod tests {\n    trait Ship {\n        fn ship(&self);\n    }\n    struct Mine;\n    impl self::Ship for Mine {\n        fn ship(&self) {}\n    }\n}\n"
    ),
}
KOTLIN_ANONYMOUS = {
    "a/Ship.kt": KOTLIN["a/Ship.kt"],
    "a/Use.kt": "package a\n\nval one = object : Ship {\n    override fun ship() {}\n}\n\nfun two(s: Ship) = object : Ship by s {}\n",
}
SCALA_ANONYMOUS = {
    "a/Ship.scala": "package a\ntrait Ship {\n  def ship(): Boolean\n}\n",
    "a/Use.scala": "package a\nobject Use {\n  val one = new Ship {\n    def ship() = true\n  }\n  val two = new Ship with Ready {\n    def ship() = true\n  }\n}\n",
}
PHP_ANONYMOUS = {
    "composer.json": PHP["composer.json"],
    "app/Ship.php": PHP["app/Ship.php"],
    "app/Use.php": "<?php\nnamespace App;\nfunction one()\n{\n    return new class implements Ship {\n        public function ship() {}\n    };\n}\nfunction two()\n{\n    return new class implements Ship {\n        use Weighs;\n        public function ship() {}\n    };\n}\n",
}

SWIFT = {
    "Sources/Shop/Ship.swift": (
        "protocol Ship {\n    func ship() -> Bool\n}\nprotocol Fast: Ship {}\nextension Fast {\n    func weigh() -> Int { 1 }\n}\n"
        'struct Order {\n    let id: Int\n    var note = ""\n    var rest: Int?\n}\nstruct Made {\n    let id: Int\n    init(id: Int) { self.id = id }\n}\nenum Kind { case a, b }\n'
    ),
    "Sources/Shop/Late.swift": "struct Late {}\nextension Late {\n    func weigh() -> Int { 1 }\n}\n",
    "Sources/Shop/Parcel.swift": (
        "final class Parcel: Ship {\n    func ship() -> Bool { true }\n}\nextension Late: Ship {\n    func ship() -> Bool { true }\n}\nstruct Quick: Fast {\n    func ship() -> Bool { true }\n}\n"
        "class View: UIView, Ship {\n    func ship() -> Bool { true }\n}\n@Made class Mac: Ship {\n    func ship() -> Bool { true }\n}\n"
        "extension Order: Ship {\n    func ship() -> Bool { true }\n}\n"
    ),
    "Sources/Shop/Use.swift": (
        'let one = Order(id: 1, note: "")\nlet two = Order(from: 1)\nlet three = Order(id: 1) { 2 }\nlet four = Made(id: 1)\n'
        "func text(k: Kind) {\n    switch k {\n    case .a: break\n    case .b: break\n    }\n    switch k {\n    case .a where one == two: break\n    case .b: break\n    }\n}\n"
    ),
}
ELIXIR = {
    "lib/shop/cart.ex": (
        "defmodule Shop.Cart do\n  @enforce_keys [:items]\n  defstruct [:items, :owner, total: 0]\n  def new(i), do: %__MODULE__{items: i}\n\n  defmodule Line do\n    defstruct [:owner]\n  end\nend\n"
    ),
    "lib/shop/ship.ex": "defmodule Shop.Ship do\n  @callback ship(map) :: boolean\n  @callback other(map) :: boolean\n  @optional_callbacks other: 1\nend\n",
    "lib/shop/till.ex": (
        "defmodule Shop.Till do\n  alias Shop.Cart\n  alias Other.Cart, as: Theirs\n  @behaviour Shop.Ship\n  def ship(c), do: %Cart{items: c, owner: 1}\n  def of(%Cart{items: i}), do: %Theirs{items: i, owner: 1}\n"
        "  def set(c), do: %Cart{c | owner: 2}\n  def ask(c) do\n    case c do\n      {:ok, %Cart{items: 1}} -> %Shop.Cart{items: 2}\n    end\n  end\nend\n"
    ),
    "lib/shop/line.ex": "defmodule Shop.Free do\n  use Shop.Lib\n  @behaviour Shop.Ship\n  def ship(_), do: %Cart{owner: 1}\nend\n",
}


@pytest.mark.parametrize(
    ("before", "change", "lacking"),
    [
        (JAVA, ("com/shop/a/Ship.java", "void ship();", "void ship(); int weigh();"), ["com/shop/b/Letter.java:3", "com/shop/b/Parcel.java:3"]),
        (RUST, ("src/order.rs", "id: u32,", "id: u32, pub name: u32,"), ["src/user.rs:2", "src/user.rs:6"]),
        (RUST, ("src/order.rs", "A, B", "A, B, C"), ["src/user.rs:8"]),
        (GO, ("ship/ship.go", "Ship() bool", "Ship() bool\n\tWeigh() int"), ["parcel/parcel.go:7"]),
        (GO, ("ship/ship.go", "ID int", "ID int\n\tAge int"), ["parcel/parcel.go:9"]),
        (TYPESCRIPT, ("src/ship.ts", "depth: number;", "depth: number; owner: string;"), ["src/use.ts:2", "src/use.ts:5"]),
        (PYTHON, ("ship.py", "    @abs", "    @abstractmethod\n    def weigh(self): ...\n\n    @abs"), ["parcel.py:5"]),
        (PHP, ("app/Ship.php", "ship();", "ship();\n    public function weigh();"), ["app/Parcel.php:3"]),
        (PHP, ("app/Kind.php", "'b';", "'b';\n    case C = 'c';"), ["app/Use.php:5"]),
        (SCALA, ("a/Ship.scala", "Boolean\n", "Boolean\n  def weigh(): Int\n"), ["a/Parcel.scala:2", "a/Parcel.scala:7"]),
        (CSHARP, ("Ship.cs", "bool Ship();", "bool Ship(); int Weigh();"), ["Parcel.cs:2"]),
        (CSHARP, ("Ship.cs", "init; }", "init; }\n  public required int Age { get; init; }"), ["Parcel.cs:9"]),
        (CSHARP, ("Parcel.cs", "A, B", "A, B, C"), ["Parcel.cs:13"]),
        (TYPESCRIPT, ("src/kind.ts", "A, B", "A, B, C"), ["src/names.ts:2"]),
        (TYPESCRIPT, ("src/kind.ts", "'off'", "'off' | 'mid'"), ["src/names.ts:3"]),
        (KOTLIN, ("a/Ship.kt", "fun ship()", "fun ship()\n    fun weigh(): Int"), ["a/Parcel.kt:3"]),
        (KOTLIN, ("a/Ship.kt", "A, B", "A, B, C"), ["a/Parcel.kt:9"]),
        (JAVA_ANONYMOUS, ("com/shop/a/Ship.java", "void ship();", "void ship(); int weigh();"), ["com/shop/b/Use.java:4"]),
        (JAVA_WITH_PACKAGES, ("com/shop/a/Ship.java", "void ship();", "void ship(); int weigh();"), ["com/shop/b/Full.java:2"]),
        (RUST_WITH_PATHS, ("src/ship.rs", "fn ship(&self);", "fn ship(&self);\n    fn weigh(&self);"), ["src/parcel.rs:2"]),
        (KOTLIN_ANONYMOUS, ("a/Ship.kt", "fun ship()", "fun ship()\n    fun weigh(): Int"), ["a/Use.kt:3"]),
        (SCALA_ANONYMOUS, ("a/Ship.scala", "Boolean\n", "Boolean\n  def weigh(): Int\n"), ["a/Use.scala:3"]),
        (PHP_ANONYMOUS, ("app/Ship.php", "ship();", "ship();\n    public function weigh();"), ["app/Use.php:5"]),
        (SWIFT, ("Sources/Shop/Ship.swift", "Bool\n", "Bool\n    func weigh() -> Int\n"), ["Sources/Shop/Parcel.swift:1", "Sources/Shop/Parcel.swift:16"]),
        (SWIFT, ("Sources/Shop/Ship.swift", "let id: Int\n    var", "let id: Int\n    let owner: Int\n    var"), ["Sources/Shop/Use.swift:1"]),
        (SWIFT, ("Sources/Shop/Ship.swift", "let id: Int\n    init", "let id: Int\n    let owner = 1\n    init"), []),
        (SWIFT, ("Sources/Shop/Ship.swift", '    var note = ""\n', ""), ["Sources/Shop/Use.swift:1"]),
        (SWIFT, ("Sources/Shop/Ship.swift", "a, b", "a, b, c"), ["Sources/Shop/Use.swift:6"]),
        (ELIXIR, ("lib/shop/cart.ex", "[:items]", "[:items, :owner]"), ["lib/shop/cart.ex:4", "lib/shop/till.ex:10"]),
        (ELIXIR, ("lib/shop/cart.ex", ":owner, ", ""), ["lib/shop/till.ex:5", "lib/shop/till.ex:7"]),
        (ELIXIR, ("lib/shop/ship.ex", "  @callback other", "  @callback weigh(map) :: integer\n  @callback other"), ["lib/shop/till.ex:1"]),
        (RUST, ("src/order.rs", "pub id: u32,", "pub number: u32,"), ["src/user.rs:2", "src/user.rs:2", "src/user.rs:6", "src/user.rs:6"]),
        (TYPESCRIPT, ("src/ship.ts", "depth: number; ", ""), ["src/use.ts:2"]),
    ],
)  # fmt: skip
def test_code_missing_a_newly_required_member_is_listed(
    repository: Repository, before: Mapping[str, str], change: tuple[str, str, str], lacking: list[str]
) -> None:
    """Implementers, literals and exhaustive matches that were complete before the change are listed."""
    path, old, new = change
    assert old in before[path]
    found = find(repository.change(before, {path: before[path].replace(old, new, 1)}))

    rows = [row for row in found.references if row.missing_part is not None]
    assert sorted(f"{row.path}:{row.line}" for row in rows) == lacking
