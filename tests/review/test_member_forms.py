"""Members in forms that a line does not tell: interfaces on one line, types of interfaces, operators, the class that a file of Kotlin is to Java."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

JAVA = (
    "s/shop/Job.java",
    "package shop;\n\npublic interface Job { void run(); default int go() { return 1; } }\n",
    "s/shop/Use.java",
    "package shop;\n\nclass Use implements Job {\n    public void run() {\n    }\n}\n",
)
CSHARP = (
    "s/Job.cs",
    "namespace Shop;\n\npublic interface IJob { void Run(); int Size { get; } }\n",
    "s/Use.cs",
    "namespace Shop;\n\nclass Use : IJob\n{\n    public void Run()\n    {\n    }\n\n    public int Size => 1;\n}\n",
)
RUST = (
    "src/job.rs",
    "pub trait Job { fn run(&self); type Out; const MOST: i32; type Spare = i32; }\n",
    "src/lib.rs",
    "mod job;\nuse job::Job;\n\nstruct U;\n\nimpl Job for U {\n    type Out = i32;\n    const MOST: i32 = 1;\n    fn run(&self) {}\n}\n",
)
RUST_LINES = (
    "src/job.rs",
    "pub trait Job {\n    type Out;\n    const MOST: i32;\n    fn run(&self) -> Self::Out;\n}\n",
    *RUST[2:],
)
SWIFT = (
    "Sources/App/Job.swift",
    "protocol Job { func run() }\n",
    "Sources/App/Use.swift",
    "struct Use: Job {\n    func run() {\n    }\n}\n",
)
SWIFT_TYPES = (
    "Sources/App/Repo.swift",
    "protocol Repo {\n    associatedtype Item\n    var size: Int { get }\n}\n",
    "Sources/App/Use.swift",
    "struct Use: Repo {\n    typealias Item = Int\n    let size = 1\n}\n",
)
SCALA = (
    "s/shop/Job.scala",
    "package shop\n\ntrait Job { def run(): Unit; type Item }\n",
    "s/shop/Use.scala",
    "package shop\n\nclass Use extends Job {\n  type Item = Int\n  def run(): Unit = {\n  }\n}\n",
)
PHP = (
    "src/Job.php",
    "<?php\nnamespace App;\n\ninterface Job { public function run(); }\n",
    "src/Use1.php",
    "<?php\nnamespace App;\n\nclass Use1 implements Job\n{\n    public function run()\n    {\n    }\n}\n",
)
KOTLIN = (
    "s/shop/Job.kt",
    "package shop\n\ninterface Job { fun run(); fun stop() }\n",
    "s/shop/Use.kt",
    "package shop\n\nclass Use : Job {\n    override fun run() {\n    }\n\n    override fun stop() {\n    }\n}\n",
)
KOTLIN_LINES = (
    "s/shop/Job.kt",
    "package shop\n\ninterface Job {\n    fun run()\n    val top: Int get() = 1\n}\n",
    *KOTLIN[2:],
)
TYPESCRIPT = (
    "src/job.ts",
    "export abstract class Job { abstract run(): void; go() {} }\n",
    "src/use.ts",
    'import { Job } from "./job";\n\nexport class Use extends Job {\n  run() {}\n}\n',
)
GO = (
    "shop/job.go",
    "package shop\n\ntype Job interface { Run(); Stop() }\n",
    "shop/use.go",
    "package shop\n\ntype Use struct{}\n\nfunc (u Use) Run() {}\n\nfunc (u Use) Stop() {}\n",
)
MONEY = (
    "s/Money.cs",
    """namespace Shop;

public class Money
{
    public static Money operator +(Money a, Money b) => a;
    public static implicit operator decimal(Money m) => 1;
    public int this[int at] { get { return at; } }
    public System.Collections.Generic.IEnumerator<int> GetEnumerator() => null;
    public int At(int at) => at;
}
""",
    "s/Use.cs",
    "namespace Shop;\n\nclass Use\n{\n    Money F(Money a, Money b) => a;\n}\n",
)
CPP = (
    "m.h",
    """#pragma once
