"""Uses that no dot and no call shows, members that no line declares, and what a function is called on: a break of each is open."""

from collections.abc import Mapping

import pytest
from small_changes import Places

Case = tuple[
    Mapping[str, str], Mapping[str, str], str
]  # the tree before, what changes, and the body of the user in its place
MODE = "package p;\npublic enum Mode {\n  FAST,\n  SLOW\n}\n"
JAVA = (
    {"p/Mode.java": MODE},
    {"p/Mode.java": MODE.replace("FAST,\n  SLOW", "FAST")},
    "package p;\nclass U {\n  %s\n}\n",
)
KIND = "  enum Kind { SLOW }\n"
USER = "export interface User {\n  id: number;\n  email: string;\n}\n"
TYPESCRIPT = (
    {"m.ts": USER},
    {"m.ts": USER.replace("  email: string;\n", "")},
    'import type { User } from "./m";\n%s\n',
)
BUTTON = "export interface Props {\n  tone: string;\n}\nexport function Button(props: Props) {\n  return <b>{String(props)}</b>;\n}\n"
REACT = (
    {"B.tsx": BUTTON, "C.tsx": "export function Other(p: any) {\n  return <i>{p.x}</i>;\n}\n"},
    {"B.tsx": BUTTON.replace("  tone: string;\n", "  id: string;\n")},
    'import { Button } from "./B";\nimport { Other } from "./C";\nexport const u = %s;\n',
)
PERSON = (
    "pub struct Person {\n    pub name: String,\n    pub age: u8,\n}\npub enum Mode {\n    Fast,\n    Slow(u8),\n}\n"
)
CARGO = {"Cargo.toml": '[package]\nname = "s"\nversion = "0.1.0"\n', "src/lib.rs": "pub mod a;\npub mod u;\n"}
RUST = (
    {**CARGO, "src/a.rs": PERSON},
    {"src/a.rs": PERSON.replace("    pub age: u8,\n", "").replace("    Slow(u8),\n", "")},
    "use crate::a::Person;\n%s\n",
)
POINT = "typedef struct {\n  int left;\n  int top;\n} point_t;\n"
C = ({"a.h": POINT}, {"a.h": POINT.replace("  int top;\n", "")}, '#include "a.h"\n%s\n')
NICK = "namespace P;\npublic class Person {\n  public string Nick { get; set; }\n  public int Age { get; set; }\n}\n"
CSHARP = (
    {"A.cs": NICK},
    {"A.cs": NICK.replace("  public string Nick { get; set; }\n", "")},
    "namespace P;\npublic class U {\n  %s\n}\n",
)
CART = "defmodule Shop.Cart do\n  defstruct [:items, owner: nil]\nend\n"
ELIXIR = (
    {"lib/shop/cart.ex": CART},
    {"lib/shop/cart.ex": CART.replace(", owner: nil", "")},
    "defmodule U do\n  alias Shop.Cart\n  %s\nend\n",
)
SHAPE = "enum Mode {\n  case fast\n  case slow(Int)\n}\n"
SWIFT = ({"Sources/A/a.swift": SHAPE}, {"Sources/A/a.swift": SHAPE.replace("  case slow(Int)\n", "")}, "%s\n")
MEMBERS: Mapping[str, tuple[Case, str, Mapping[str, str], Mapping[str, str]]] = {
    "java": (
        JAVA, "p/U.java",
        {
            "label": "int f(Mode m) {\n    switch (m) {\n      case SLOW: return 1;\n      default: return 2;\n    }\n  }",
            "arrow": "int f(Mode m) {\n    return switch (m) {\n      case SLOW -> 1;\n      default -> 2;\n    };\n  }",
            "subject without its type": "int f(H h) {\n    switch (h.mode()) {\n      case SLOW: return 1;\n      default: return 2;\n    }\n  }",
        },
        {
            "another enumeration": KIND + "  Mode mode;\n  int f(Kind k) {\n    switch (k) {\n      case SLOW: return 1;\n      default: return 2;\n    }\n  }",
            "variable": "int f(Mode m) {\n    int SLOW = 1;\n    return SLOW;\n  }",
        },
    ),
    "typescript": (
        TYPESCRIPT, "u.ts",
        {
            "parameter": "export const f = ({ email }: User) => email;",
            "statement": "export function f(u: User) {\n  const { email: e } = u;\n  return e;\n}",
            "literal": 'export const f = (): User => ({ id: 1, email: "x" });',
            "pick": 'export type P = Pick<User, "email">;',
        },
        {
            "another type": "interface Mail { email: string }\nexport const f = ({ email }: Mail, u: User) => [email, u.id];",
            "variable": "export function f(u: User) {\n  const email = u.id;\n  return email;\n}",
        },
    ),
    "react": (
        REACT, "u.tsx",
        {"attribute": '<Button tone="y" />', "with children": '<Button tone="y">x</Button>', "inner": '<p><Button id="" tone={1} /></p>'},
        {"another tag": '<p><Button /><Other tone="y" /></p>'},
    ),
    "rust": (
        RUST, "src/u.rs",
        {
            "pattern": "pub fn f(p: &Person) -> u8 {\n    let Person { age, .. } = p;\n    *age\n}",
            "parameter": "pub fn f(Person { age, .. }: &Person) -> u8 {\n    *age\n}",
            "variant": "use crate::a::Mode::{self, *};\npub fn f(m: &Mode) -> u8 {\n    match m {\n        Fast => 1,\n        Slow(x) => *x,\n    }\n}",
        },
        {
            "another struct": "pub struct Dog {\n    pub age: u8,\n}\npub fn f(p: &Person, d: &Dog) -> u8 {\n    let Dog { age, .. } = d;\n    *age\n}",
            "variable": "pub fn f(p: &Person, age: u8) -> u8 {\n    p.name.len() as u8 + age\n}",
        },
    ),
    "c": (
        C, "u.c",
        {
            "initialiser": "point_t p = { .left = 1, .top = 2 };",
            "compound literal": "void g(point_t p);\nvoid f(void) { g((point_t){ .top = 2 }); }",
            "offset": "int o = offsetof(point_t, top);",
        },
        {
            "another struct": "struct own { int top; };\nstruct own o = { .top = 1 };\npoint_t p;",
            "variable": "int f(point_t p) { int top = p.left; return top; }",
        },
    ),
    "csharp": (
        CSHARP, "U.cs",
        {
            "initialiser": 'Person F() { return new Person { Nick = "x" }; }',
            "implicit type": 'Person F() { Person p = new() { Nick = "x" }; return p; }',
            "pattern": 'bool F(object o) { return o is Person { Nick: "x" }; }',
        },
        {
            "another class": 'class Dog { public string Nick; }\n  Dog F(Person p) { return new Dog { Nick = "x" }; }',
            "variable": 'string F(Person p) { var Nick = "x"; return Nick; }',
        },
    ),
    "elixir": (
        ELIXIR, "lib/u.ex",
        {
            "literal": "def f, do: %Cart{owner: 1}",
            "pattern": "def f(%Cart{owner: o}), do: o",
            "update": "def f(%Cart{} = c), do: %{c | owner: 2}",
        },
        {"another struct": "def f(%Dog{owner: o}, %Cart{items: i}), do: {i, o}", "variable": "def f(%Cart{items: i}, owner), do: {i, owner}"},
    ),
    "swift": (
        SWIFT, "Sources/A/u.swift",
        {
            "case": "func f(m: Mode) -> Int {\n  switch m {\n  case .slow(let x): return x\n  case .fast: return 1\n  }\n}",
            "short": "func f() -> Mode {\n  return .slow(1)\n}",
            "condition": "func f(m: Mode) -> Bool {\n  return m == .slow(1)\n}",
        },
        {"variable": "func f(m: Mode, slow: Int) -> Int {\n  return slow\n}"},
    ),
}  # fmt: skip
RECORD = "package p;\npublic record Point(int left, int top) {}\n"
LOMBOK = "package p;\nimport lombok.%s;\n@%s\npublic class User {\n  private String nick;\n  private int age;\n}\n"
IN_JAVA = "package p;\nclass U {\n  %s\n}\n"
LOADER = "namespace P;\npublic class Loader {\n  public int Load(int a) { return 1; }\n}\n"
IN_CSHARP = "namespace P;\npublic class U {\n  %s\n}\n"
TEXTS = (
    "namespace P;\npublic static class Texts {\n  public static string Shout(this string text) { return text; }\n}\n"
)
LOUD = "package a\n\nfun String.shout() = this\n"
IN_KOTLIN = "package b\n\nimport a.shout\n\nfun f(name: String) = %s\n"
GO = 'package a\n\ntype T struct{}\n\nfunc (t T) GetAll() string { return "" }\n\nfunc Make() T { return T{} }\n'
IN_GO = 'package main\n\nimport "x.io/s/a"\n\nfunc main() { println(%s) }\n'
CASE = "package a\n\ncase class Point(left: Int, top: Int)\n"
IN_SCALA = "package b\n\nimport a.Point\n\nobject U {\n  %s\n}\n"
DATA = "package a\n\ndata class Point(val left: Int, val top: Int)\n"
OTHERS: Mapping[str, tuple[str, str, str, str, str, bool]] = {
    "component read": ("p/Point.java", RECORD, RECORD.replace(", int top", ""), "p/U.java", IN_JAVA % "int f(Point q) { return q.top(); }", True),
    "component of another type": ("p/Point.java", RECORD, RECORD.replace("int top", "long top"), "p/U.java", IN_JAVA % "int f(Point q) { return q.top(); }", True),
    "component of C#": ("A.cs", "namespace P;\npublic record Q(int Left, int Top);\n", "namespace P;\npublic record Q(int Left);\n", "U.cs", IN_CSHARP % "int F(Q q) { return q.Top; }", True),
    "another component": ("p/Point.java", RECORD, RECORD.replace("int top", "long top"), "p/U.java", IN_JAVA % "int f(Point q) { return q.left(); }", False),
    "getter": ("p/User.java", LOMBOK % ("Data", "Data"), (LOMBOK % ("Data", "Data")).replace("nick", "name"), "p/U.java", IN_JAVA % "String f(User u) { return u.getNick(); }", True),
    "step of a builder": ("p/User.java", LOMBOK % ("Builder", "Builder"), (LOMBOK % ("Builder", "Builder")).replace("  private String nick;\n", ""), "p/U.java", IN_JAVA % 'User f() { return User.builder().age(1).nick("x").build(); }', True),
    "constructor of all fields": ("p/User.java", LOMBOK.replace("%s", "AllArgsConstructor"), LOMBOK.replace("%s", "AllArgsConstructor").replace("  private int age;\n", ""), "p/U.java", IN_JAVA % 'User f() { return new User("x", 1); }', True),
    "another getter": ("p/User.java", LOMBOK % ("Data", "Data"), (LOMBOK % ("Data", "Data")).replace("int age", "int years"), "p/U.java", IN_JAVA % "String f(User u) { return u.getNick(); }", False),
    "body that is an expression": ("A.cs", LOADER, LOADER.replace("int a", "int a, int b"), "U.cs", IN_CSHARP % "int F(Loader loader) => loader.Load(1);", True),
    "result behind an expression": ("A.cs", LOADER, LOADER.replace("public int", "public long"), "U.cs", IN_CSHARP % "int F(int n, Loader loader) => loader.Load(n);", True),
    "lambda with types": ("A.cs", LOADER, LOADER.replace("public int", "public long"), "U.cs", IN_CSHARP % "object F() { return (Loader one, int n) => one.Load(n); }", True),
    "another class behind an expression": ("A.cs", LOADER, LOADER.replace("int a", "int a, int b"), "U.cs", IN_CSHARP % "class Other { public int Load(int a) { return a; } }\n  int F(Other loader) => loader.Load(1);", False),
    "no property sent": ("A.cs", NICK.replace("public string", "public required string"), NICK.replace("public string", "public required string") + "// end\n", "U.cs", IN_CSHARP % "Person F() { return new Person(); }", False),
    "no longer required": ("A.cs", NICK.replace("public int", "public required int"), NICK, "U.cs", IN_CSHARP % "Person F() { return new Person(); }", False),
    "extension of another type": ("a/A.kt", LOUD, LOUD.replace("String", "Int"), "b/U.kt", IN_KOTLIN % "name.shout()", True),
    "extension takes more": ("a/A.kt", LOUD, LOUD.replace("()", "(times: Int)"), "b/U.kt", IN_KOTLIN % "name.shout()", True),
    "extension of C#": ("A.cs", TEXTS, TEXTS.replace("this string", "this int"), "U.cs", IN_CSHARP % "string F(string name) { return name.Shout(); }", True),
    "extension whose receiver has another name": ("A.cs", TEXTS, TEXTS.replace("text", "word"), "U.cs", IN_CSHARP % "string F(string name) { return name.Shout(); }", False),
    "pointer receiver": ("a/a.go", GO, GO.replace("(t T)", "(t *T)"), "u.go", IN_GO % "a.Make().GetAll()", True),
    "receiver that is used by none": ("a/a.go", GO, GO.replace("(t T)", "(t *T)"), "u.go", IN_GO % "a.Make()", False),
    "pattern of Scala": ("a/A.scala", CASE, CASE.replace(", top: Int", ""), "b/U.scala", IN_SCALA % "def f(o: Any) = o match {\n    case Point(l, t) => l\n  }", True),
    "value taken apart in Scala": ("a/A.scala", CASE, CASE.replace(", top: Int", ""), "b/U.scala", IN_SCALA % "def f(o: Point) = {\n    val Point(l, t) = o\n    l\n  }", True),
    "pattern of another class": ("a/A.scala", CASE, CASE.replace(", top: Int", ""), "b/U.scala", IN_SCALA % "case class Dog(top: Int)\n  def f(o: Any, p: Point) = o match {\n    case Dog(t) => p.left\n  }", False),
    "pattern of a record": ("p/Point.java", RECORD, RECORD.replace("int top", "int top, int z"), "p/U.java", IN_JAVA % "int f(Object o) { return o instanceof Point(int a, int b) ? a : 0; }", True),
    "loop that takes apart": ("a/A.kt", DATA, DATA.replace(", val top: Int", ""), "b/U.kt", "package b\n\nimport a.Point\n\nfun f(all: List<Point>) {\n    for ((left, top) in all) println(top)\n}\n", True),
    "loop over a map": ("a/A.kt", DATA, DATA.replace(", val top: Int", ""), "b/U.kt", "package b\n\nimport a.Point\n\nfun f(all: Map<Int, Int>, p: Point) {\n    for ((left, top) in all) println(p)\n}\n", False),
}  # fmt: skip


