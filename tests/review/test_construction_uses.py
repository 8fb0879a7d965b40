"""References to a class without a visible call: base constructors, method references, attributes."""

from collections.abc import Mapping

import pytest

JAVA_CART = "package shop;\npublic class Cart {\n    public Cart(int a) {\n    }\n\n    public Cart() {\n        this(1);\n    }\n\n    public int total() {\n        return 1;\n    }\n}\n"
JAVA_SUB = "package web;\n\nimport shop.Cart;\n\nclass Sub extends Cart {\n    Sub() {\n        super(1);\n    }\n}\n"
JAVA = ("shop/Cart.java", JAVA_CART, "web/Sub.java", JAVA_SUB)
JAVA_LONE = JAVA_CART.replace("    public Cart() {\n        this(1);\n    }\n\n", "")
JAVA_SILENT = ("shop/Cart.java", JAVA_CART, "web/Sub.java", JAVA_SUB.replace("        super(1);\n", ""))


def _java(line: str) -> tuple[str, str, str, str]:
    return (
        "shop/Cart.java",
        JAVA_LONE,
        "web/Use.java",
        f"package web;\n\nimport shop.Cart;\n\nclass Use {{\n    {line}\n}}\n",
    )


SCRIPT = (
    "a.ts",
    "export class Cart {\n  constructor(a: number) {}\n}\n",
    "b.ts",
    'import * as shop from "./a";\n\nexport class Sub extends shop.Cart {\n  constructor() {\n    super(1);\n  }\n}\n',
)
CSHARP_CART = "namespace Shop;\n\npublic class Cart\n{\n    public Cart(int a)\n    {\n    }\n}\n"


def _csharp(code: str, source: str = CSHARP_CART) -> tuple[str, str, str, str]:
    return "a.cs", source, "b.cs", f"namespace Shop;\n\n{code}\n"


CSHARP = _csharp("public class Sub : Cart, IJob\n{\n    public Sub() : base(1)\n    {\n    }\n}")
CSHARP_THIS = _csharp(
    "public class Sub : Cart\n{\n    public Sub(int a) : base(a)\n    {\n    }\n\n    public Sub() : this(1)\n    {\n    }\n}"
)
CSHARP_EMPTY = CSHARP_CART.replace("int a", "")
CSHARP_SILENT = _csharp("public class Sub : Cart\n{\n    public Sub(int a)\n    {\n    }\n}", CSHARP_EMPTY)
AUDITED = "namespace Shop;\n\npublic class AuditedAttribute : System.Attribute\n{\n    public AuditedAttribute(string name)\n    {\n    }\n\n    public int Level { get; set; }\n}\n"
ATTRIBUTE = _csharp('[Audited("x", Level = 1)]\npublic class Use\n{\n}', AUDITED)
RUBY_CART = "class Cart\n  def initialize(a)\n    @a = a\n  end\nend\n"


def _ruby(call: str, method: str = "initialize") -> tuple[str, str, str, str]:
    user = f'require_relative "cart"\n\nclass Sub < Cart\n  def {method}(a)\n    {call}\n  end\nend\n'
    return "lib/cart.rb", RUBY_CART, "lib/sub.rb", user


KOTLIN_CART = "package shop\n\nopen class Cart(val a: Int) {\n    fun total(): Int = a\n}\n"


def _kotlin(code: str, source: str = KOTLIN_CART) -> tuple[str, str, str, str]:
    return "shop/Cart.kt", source, "web/Use.kt", f"package web\n\nimport shop.Cart\n\n{code}\n"


PYTHON = (
    "a.py",
    "class Cart:\n    def __init__(self, a):\n        self.a = a\n",
    "b.py",
    "from a import Cart\n\n\nclass Sub(Cart):\n    def __init__(self):\n        super().__init__(1)\n",
)
PHP = (
    "src/Cart.php",
    "<?php\nnamespace App;\n\nclass Cart\n{\n    public function __construct(int $a)\n    {\n    }\n}\n",
    "src/Sub.php",
    "<?php\nnamespace App;\n\nclass Sub extends Cart\n{\n    public function __construct()\n    {\n        parent::__construct(1);\n    }\n}\n",
)
COMPOSER = '{"autoload": {"psr-4": {"App\\\\": "src/"}}}\n'
RUST_USES = {
    "field": "pub struct H {\n    c: Cart,\n}",
    "variant": "pub enum H {\n    C { c: Cart },\n}",
    "tuple": "pub struct H(Cart);",
    "parameter": "pub fn f(c: &Cart) {}",
    "block": "impl Cart {\n    pub fn f(&self) {}\n}",
}
RUST_CART = "pub struct Cart {\n    pub n: String,\n}\n"


def _rust(code: str) -> tuple[str, str, str, str]:
    return "src/cart.rs", RUST_CART, "src/lib.rs", f"mod cart;\nuse cart::Cart;\n\n{code}\n"