struct Money {
  int x;
  Money operator+(const Money &o) const { return *this; }
  int &operator[](int i);
  operator bool() const { return true; }
  friend bool operator<(const Money &a, const Money &b);
  int *begin() { return &x; }
};
bool operator==(const Money &a, const Money &b);
""",
    "u.cpp",
    '#include "m.h"\n\nint f(Money &a, Money &b) {\n  return 1;\n}\n',
)
VALUES = (
    "shop/cart.go",
    "package shop\n\ntype Cart struct{}\n\nfunc (c Cart) Run() {}\n\nfunc (c *Cart) Set() {}\n",
    "shop/use.go",
    "package shop\n\ntype R interface {\n\tRun()\n\tSet()\n}\n\nfunc F(c Cart) any {\n\treturn c\n}\n",
)
FACADE = (
    "s/shop/Utils.kt",
    '@file:JvmName("Totals")\n\npackage shop\n\n@JvmName("total")\nfun sum(): Int = 1\n',
    "s/shop/Use.java",
    "package shop;\n\nclass Use {\n    int f() {\n        return Totals.total();\n    }\n}\n",
)
EDITS: Mapping[str, tuple[tuple[str, str, str, str], str, str, bool]] = {
    "java": (JAVA, "void run();", "void run(); void stop();", True),
    "java, no code any more": (JAVA, "default int go() { return 1; }", "int go();", True),
    "java, with code": (JAVA, "{ return 1; }", "{ return 1; } default int stop() { return 2; }", False),
    "c#": (CSHARP, "void Run();", "void Run(); void Stop();", True),
    "c#, a property": (CSHARP, "{ get; }", "{ get; } int Top { get; }", True),
    "c#, with code": (CSHARP, "{ get; }", "{ get; } int Top => 1; int Low { get { return 1; } }", False),
    "rust": (RUST, "fn run(&self);", "fn run(&self); fn stop(&self);", True),
    "rust, with code": (RUST, "fn run(&self);", "fn run(&self); fn stop(&self) {}", False),
    "rust, a type that is new": (RUST_LINES, "    type Out;\n", "    type Out;\n    type Kind;\n", True),
    "rust, a type that goes": (RUST_LINES, "    type Out;\n", "", True),
    "rust, a type under another name": (RUST_LINES, "type Out;", "type Res;", True),
    "rust, a constant that is new": (RUST_LINES, "MOST: i32;", "MOST: i32;\n    const LEAST: i32;", True),
    "rust, a constant under another name": (RUST, "const MOST", "const TOP", True),
    "rust, a constant with a value": (RUST_LINES, "MOST: i32;", "MOST: i32;\n    const LEAST: i32 = 1;", False),
    "rust, a type that gets one": (RUST, "type Out;", "type Out = i32;", False),
    "swift": (SWIFT, "func run()", "func run(); func stop()", True),
    "swift, a type under another name": (SWIFT_TYPES, "associatedtype Item", "associatedtype Row", True),
    "swift, a type that is new": (SWIFT_TYPES, "Item\n", "Item\n    associatedtype Row\n", True),
    "swift, a type with its default": (SWIFT_TYPES, "Item\n", "Item\n    associatedtype Row = Int\n", False),
    "swift, a value": (SWIFT_TYPES, "{ get }\n", "{ get }\n    var top: Int { get }\n", True),
    "scala": (SCALA, "def run(): Unit;", "def run(): Unit; def stop(): Unit;", True),
    "scala, with code": (SCALA, "def run(): Unit;", "def run(): Unit; def stop(): Unit = ();", False),
    "scala, a type that is new": (SCALA, "type Item", "type Item; type Row", True),
    "scala, a type under another name": (SCALA, "type Item", "type Row", True),
    "php": (PHP, "run();", "run(); public function stop();", True),
    "kotlin": (KOTLIN, "fun stop()", "fun stop(); fun wait()", True),
    "kotlin, a value": (KOTLIN_LINES, "    fun run()\n", "    fun run()\n    val size: Int\n", True),
    "kotlin, a value with code": (KOTLIN_LINES, "fun run()\n", "fun run()\n    val size: Int get() = 2\n", False),
    "typescript": (TYPESCRIPT, "run(): void;", "run(): void; abstract stop(): void;", True),
    "typescript, with code": (TYPESCRIPT, "go() {}", "go() {} stop() {}", False),
    "go": (GO, "Stop()", "Stop(); Wait()", True),
    "c#, an operator that goes": (MONEY, "    public static Money operator +(Money a, Money b) => a;\n", "", True),
    "c#, an operator of another type": (MONEY, "operator +(Money a, Money b)", "operator +(Money a, int b)", True),
    "c#, an operator with another body": (MONEY, "(Money a, Money b) => a", "(Money a, Money z) => z", False),
    "c#, an operator more": (MONEY, "{\n", "{\n    public static Money operator -(Money a, Money b) => a;\n", False),
    "c#, a conversion": (MONEY, "implicit operator decimal", "implicit operator int", True),
    "c#, an indexer": (MONEY, "this[int at]", "this[string at]", True),
    "c#, an indexer with another body": (MONEY, "{ return at; }", "{ return at + 1; }", False),
    "c#, an indexer that can be written": (MONEY, "return at; }", "return at; } set { }", False),
    "c#, foreach": (MONEY, "GetEnumerator()", "Walk()", True),
    "c++, an operator that goes": (CPP, "  Money operator+(const Money &o) const { return *this; }\n", "", True),
    "c++, an operator of another type": (CPP, "operator[](int i)", "operator[](const char *i)", True),
    "c++, a parameter's name": (CPP, "operator[](int i)", "operator[](int at)", False),
    "c++, other white space": (CPP, "operator+(const Money &o)", "operator +(const Money& o)", False),
    "c++, a conversion": (CPP, "operator bool()", "bool ok()", True),
    "c++, a friend": (CPP, "  friend bool operator<(const Money &a, const Money &b);\n", "", True),
    "c++, one outside of classes": (CPP, "bool operator==(const Money &a, const Money &b);\n", "", True),
    "c++, a loop over it": (CPP, "begin()", "first()", True),
    "c++, another body": (CPP, "{ return true; }", "{ return x; }", False),
    "a receiver": (VALUES, "(c Cart) Run", "(c *Cart) Run", True),
    "a receiver of a value": (VALUES, "(c *Cart) Set", "(c Cart) Set", False),
    "the class of a file": (FACADE, '("Totals")', '("Sums")', True),
    "the name of a function for Java": (FACADE, '("total")', '("all")', True),
    "the name of a function for Kotlin": (FACADE, "fun sum()", "fun add()", False),
    "what it returns": (FACADE, "Int = 1", 'String = ""', True),
    "another body": (FACADE, "Int = 1", "Int = 2", False),
}  # fmt: skip
GO_MODULE = "module ex.com/s\n\ngo 1.21\n"
COMPOSER = '{"autoload":{"psr-4":{"App\\\\":"src/"}}}\n'
CARGO = '[package]\nname = "app"\nversion = "0.1.0"\n'
UTILS = "package shop\n\nfun total(): Int = 1\n"
UTILS_USE = FACADE[3].replace("Totals", "UtilsKt")
CART, RUN = "package shop\n\ntype Cart struct{}\n", "package shop\n\nfunc (c Cart) Run() {}\n"
CHANGES: Mapping[str, tuple[Files, Files, str, bool]] = {
    "a file of Kotlin under another name": (
        {"s/shop/Utils.kt": UTILS, "s/shop/Use.java": UTILS_USE},
        {"s/shop/Utils.kt": None, "s/shop/Helpers.kt": UTILS},
        "s/shop/Use.java", True,
    ),
    "a class of Java under its own name": (
        {"s/shop/Utils.kt": FACADE[1], "s/shop/Use.java": FACADE[3]},
        {"s/shop/Utils.kt": None, "s/shop/Helpers.kt": FACADE[1]},
        "s/shop/Use.java", False,
    ),
    "one of the files of a class": (
        {
            "s/shop/A.kt": f'@file:JvmName("All")\n@file:JvmMultifileClass\n\n{UTILS}',
            "s/shop/B.kt": f'@file:JvmName("All")\n@file:JvmMultifileClass\n\n{UTILS.replace("total", "most")}',
            "s/shop/Use.java": UTILS_USE.replace("UtilsKt.total", "All.most"),
        },
        {"s/shop/A.kt": f'@file:JvmName("Some")\n\n{UTILS}'},
        "s/shop/Use.java", False,
    ),
    "a receiver beside the file of its type": (
        {"cart.go": CART, "run.go": RUN, "use.go": "package shop\n\nvar last = Cart{}\n"},
        {"run.go": RUN.replace("(c Cart)", "(c *Cart)")},
        "use.go", True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("project", "old", "new", "is_open"), EDITS.values(), ids=EDITS.keys())
def test_a_member_counts_in_whatever_form_it_is_written(
    places: Places, project: tuple[str, str, str, str], old: str, new: str, is_open: bool
) -> None:
    """One that heirs lack, one that users write as a sign, one that values had: their users are open. What nobody relies on opens nothing."""
    home, source, path, user = project
    assert old in source
    before = {"go.mod": GO_MODULE, "Cargo.toml": CARGO, "composer.json": COMPOSER, home: source, path: user}
    assert (path in places(before, {home: source.replace(old, new)})) is is_open


@pytest.mark.parametrize(("before", "after", "path", "is_open"), CHANGES.values(), ids=CHANGES.keys())
def test_a_class_of_several_files_counts_by_what_is_left_of_it(
    places: Places, before: Files, after: Files, path: str, is_open: bool
) -> None:
    """Kotlin's facade class for Java, and a Go type whose methods are in another file of its package."""
    assert (path in places({"go.mod": GO_MODULE, **before}, after)) is is_open