ROWS = [
    pytest.param(case, path, body, is_open, id=f"{language}-{name}")
    for language, (case, path, loud, quiet) in MEMBERS.items()
    for bodies, is_open in ((loud, True), (quiet, False))
    for name, body in bodies.items()
]


@pytest.mark.parametrize(("case", "path", "body", "is_open"), ROWS)
def test_a_member_of_one_word_that_is_gone_is_open_where_the_syntax_writes_no_dot(
    places: Places, case: Case, path: str, body: str, is_open: bool
) -> None:  # fmt: skip
    """A case label, a pattern, an initialiser, an attribute: what says whose member it is decides, and a variable is none."""
    before, after, frame = case
    assert (path in places({**before, path: frame % body}, after)) is is_open


@pytest.mark.parametrize(("home", "old", "new", "path", "user", "is_open"), OTHERS.values(), ids=OTHERS.keys())
def test_what_no_line_declares_or_no_call_shows_is_open(
    places: Places, home: str, old: str, new: str, path: str, user: str, is_open: bool
) -> None:  # fmt: skip
    """Components and generated members, callers whose body is an expression, required properties, receivers and patterns."""
    more = {"go.mod": "module x.io/s\n\ngo 1.22\n"} if home.endswith(".go") else {}
    assert (path in places({**more, home: old, path: user}, {home: new})) is is_open
