"""Prototypes that a change of the definition leaves behind, and results of another form."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

AREA = "int area_of(int w) { return w; }\n"
WIDE = "int area_of(int w, int *h) { return w * *h; }\n"
HEADER = "int area_of(int w);\n"
MAIN = '#include "area.h"\nint main(void) { return area_of(3); }\n'
OWN = "int area_of(int w);\nint main(void) { return area_of(3); }\n"
CART_HEADER = "class Cart {\n public:\n  int total(int a);\n};\n"
C: Mapping[str, tuple[Files, Files, dict[str, bool]]] = {
    "header not included": ({"area.h": HEADER, "area.c": AREA, "u.c": MAIN}, {"area.c": WIDE}, {"u.c": True, "area.h": True}),
    "header included": ({"area.h": HEADER, "area.c": '#include "area.h"\n' + AREA, "u.c": MAIN}, {"area.c": '#include "area.h"\n' + WIDE}, {"u.c": True, "area.h": True}),
    "declared by the user": ({"area.c": AREA, "u.c": OWN}, {"area.c": WIDE}, {"u.c": True}),
    "result": ({"area.h": HEADER, "area.c": AREA, "u.c": MAIN}, {"area.c": AREA.replace("int area", "double area")}, {"u.c": True, "area.h": True}),
    "type of a parameter": ({"area.h": HEADER, "area.c": AREA, "u.c": MAIN}, {"area.c": AREA.replace("int w", "double w")}, {"u.c": True, "area.h": True}),
    "through another header": ({"area.h": HEADER, "all.h": '#include "area.h"\n', "area.c": AREA, "u.c": MAIN.replace("area.h", "all.h")}, {"area.c": WIDE}, {"u.c": True, "area.h": True}),
    "a method": ({"cart.h": CART_HEADER, "cart.cpp": '#include "cart.h"\nint Cart::total(int a) { return a; }\n', "u.cpp": '#include "cart.h"\nint f(Cart &cart) { return cart.total(1); }\n'}, {"cart.cpp": '#include "cart.h"\nint Cart::total(int a, int b) { return a; }\n'}, {"u.cpp": True, "cart.h": True}),
    "name of a parameter": ({"area.h": HEADER, "area.c": AREA, "u.c": MAIN}, {"area.c": "int area_of(int width) { return width; }\n"}, {"u.c": False, "area.h": False}),
    "body": ({"area.h": HEADER, "area.c": AREA, "u.c": MAIN}, {"area.c": AREA.replace("w; }", "w + 0; }")}, {"u.c": False, "area.h": False}),
    "static": ({"area.h": HEADER, "area.c": AREA, "own.c": "static " + AREA, "u.c": MAIN}, {"own.c": "static " + WIDE}, {"u.c": False, "area.h": False}),
    "default in the header": ({"area.h": "int area_of(int w, int h = 1);\n", "area.cpp": '#include "area.h"\nint area_of(int w, int h) { return w; }\n', "u.cpp": MAIN}, {"area.cpp": '#include "area.h"\nint area_of(int w, int h) { return w + h; }\n'}, {"u.cpp": False, "area.h": False}),
}  # fmt: skip


@pytest.mark.parametrize("case", C)
def test_a_definition_of_c_that_left_its_prototype_behind_leaves_users_and_prototype_open(
    places: Places, case: str
) -> None:
    """A file with the old prototype calls the function as it was, whether or not the definition includes that file."""
    before, after, expected = C[case]
    said = places(before, after)
    assert {path: path in said for path in expected} == expected


CART = "defmodule Cart do\n  def load(a) do\n    {:ok, a}\n  end\nend\n"
BUY = "defmodule Buy do\n  def run do\n    {:ok, x} = Cart.load(1)\n    x\n  end\nend\n"
CASE = CART.replace("    {:ok, a}\n", "    case a do\n      1 -> {:error, a}\n      _ -> {:ok, a}\n    end\n")
ELIXIR: Mapping[str, tuple[str, str, bool]] = {
    "longer tuple": (CART, CART.replace("{:ok, a}", "{:ok, a, 1}"), True),
    "value": (CART, CART.replace("{:ok, a}", "a"), True),
    "another tag": (CART, CART.replace(":ok", ":found"), True),
    "what a call gives": (CART, CART.replace("{:ok, a}", "wrap(a)"), True),
    "in one branch": (CASE, CASE.replace("{:ok, a}", "{:ok, a, 1}"), True),
    "in one line": ("defmodule Cart do\n  def load(a), do: {:ok, a}\nend\n", "defmodule Cart do\n  def load(a), do: {:ok, a, 1}\nend\n", True),
    "in else": (CART.replace("    {:ok, a}\n", "    if a do\n      nil\n    else\n      {:ok, a}\n    end\n"), CART.replace("    {:ok, a}\n", "    if a do\n      nil\n    else\n      a\n    end\n"), True),
    "other parts": (CART, CART.replace("{:ok, a}", "b = a\n    {:ok, [b]}"), False),
    "a new error": (CART, CASE, False),
    "a formatter": (CART, CART.replace("{:ok, a}", "{\n      :ok,\n      a\n    }"), False),
}  # fmt: skip


A = "class A {\npublic:\n  A() {}\n  A(int x) {}\n  virtual int load() { return 1; }\n};\n"
JAVA = "package p;\npublic class A {\n  int load(int a) { return 1; }\n}\n"
HEIR = "package p;\npublic class U extends A {\n  int load(int a) { return 2; }\n}\n"
MACRO = "#[macro_export]\nmacro_rules! shout {\n    ($x:expr) => { $x };\n}\n"
RUST = {"Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n', "src/lib.rs": "#[macro_use]\nmod a;\npub mod u;\n"}
IMPLICIT = '#include "a.hpp"\nA f() { return 1; }\n'
COPY = '#include "a.hpp"\nA f(A a) { A b = a; return b; }\n'
B = '#include "a.hpp"\nclass B : public A {\npublic:\n  int load() override { return 2; }\n};\n'
HEADS: Mapping[str, tuple[Files, Files, str, bool]] = {
    "java final": ({"p/A.java": JAVA, "p/U.java": HEIR}, {"p/A.java": JAVA.replace("int load(", "final int load(")}, "p/U.java", True),
    "c++ without virtual": ({"a.hpp": A, "u.cpp": B}, {"a.hpp": A.replace("virtual ", "")}, "u.cpp", True),
    "c++ final": ({"a.hpp": A, "u.cpp": B}, {"a.hpp": A.replace("load() {", "load() final {")}, "u.cpp", True),
    "c# without virtual": ({"A.cs": "namespace P;\npublic class A {\n  public virtual int Load() { return 1; }\n}\n", "U.cs": "namespace P;\npublic class U : A {\n  public override int Load() { return 2; }\n}\n"}, {"A.cs": "namespace P;\npublic class A {\n  public int Load() { return 1; }\n}\n"}, "U.cs", True),
    "kotlin without open": ({"p/A.kt": "package p\nopen class A {\n  open fun load(): Int { return 1 }\n}\n", "p/U.kt": "package p\nclass U : A() {\n  override fun load(): Int { return 2 }\n}\n"}, {"p/A.kt": "package p\nopen class A {\n  fun load(): Int { return 1 }\n}\n"}, "p/U.kt", True),
    "php final": ({"A.php": "<?php\nclass A {\n  public function load() { return 1; }\n}\n", "U.php": "<?php\nrequire 'A.php';\nclass U extends A {\n  public function load() { return 2; }\n}\n"}, {"A.php": "<?php\nclass A {\n  final public function load() { return 1; }\n}\n"}, "U.php", True),
    "explicit": ({"a.hpp": A, "u.cpp": IMPLICIT}, {"a.hpp": A.replace("A(int", "explicit A(int")}, "u.cpp", True),
    "copy deleted": ({"a.hpp": A, "u.cpp": COPY}, {"a.hpp": A.replace("  A(int", "  A(const A&) = delete;\n  A(int")}, "u.cpp", True),
    "assignment deleted": ({"a.hpp": A, "u.cpp": '#include "a.hpp"\nvoid f(A &a, A &b) { a = b; }\n'}, {"a.hpp": A.replace("  A(int", "  A& operator=(const A&) = delete;\n  A(int")}, "u.cpp", True),
    "parameter of a macro": ({**RUST, "src/a.rs": MACRO, "src/u.rs": "pub fn f() -> u8 {\n    shout!(1)\n}\n"}, {"src/a.rs": MACRO.replace("($x:expr)", "($x:expr, $y:expr)")}, "src/u.rs", True),
    "arm of a macro": ({**RUST, "src/a.rs": MACRO.replace("{ $x };", "{ $x };\n    ($x:expr, $y:expr) => { $x };"), "src/u.rs": "pub fn f() -> u8 {\n    shout!(1, 2)\n}\n"}, {"src/a.rs": MACRO}, "src/u.rs", True),
    "a macro of one word that goes": ({**RUST, "src/a.rs": MACRO, "src/u.rs": "pub fn f() -> u8 {\n    shout!(1)\n}\n"}, {"src/a.rs": "// nothing\n"}, "src/u.rs", True),
    "a macro of its own": ({**RUST, "src/a.rs": MACRO, "src/u.rs": "macro_rules! shout {\n    ($x:expr) => { $x };\n}\npub fn f() -> u8 {\n    shout!(1)\n}\n"}, {"src/a.rs": MACRO.replace("$x:expr", "$x:ident")}, "src/u.rs", False),
    "kind of a part": ({**RUST, "src/a.rs": MACRO, "src/u.rs": "pub fn f() -> u8 {\n    shout!(1)\n}\n"}, {"src/a.rs": MACRO.replace("$x:expr", "$x:ident")}, "src/u.rs", True),
    "java final parameter": ({"p/A.java": JAVA, "p/U.java": HEIR}, {"p/A.java": JAVA.replace("int a", "final int a")}, "p/U.java", False),
    "java final variable": ({"p/A.java": JAVA, "p/U.java": HEIR}, {"p/A.java": JAVA.replace("return 1", "final int b = 1; return b")}, "p/U.java", False),
    "another class of c++": ({"a.hpp": A + "class Z {\npublic:\n  Z(int x) {}\n};\n", "u.cpp": IMPLICIT}, {"a.hpp": A + "class Z {\npublic:\n  explicit Z(int x) {}\n};\n"}, "u.cpp", False),
    "a new constructor": ({"a.hpp": A, "u.cpp": IMPLICIT}, {"a.hpp": A.replace("  A(int", "  explicit A(double y) {}\n  A(int")}, "u.cpp", False),
    "body of a macro": ({**RUST, "src/a.rs": MACRO, "src/u.rs": "pub fn f() -> u8 {\n    shout!(1)\n}\n"}, {"src/a.rs": MACRO.replace("{ $x }", "{ $x + 0 }")}, "src/u.rs", False),
    "name in a macro": ({**RUST, "src/a.rs": MACRO, "src/u.rs": "pub fn f() -> u8 {\n    shout!(1)\n}\n"}, {"src/a.rs": MACRO.replace("$x", "$value")}, "src/u.rs", False),
    "another arm": ({**RUST, "src/a.rs": MACRO, "src/u.rs": "pub fn f() -> u8 {\n    shout!(1)\n}\n"}, {"src/a.rs": MACRO.replace("{ $x };", "{ $x };\n    ($x:expr, $y:expr) => { $x };")}, "src/u.rs", False),
}  # fmt: skip