ENUM_CODE = "package shop;\n\npublic enum Color {\n    RED(1),\n    BLUE(2);\n\n    Color(int a) {\n    }\n\n    int f() {\n        return 1;\n    }\n}\n"
ENUM = ("shop/Color.java", ENUM_CODE, "shop/Color.java", ENUM_CODE)
PYTHON_CART = "class Cart:\n    def __init__(self, a):\n        self.a = a\n"


def _python(method: str) -> tuple[str, str, str, str]:
    """Return a project in which one file contains both the class and the method that uses it."""
    code = f"{PYTHON_CART}\n{method}"
    return "a.py", code, "a.py", code


CLS = "    @classmethod\n    def make(cls):\n        return cls(1)\n"


def _ruby_own(method: str) -> tuple[str, str, str, str]:
    return "lib/cart.rb", RUBY_CART, "lib/sub.rb", f'require_relative "cart"\n\nclass Sub < Cart\n{method}end\n'


def _php_own(code: str) -> tuple[str, str, str, str]:
    user = f"<?php\nnamespace App;\n\nclass Sub extends Cart\n{{\n    public static function make()\n    {{\n        return {code};\n    }}\n}}\n"
    return (*PHP[:3], user)


SCRIPT_THIS = "export class Cart {\n  constructor(a: number) {}\n\n  static make() {\n    return new this(1);\n  }\n}\n"
PHP_PLUS = ("int $a", "int $a, int $b")
PLUS = ("int a", "int a, int b")
JAVA_PLUS = ("Cart(int a)", "Cart(int a, int b)")
KOTLIN_PLUS = ("val a: Int", "val a: Int, val b: Int")
Project = tuple[str, str, str, str]
CASES: Mapping[str, tuple[Project, tuple[str, str], bool]] = {
    "super of Java": (JAVA, JAVA_PLUS, True),
    "this of Java": (("shop/Cart.java", JAVA_CART, "shop/Cart.java", JAVA_CART), JAVA_PLUS, True),
    "another type": (JAVA, ("Cart(int a)", "Cart(String a)"), True),
    "super that nobody writes": (JAVA_SILENT, ("Cart()", "Cart(long b)"), True),
    "another body": (JAVA, ("return 1", "return 2"), False),
    "method reference": (_java("Object f(List<Cart> l) { return l.map(Cart::total); }"), ("total()", "total(int r)"), True),
    "constant of an enum": (ENUM, PLUS, True),
    "super of TypeScript": (SCRIPT, ("a: number", "a: number, b: number"), True),
    "base of C#": (CSHARP, PLUS, True),
    "this of C#": (CSHARP_THIS, PLUS, True),
    "base that nobody writes": (CSHARP_SILENT, ("()", "(int a)"), True),
    "attribute": (ATTRIBUTE, ("string name", "string name, int level"), True),
    "super of Ruby": (_ruby("super(a)"), ("(a)", "(a, b)"), True),
    "super of Ruby with what was given": (_ruby("super"), ("(a)", "(a, b)"), True),
    "head of Kotlin": (_kotlin("class Sub : Cart(1)"), KOTLIN_PLUS, True),
    "super of Kotlin": (_kotlin("class Sub : Cart {\n    constructor() : super(1)\n}"), KOTLIN_PLUS, True),
    "reference of Kotlin": (_kotlin("fun f(l: List<Cart>) = l.map(Cart::total)"), ("total()", "total(r: Int)"), True),
    "cls of Python": (_python(CLS), ("self, a", "self, a, b"), True),
    "new of a class of Ruby": (_ruby_own("  def self.make\n    new(1)\n  end\n"), ("(a)", "(a, b)"), True),
    "new self of PHP": (_php_own("new self(1)"), PHP_PLUS, True),
    "new this of TypeScript": (("a.ts", SCRIPT_THIS, "a.ts", SCRIPT_THIS), ("a: number", "a: number, b: number"), True),
    "new for a field of C#": (_csharp("class Use\n{\n    Cart cart = new(1);\n}"), PLUS, True),
    "super of Python": (PYTHON, ("self, a", "self, a, b"), True),
    "parent of PHP": (PHP, ("int $a", "int $a, int $b"), True),
    **{f"type parameter of Rust, {name}": (_rust(code), ("Cart", "Cart<T>"), True) for name, code in RUST_USES.items()},
}  # fmt: skip


@pytest.mark.parametrize(("project", "edit", "is_open"), CASES.values(), ids=CASES.keys())
def test_implicit_constructor_call_is_a_reference(
    places,  # noqa: ANN001
    project: Project,
    edit: tuple[str, str],
    is_open: bool,
) -> None:
    """Base constructor calls, method references and attributes count as references to their target."""
    home, source, path, user = project
    old, new = edit
    assert old in source
    after = source.replace(old, new) if "Attribute" in old else source.replace(old, new, 1)
    assert (path in places({"composer.json": COMPOSER, home: source, path: user}, {home: after})) is is_open
