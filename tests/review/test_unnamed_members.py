"""Members that a use does not name: elements of annotations, the method that a lambda is, methods of an implicit class."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

AUDIT = "package shop;\n\npublic @interface Audit {\n    String value();\n\n    int level() default 1;\n}\n"
AUDIT_USE = 'package shop;\n\n@Audit("x")\npublic class B {\n}\n'
FOLD = "package shop;\n\npublic interface RowFold {\n    int foldRows(int a, int b);\n\n    default int size() {\n        return 1;\n    }\n}\n"
FOLD_USE = "package shop;\n\npublic class B {\n    RowFold f = (a, b) -> a;\n}\n"
KOTLIN_FOLD = "package shop\n\nfun interface RowFold {\n    fun foldRows(a: Int, b: Int): Int\n}\n"
KOTLIN_USE = "package shop\n\nval f = RowFold { a, b -> a }\n"
RICH = "package shop\n\nobject Syntax {\n  implicit class Rich(a: Int) {\n    def twiceOf(by: Int): Int = {\n      2\n    }\n  }\n}\n"
RICH_USE = "package app\n\nimport shop.Syntax._\n\nobject B {\n  def go(a: Int): Int = a.twiceOf(1)\n}\n"
CSHARP_LINE = "namespace Shop { public delegate int RowFold(int a, int b); }\n"
CSHARP_USE = "namespace Shop { public class B { RowFold F = (a, b) => a; } }\n"
CASES: Mapping[str, tuple[Files, tuple[str, str, str], str]] = {
    "java element without its default": ({"s/Audit.java": AUDIT, "s/B.java": AUDIT_USE}, ("s/Audit.java", " default 1", ""), "s/B.java"),
    "java element with another default": ({"s/Audit.java": AUDIT, "s/B.java": AUDIT_USE}, ("s/Audit.java", " default 1", " default 2"), "s/B.java"),
    "java new element": ({"s/Audit.java": AUDIT, "s/B.java": AUDIT_USE}, ("s/Audit.java", "    int level", "    int depth();\n    int level"), "s/B.java"),
    "java type of the value": ({"s/Audit.java": AUDIT, "s/B.java": AUDIT_USE}, ("s/Audit.java", "String value", "int value"), "s/B.java"),
    "java value renamed": ({"s/Audit.java": AUDIT, "s/B.java": AUDIT_USE}, ("s/Audit.java", "String value", "String label"), "s/B.java"),
    "java annotation on one line": ({"s/Audit.java": "package shop;\npublic @interface Audit { int level() default 1; }\n", "s/B.java": "package shop;\n@Audit\npublic class B { }\n"}, ("s/Audit.java", " default 1", ""), "s/B.java"),
    "java new element on one line": ({"s/Audit.java": "package shop;\npublic @interface Audit { String value(); }\n", "s/B.java": AUDIT_USE}, ("s/Audit.java", "value(); }", "value(); int level(); }"), "s/B.java"),
    "kotlin annotation": ({"s/Audit.kt": "package shop\n\nannotation class Audit(val value: String, val level: Int = 1)\n", "s/B.kt": 'package shop\n\n@Audit("x")\nclass B\n'}, ("s/Audit.kt", " = 1", ""), "s/B.kt"),
    "kotlin annotation with another default": ({"s/Audit.kt": "package shop\n\nannotation class Audit(val value: String, val level: Int = 1)\n", "s/B.kt": 'package shop\n\n@Audit("x")\nclass B\n'}, ("s/Audit.kt", " = 1", " = 2"), "s/B.kt"),
    "csharp attribute": ({"Audit.cs": "using System;\nnamespace Shop;\n\npublic class AuditAttribute : Attribute\n{\n    public AuditAttribute(string value, int level = 1)\n    {\n    }\n}\n", "B.cs": 'namespace Shop;\n\n[Audit("x")]\npublic class B\n{\n}\n'}, ("Audit.cs", " = 1", ""), "B.cs"),
    "php attribute": ({"Audit.php": "<?php\n#[Attribute]\nclass Audit\n{\n    public function __construct(string $value, int $level = 1)\n    {\n    }\n}\n", "B.php": "<?php\nrequire 'Audit.php';\n#[Audit('x')]\nclass B\n{\n}\n"}, ("Audit.php", " = 1", ""), "B.php"),
    "python decorator": ({"audit.py": "def audit(value, level=1):\n    return lambda run: run\n", "b.py": 'from audit import audit\n\n\n@audit("x")\ndef go():\n    return 1\n'}, ("audit.py", "=1", ""), "b.py"),
    "typescript decorator": ({"src/audit.ts": "export function audit(value: string, level = 1) {\n  return (target: object) => target;\n}\n", "src/b.ts": 'import { audit } from "./audit";\n\n@audit("x")\nexport class B {}\n'}, ("src/audit.ts", "level = 1", "level: number"), "src/b.ts"),
    "swift wrapper": ({"Sources/App/A.swift": "@propertyWrapper\nstruct Audit {\n    var wrappedValue: Int\n    init(wrappedValue: Int, level: Int = 1) {\n        self.wrappedValue = wrappedValue\n    }\n}\n", "Sources/App/B.swift": "struct B {\n    @Audit var rows: Int = 1\n}\n"}, ("Sources/App/A.swift", " = 1", ""), "Sources/App/B.swift"),
    "java lambda": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE}, ("s/RowFold.java", "int a, int b", "int a"), "s/B.java"),
    "java lambda of other types": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE}, ("s/RowFold.java", "int a, int b", "int a, String b"), "s/B.java"),
    "java lambda on the next line": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE.replace("f = (", "f =\n        (")}, ("s/RowFold.java", "int foldRows", "String foldRows"), "s/B.java"),
    "java method reference": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE.replace("(a, b) -> a", "Math::max")}, ("s/RowFold.java", "int a, int b", "int a"), "s/B.java"),
    "java interface on one line": ({"s/RowFold.java": "package shop;\npublic interface RowFold { int foldRows(int a, int b); }\n", "s/B.java": "package shop;\npublic class B { RowFold f = (a, b) -> a; }\n"}, ("s/RowFold.java", "int a, int b", "int a"), "s/B.java"),
    "java second method": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE}, ("s/RowFold.java", "    default", "    int more();\n    default"), "s/B.java"),
    "kotlin lambda": ({"s/A.kt": KOTLIN_FOLD, "s/B.kt": KOTLIN_USE}, ("s/A.kt", "a: Int, b: Int", "a: Int"), "s/B.kt"),
    "kotlin lambda of other types": ({"s/A.kt": KOTLIN_FOLD, "s/B.kt": KOTLIN_USE}, ("s/A.kt", "b: Int", "b: Long"), "s/B.kt"),
    "java and kotlin": ({"s/RowFold.java": FOLD, "s/B.kt": KOTLIN_USE}, ("s/RowFold.java", "int a, int b", "int a"), "s/B.kt"),
    "csharp delegate": ({"A.cs": CSHARP_LINE, "B.cs": CSHARP_USE}, ("A.cs", "int a, int b", "int a"), "B.cs"),
    "csharp result of a delegate": ({"A.cs": CSHARP_LINE, "B.cs": CSHARP_USE}, ("A.cs", "delegate int", "delegate string"), "B.cs"),
    "typescript function type": ({"src/a.ts": "export type RowFold = (a: number, b: number) => number\n", "src/b.ts": 'import { RowFold } from "./a"\nexport const f: RowFold = (a, b) => a + b\n'}, ("src/a.ts", "a: number, b: number", "a: number"), "src/b.ts"),
    "typescript callable": ({"src/a.ts": "export interface RowFold {\n  (a: number, b: number): number\n}\n", "src/b.ts": 'import { RowFold } from "./a"\nexport const f: RowFold = (a, b) => a + b\n'}, ("src/a.ts", "a: number, b: number", "a: number"), "src/b.ts"),
    "go function type": ({"go.mod": "module ex.com/shop\n", "lib/a.go": "package lib\n\ntype RowFold func(a, b int) int\n", "main.go": 'package main\n\nimport "ex.com/shop/lib"\n\nvar f lib.RowFold = func(a, b int) int { return a }\n'}, ("lib/a.go", "(a, b int)", "(a int)"), "main.go"),
    "scala implicit class": ({"s/A.scala": RICH, "s/B.scala": RICH_USE}, ("s/A.scala", "implicit class", "class"), "s/B.scala"),
    "scala member of an implicit class": ({"s/A.scala": RICH, "s/B.scala": RICH_USE}, ("s/A.scala", "by: Int", "by: Long"), "s/B.scala"),
}  # fmt: skip


SILENT: Mapping[str, tuple[Files, tuple[str, str, str], str]] = {
    "java new element with a default": ({"s/Audit.java": AUDIT, "s/B.java": AUDIT_USE}, ("s/Audit.java", "    int level", "    int depth() default 2;\n    int level"), "s/B.java"),
    "java element that nobody gave": ({"s/Audit.java": AUDIT, "s/B.java": AUDIT_USE}, ("s/Audit.java", "    int level() default 1;\n", ""), "s/B.java"),
    "java body of a default method": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE}, ("s/RowFold.java", "return 1", "return 2"), "s/B.java"),
    "java default method": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE}, ("s/RowFold.java", "int size()", "int size(int more)"), "s/B.java"),
    "java name of a parameter": ({"s/RowFold.java": FOLD, "s/B.java": FOLD_USE}, ("s/RowFold.java", "int a, int b", "int one, int two"), "s/B.java"),
    "kotlin class": ({"s/A.kt": KOTLIN_FOLD.replace("b: Int", "b: Int = 1"), "s/B.kt": "package shop\n\nclass B(val f: RowFold) {\n    fun go(f: RowFold): RowFold {\n        return f\n    }\n}\n"}, ("s/A.kt", "b: Int", "b: Long"), "s/B.kt"),
    "java default method on one line": ({"s/RowFold.java": "package shop;\npublic interface RowFold { int foldRows(int a, int b); }\n", "s/B.java": FOLD_USE}, ("s/RowFold.java", "; }", "; default int size() { return 1; } }"), "s/B.java"),
    "java field without a lambda": ({"s/RowFold.java": FOLD, "s/B.java": "package shop;\n\npublic class B {\n    RowFold f;\n}\n"}, ("s/RowFold.java", "int a, int b", "int a"), "s/B.java"),
    "typescript namespace": ({"src/a.ts": "export namespace shop {\n  export const size = 1\n  const more = 1\n}\n", "src/b.ts": 'import { shop } from "./a"\nexport const f = shop.size\n'}, ("src/a.ts", "more = 1", "more = 2"), "src/b.ts"),
    "scala body": ({"s/A.scala": RICH, "s/B.scala": RICH_USE}, ("s/A.scala", "      2\n", "      3\n"), "s/B.scala"),
}  # fmt: skip


@pytest.mark.parametrize("case", SILENT)
def test_a_use_that_relies_on_nothing_that_changed_is_not(places: Places, case: str) -> None:
    """What has a default need not be given, and a default method is none that a lambda implements."""
    before, (path, old, new), user = SILENT[case]
    text = before[path] or ""
    assert old in text
    assert user not in places(before, {path: text.replace(old, new)})
