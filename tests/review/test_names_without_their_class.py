"""References to a member whose class isn't written next to it.

Examples are `import static shop.Cart.total;`, `using static Shop.Cart;`, `import shop.Cart._`, the class by
which Java calls a Kotlin function, and a class with type arguments before the dot.
"""

from collections.abc import Callable, Mapping

import pytest
from families import few

Files = Mapping[str, str]
Case = tuple[Files, str, tuple[str, str]]  # the files, the file that changes, the old and the new text in it
Places = Callable[[Files, Files], set[str]]

# fmt: off
BROKEN: Mapping[str, Case] = {
    "java-static-drop": ({"a/b/U.java": "package a.b;\npublic final class U {\n    private U() {}\n    public static final int MAX = 1;\n    public static void one(String h, String t) {\n        System.out.println(h + t);\n    }\n}\n", "a/c/D.java": 'package a.c;\nimport static a.b.U.one;\npublic class D {\n    public void go() {\n        one("x", "y");\n    }\n}\n'}, "a/b/U.java", ("    public static void one(String h, String t) {\n", "    public static void one(String t) {\n")),
    "java-static-const-value": ({"a/b/U.java": "package a.b;\npublic final class U {\n    private U() {}\n    public static final int MAX = 1;\n    public static void one(String h, String t) {\n        System.out.println(h + t);\n    }\n}\n", "a/c/D.java": "package a.c;\nimport static a.b.U.MAX;\npublic class D {\n    public int go() {\n        return MAX;\n    }\n}\n"}, "a/b/U.java", ("    public static final int MAX = 1;\n", "    public static final int MAX = 2;\n")),
    "kt-object-drop": ({"a/b/U.kt": "package a.b\nobject U {\n    fun one(h: String, t: String) {\n        println(h + t)\n    }\n}\n", "a/c/D.kt": 'package a.c\nimport a.b.U.one\nclass D {\n    fun go() {\n        one("x", "y")\n    }\n}\n'}, "a/b/U.kt", ("    fun one(h: String, t: String) {\n", "    fun one(t: String) {\n")),
    "kt-top-drop": ({"a/b/U.kt": "package a.b\nfun one(h: String, t: String) {\n    println(h + t)\n}\n", "a/c/D.kt": 'package a.c\nimport a.b.one\nclass D {\n    fun go() {\n        one("x", "y")\n    }\n}\n'}, "a/b/U.kt", ("fun one(h: String, t: String) {\n", "fun one(t: String) {\n")),
    "kt-top-alias-drop": ({"a/b/U.kt": "package a.b\nfun one(h: String, t: String) {\n    println(h + t)\n}\n", "a/c/D.kt": 'package a.c\nimport a.b.one as two\nclass D {\n    fun go() {\n        two("x", "y")\n    }\n}\n'}, "a/b/U.kt", ("fun one(h: String, t: String) {\n", "fun one(t: String) {\n")),
    "kt-companion-drop": ({"a/b/U.kt": "package a.b\nclass U {\n    companion object {\n        fun one(h: String, t: String) {\n            println(h + t)\n        }\n    }\n}\n", "a/c/D.kt": 'package a.c\nimport a.b.U.Companion.one\nclass D {\n    fun go() {\n        one("x", "y")\n    }\n}\n'}, "a/b/U.kt", ("        fun one(h: String, t: String) {\n", "        fun one(t: String) {\n")),
    "java-of-kt-top-drop": ({"a/b/U.kt": "package a.b\nfun one(h: String, t: String) {\n    println(h + t)\n}\n", "a/c/D.java": 'package a.c;\nimport a.b.UKt;\npublic class D {\n    public void go() {\n        UKt.one("x", "y");\n    }\n}\n'}, "a/b/U.kt", ("fun one(h: String, t: String) {\n", "fun one(t: String) {\n")),
    "sc-star-drop": ({"a/b/U.scala": "package a.b\nobject U {\n  def one(h: String, t: String): Unit = {\n    println(h + t)\n  }\n}\n", "a/c/D.scala": 'package a.c\nimport a.b.U._\nclass D {\n  def go(): Unit = {\n    one("x", "y")\n  }\n}\n'}, "a/b/U.scala", ("  def one(h: String, t: String): Unit = {\n", "  def one(t: String): Unit = {\n")),
    "sc-alias-drop": ({"a/b/U.scala": "package a.b\nobject U {\n  def one(h: String, t: String): Unit = {\n    println(h + t)\n  }\n}\n", "a/c/D.scala": 'package a.c\nimport a.b.U.{one => two}\nclass D {\n  def go(): Unit = {\n    two("x", "y")\n  }\n}\n'}, "a/b/U.scala", ("  def one(h: String, t: String): Unit = {\n", "  def one(t: String): Unit = {\n")),
    "sc-pkg-obj-drop": ({"a/b/package.scala": "package a\npackage object b {\n  def one(h: String, t: String): Unit = {\n    println(h + t)\n  }\n}\n", "a/c/D.scala": 'package a.c\nimport a.b._\nclass D {\n  def go(): Unit = {\n    one("x", "y")\n  }\n}\n'}, "a/b/package.scala", ("  def one(h: String, t: String): Unit = {\n", "  def one(t: String): Unit = {\n")),
    "cs-static-drop": ({"B/U.cs": "namespace A.B;\npublic static class U\n{\n    public static void One(string h, string t)\n    {\n        System.Console.WriteLine(h + t);\n    }\n}\n", "C/D.cs": 'using static A.B.U;\nnamespace A.C;\npublic class D\n{\n    public void Go()\n    {\n        One("x", "y");\n    }\n}\n'}, "B/U.cs", ("    public static void One(string h, string t)\n", "    public static void One(string t)\n")),
    "cs-alias-drop": ({"B/U.cs": "namespace A.B;\npublic static class U\n{\n    public static void One(string h, string t)\n    {\n        System.Console.WriteLine(h + t);\n    }\n}\n", "C/D.cs": 'using V = A.B.U;\nnamespace A.C;\npublic class D\n{\n    public void Go()\n    {\n        V.One("x", "y");\n    }\n}\n'}, "B/U.cs", ("    public static void One(string h, string t)\n", "    public static void One(string t)\n")),
    "sw-top-drop": ({"Sources/A/U.swift": "public func one(_ h: String, _ t: String) {\n    print(h + t)\n}\n", "Sources/A/D.swift": 'func go() {\n    one("x", "y")\n}\n'}, "Sources/A/U.swift", ("public func one(_ h: String, _ t: String) {\n", "public func one(_ t: String) {\n")),
    "sw-ext-drop": ({"Sources/A/U.swift": "public class U {}\nextension U {\n    public static func one(_ h: String, _ t: String) {\n        print(h + t)\n    }\n}\n", "Sources/A/D.swift": 'extension U {\n    func go() {\n        U.one("x", "y")\n        Self.one("x", "y")\n    }\n}\n'}, "Sources/A/U.swift", ("    public static func one(_ h: String, _ t: String) {\n", "    public static func one(_ t: String) {\n")),
    "php-use-function-req": ({"src/u.php": "<?php\nnamespace A\\B;\nfunction one($h, $t) {\n    return $h . $t;\n}\n", "composer.json": '{"autoload":{"files":["src/u.php"],"psr-4":{"A\\\\":"src/"}}}', "src/d.php": '<?php\nnamespace A\\C;\nuse function A\\B\\one;\nfunction go() {\n    return one("x", "y");\n}\n'}, "src/u.php", ("function one($h, $t) {\n", "function one($h, $t, $u) {\n")),
}
QUIET: Mapping[str, Case] = {
    "sc-companion-stays-object-used": ({"z/Cached.scala": "package z\nclass Cached() {\n  def get: Int = 1\n}\nobject Cached {\n  val x = 1\n}\n", "y/D.scala": "package y\nimport z.Cached\nclass D {\n  def f(): Int = Cached.x\n}\n"}, "z/Cached.scala", ("class Cached() {\n  def get: Int = 1\n}\n", "")),
}
# fmt: on


def change(case: Case) -> tuple[Files, Files]:
    """Return the files before the change, and the changed file."""
    files, path, (old, new) = case
    return files, {path: files[path].replace(old, new, 1)}


@pytest.mark.parametrize("name", few(BROKEN, *range(0, len(BROKEN), 3)))
def test_reference_to_a_changed_member_is_reported(places: Places, name: str) -> None:
    """A file that uses the changed member is reported."""
    files, path, _ = BROKEN[name]
    assert places(*change(BROKEN[name])) & {one for one in files if one != path}


@pytest.mark.parametrize("name", QUIET)
def test_object_with_the_name_of_a_removed_class_is_not_reported(places: Places, name: str) -> None:
    """If a class is removed and an object of the same name stays, users of the object are not reported."""
    assert places(*change(QUIET[name])) == set()
