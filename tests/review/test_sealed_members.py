"""Members that nobody may override any more, however their class is written: annotations with braces, a class on one line, properties."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

JAVA_HEIR = "package shop;\n\npublic class B extends A {\n    @Override\n    public int loadRows() {\n        return 2;\n    }\n}\n"
KOTLIN_HEIR = "package shop\n\nclass B : A() {\n    override fun loadRows() = 2\n}\n"
KOTLIN_VALUE = "package shop\n\nclass B : A() {\n    override val rows = 2\n}\n"
CSHARP_HEIR = (
    "namespace Shop;\n\npublic class B : A\n{\n    public override int LoadRows()\n    {\n        return 2;\n    }\n}\n"
)
CSHARP_VALUE = "namespace Shop;\n\npublic class B : A\n{\n    public override int Rows => 2;\n}\n"
SWIFT_HEIR = "class B: A {\n    override func loadRows() -> Int {\n        return 2\n    }\n}\n"
SCALA_HEIR = "package shop\n\nclass B extends A {\n  override def loadRows(): Int = {\n    2\n  }\n}\n"
PHP_HEIR = "<?php\nrequire 'A.php';\nclass B extends A\n{\n    public function loadRows()\n    {\n        return 2;\n    }\n}\n"
CPP_HEIR = '#include "a.hpp"\nclass B : public A {\npublic:\n  int loadRows() override { return 2; }\n};\n'
TS_HEIR = 'import { A } from "./a";\n\nexport class B extends A {\n  loadRows() {\n    return 2;\n  }\n}\n'
HEIRS: Mapping[str, tuple[str, str, str]] = {
    "java": ("s/shop/A.java", "s/shop/B.java", JAVA_HEIR),
    "kotlin": ("s/shop/A.kt", "s/shop/B.kt", KOTLIN_HEIR),
    "kotlin value": ("s/shop/A.kt", "s/shop/B.kt", KOTLIN_VALUE),
    "csharp": ("s/A.cs", "s/B.cs", CSHARP_HEIR),
    "csharp value": ("s/A.cs", "s/B.cs", CSHARP_VALUE),
    "swift": ("Sources/App/A.swift", "Sources/App/B.swift", SWIFT_HEIR),
    "swift value": ("Sources/App/A.swift", "Sources/App/B.swift", "class B: A {\n    override var rows: Int { 2 }\n}\n"),
    "scala": ("s/shop/A.scala", "s/shop/B.scala", SCALA_HEIR),
    "scala value": ("s/shop/A.scala", "s/shop/B.scala", "package shop\n\nclass B extends A {\n  override val rows: Int = 2\n}\n"),
    "php": ("A.php", "B.php", PHP_HEIR),
    "cpp": ("a.hpp", "b.cpp", CPP_HEIR),
    "typescript": ("src/a.ts", "src/b.ts", TS_HEIR),
    "java field": ("s/shop/A.java", "s/shop/B.java", "package shop;\n\npublic class B extends A {\n    int rows = 2;\n}\n"),
}  # fmt: skip
SEALED: tuple[tuple[str, str, str, str], ...] = (
    ("java", 'package shop;\n\npublic class A {\n    @SuppressWarnings({"unchecked", "rawtypes"})\n    public int loadRows() {\n        return 1;\n    }\n}\n', "public int", "public final int"),
    ("java", 'package shop;\n\npublic class A {\n    @Doc(text = "loadRows() { final }", more = {@Doc(text = "}")})\n    public int loadRows() {\n        return 1;\n    }\n}\n', "public int", "public final int"),
    ("java", "package shop;\n\npublic class A {\n    @Api(" + ", ".join(f"text{n} = {{1, 2, 3, 4, 5, 6}}" for n in range(90)) + ")\n    public int loadRows() {\n        return 1;\n    }\n}\n", "public int", "public final int"),
    ("java", "package shop;\n\npublic class A { public int loadRows() { return 1; } }\n", "public int", "public final int"),
    ("java", "package shop;\n\npublic class A { public int size() { return loadRows(); } public int loadRows() { return 1; } }\n", "public int loadRows", "public final int loadRows"),
    ("java", "package shop;\n\npublic class A { public <T> int loadRows () { return 1; } }\n", "public <T>", "public final <T>"),
    ("java", "package shop;\n\npublic class A {\n    public int loadRows() {\n        return 1;\n    }\n}\n", "public int", "private int"),
    ("kotlin", "package shop\nopen class A { open fun loadRows() = 1 }\n", "open fun", "fun"),
    ("kotlin", "package shop\nopen class A { open fun size() = loadRows(); open fun loadRows() = 1 }\n", "open fun loadRows", "fun loadRows"),
    ("kotlin", 'package shop\n\nopen class A {\n    @Deprecated("{ }", ReplaceWith("x { loadRows() }"))\n    open fun loadRows() = 1\n}\n', "open fun", "fun"),
    ("kotlin", "package shop\n\nopen class A {\n    open fun loadRows() = 1\n}\n", "open fun", "private fun"),
    ("kotlin value", "package shop\n\nopen class A {\n    open val rows = 1\n}\n", "open val", "val"),
    ("kotlin value", "package shop\n\nopen class A {\n    open val rows: Int get() = 1\n}\n", "open val", "final val"),
    ("kotlin value", "package shop\n\nopen class A(open val rows: Int = 1, open val more: Int = 2)\n", "open val rows", "val rows"),
    ("kotlin value", "package shop\nopen class A { open val rows = 1 }\n", "open val", "val"),
    ("csharp", "namespace Shop;\n\npublic class A { public virtual int LoadRows() { return 1; } }\n", "virtual ", ""),
    ("csharp", "namespace Shop;\n\npublic class A\n{\n    [Rows(new[] { 1, 2 })]\n    public virtual int LoadRows() => 1;\n}\n", "virtual ", ""),
    ("csharp", "namespace Shop;\n\npublic class A : Z\n{\n    [Rows(new[] { 1, 2 })]\n    public override int LoadRows() => 1;\n}\n", "override", "sealed override"),
    ("csharp value", "namespace Shop;\n\npublic class A\n{\n    public virtual int Rows { get; }\n}\n", "virtual ", ""),
    ("csharp value", "namespace Shop;\n\npublic class A { public virtual int Rows => 1; }\n", "virtual ", ""),
    ("csharp value", "namespace Shop;\n\npublic class A : Z\n{\n    public override int Rows => 1;\n}\n", "override", "sealed override"),
    ("swift", "class A { func loadRows() -> Int { return 1 } }\n", "func", "final func"),
    ("swift", "class A {\n    @available(iOS 13, *)\n    func loadRows() -> Int {\n        return 1\n    }\n}\n", "func", "final func"),
    ("swift", "class A {\n    func loadRows() -> Int {\n        return 1\n    }\n}\n", "func", "private func"),
    ("swift value", "class A {\n    var rows: Int { 1 }\n}\n", "var", "final var"),
    ("swift value", "class A { var rows: Int { 1 } }\n", "var", "final var"),
    ("scala", "package shop\n\nclass A { def loadRows(): Int = 1 }\n", "def", "final def"),
    ("scala", "package shop\n\nclass A {\n  @throws(classOf[E]) def loadRows(): Int = {\n    1\n  }\n}\n", "def", "final def"),
    ("scala value", "package shop\n\nclass A {\n  val rows: Int = 1\n}\n", "val", "final val"),
    ("php", "<?php\nclass A { public function loadRows() { return 1; } }\n", "public function", "final public function"),
    ("php", "<?php\nclass A\n{\n    #[Rows(match(1) { 1 => 2 })]\n    public function loadRows()\n    {\n        return 1;\n    }\n}\n", "public function", "final public function"),
    ("cpp", "#pragma once\nclass A { public: virtual int loadRows() { return 1; } };\n", "virtual ", ""),
    ("cpp", "#pragma once\nclass A { public: virtual int loadRows() { return 1; } };\n", "loadRows() ", "loadRows() final "),
    ("cpp", "#pragma once\nclass A {\npublic:\n  [[nodiscard]] virtual int loadRows() const { return 1; }\n};\n", "virtual ", ""),
    ("typescript", "export class A {\n  loadRows() {\n    return 1;\n  }\n}\n", "  loadRows", "  private loadRows"),
)  # fmt: skip
FREE: tuple[tuple[str, str, str, str], ...] = (
    ("java", "package shop;\n\npublic class A {\n    @Rows({1})\n    public int loadRows() {\n        return 1;\n    }\n\n    public int size() {\n        return 1;\n    }\n}\n", "public int size", "public final int size"),
    ("java", "package shop;\n\npublic class A {\n    @Rows({1})\n    public int loadRows() {\n        return 1;\n    }\n}\n", "return 1", "final int a = 1;\n        return a"),
    ("java field", "package shop;\n\npublic class A {\n    int rows = 1;\n}\n", "int rows", "final int rows"),
    ("kotlin", "package shop\n\nopen class A : Z() {\n    open fun loadRows() = 1\n}\n", "open fun", "override fun"),
    ("csharp", "namespace Shop;\n\npublic class A : Z\n{\n    public virtual int LoadRows() => 1;\n}\n", "virtual", "override"),
    ("csharp", "namespace Shop;\n\npublic abstract class A\n{\n    public abstract int LoadRows();\n}\n", "abstract int LoadRows();", "virtual int LoadRows() => 1;"),
    ("kotlin value", "package shop\n\nopen class A {\n    open val rows = 1\n    open val more = 1\n}\n", "open val more", "val more"),
    ("cpp", "#pragma once\nclass A : public Z {\npublic:\n  virtual int loadRows() override { return 1; }\n};\n", "virtual ", ""),
    ("scala value", "package shop\n\nclass A {\n  val rows: Int = 1\n  val more: Int = 1\n}\n", "val more", "final val more"),
)  # fmt: skip


def _files(language: str, code: str) -> Files:
    path, heir_path, heir = HEIRS[language]
    return {path: code, heir_path: heir}


@pytest.mark.parametrize(("language", "code", "old", "new"), SEALED)
def test_a_member_that_nobody_may_override_any_more_leaves_what_overrides_it_open(
    places: Places, language: str, code: str, old: str, new: str
) -> None:
    """The words of a member are those around its name: braces of an annotation, or of a class on one line, end nothing."""
    assert old in code
    assert HEIRS[language][1] in places(_files(language, code), {HEIRS[language][0]: code.replace(old, new, 1)})


@pytest.mark.parametrize(("language", "code", "old", "new"), FREE)
def test_what_may_still_be_overridden_leaves_nothing_open(
    places: Places, language: str, code: str, old: str, new: str
) -> None:
    """Another member, a local variable, a field that hides another, and a word that opens as well as the one before change nothing."""
    assert old in code
    assert HEIRS[language][1] not in places(_files(language, code), {HEIRS[language][0]: code.replace(old, new, 1)})
