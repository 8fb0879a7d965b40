"""The names in new Java and Kotlin lines that the repository lacks."""

from trees import messages

ROOT = "src/main/java/com/acme/shop"
SHOP = {
    f"{ROOT}/money/Cents.java": (
        "package com.acme.shop.money;\n\npublic class Cents extends Base {\n    public static final int RATE = 1;\n    private int amount;\n"
        "    public Cents(int amount) {}\n    public Cents(int amount, String currency) {}\n    public static int of(int a) { return a; }\n"
        "    public static int of(int a, int b) { return a; }\n    public enum Kind { SMALL }\n}\n"
    ),
    f"{ROOT}/money/Base.java": "package com.acme.shop.money;\n\nclass Base {\n    static int ZERO = 0;\n}\n",
    f"{ROOT}/money/Color.java": "package com.acme.shop.money;\n\nenum Color { RED, BLUE(2); Color(int... x) {} }\n",
    f"{ROOT}/money/Far.java": "package com.acme.shop.money;\n\nimport org.lib.Thing;\n\nclass Far extends Thing {\n    static int A;\n}\n",
    f"{ROOT}/money/Made.java": "package com.acme.shop.money;\n\n@Builder\nclass Made {\n    int a;\n}\n",
    "src/main/kotlin/com/acme/shop/cart/Cart.kt": (
        "package com.acme.shop.cart\n\ndata class Cart(val owner: String, val size: Int = 1, private val other: Int? = null, val made: Int = size) {\n  enum class Kind { SMALL }\n}\n\nenum class Mode { FAST, SLOW }\n\n"
        "object Carts {\n    val all = 1\n}\n\nfun open(x: Int) = 1\n"
    ),
}


def java(text: str) -> list[str]:
    path = f"{ROOT}/pay/Pay.java"
    return messages({**SHOP, path: f"package com.acme.shop.pay;\n{text}"}, path)


def kotlin(text: str) -> list[str]:
    path = "src/main/kotlin/com/acme/shop/pay/Pay.kt"
    return messages({**SHOP, path: f"package com.acme.shop.pay\n{text}"}, path)


def test_missing_java_import_is_reported() -> None:
    text = "import com.acme.shop.money.Cent;\nimport com.acme.shop.mony.Cents;\nimport com.acme.shop.money.Cents;\nimport org.lib.Nothing;\nimport com.acme.shop.money.Cents.Kind;\nimport com.acme.shop.money.Cents.Any;\nimport com.acme.shop.cart.Mode;\n"
    assert java(text) == ["2 missing-name Cent: Cents", "3 missing-module com.acme.shop.mony: com.acme.shop.money"]


def test_missing_java_member_and_wrong_call_are_reported() -> None:
    text = (
        "import com.acme.shop.money.*;\nimport com.acme.shop.money.Cents;\nimport com.acme.shop.money.Color;\nimport com.acme.shop.money.Far;\n"
        "import com.acme.shop.money.Made;\nclass Pay {\n  int a = Cents.RATE + Cents.ZERO + Cents.RATES;\n  Object c = Color.GREEN;\n"
        "  int d = Cents.of(1, 2) + Cents.of();\n  Object e = new Cents();\n  Object f = new Cents(1, null);\n  Object g = Far.B;\n"
        "  Object h = Made.builder();\n  Object i = Cents.Kind.SMALL;\n  Object j = Color.valueOf(null);\n}\n"
    )
    assert java(text) == [
        "8 missing-member Cents.RATES: RATE",
        "9 missing-member Color.GREEN",
        "10 arguments Cents.of: is missing 'a'",
        "11 arguments Cents: is missing 'amount'",
    ]


def test_missing_kotlin_name_and_wrong_call_are_reported() -> None:
    text = (
        "import com.acme.shop.cart.Cart\nimport com.acme.shop.cart.Carts\nimport com.acme.shop.cart.Mode\nimport com.acme.shop.cart.opn\n"
        "import com.acme.shop.cart.open\nimport com.acme.shop.money.Cents\n"
        'val a = Mode.FAST\nval b = Mode.FASTER\nval c = Carts.al\nval d = Cart()\nval e = Cart("x", size = 2)\nval f = Cart("x", sise = 2)\nval g = Cart(*xs)\nval h = Cart.Kind.SMALL\n'
    )
    assert kotlin(text) == [
        "5 missing-name opn: open",
        "9 missing-member Mode.FASTER: FAST",
        "10 missing-member Carts.al: all",
        "11 arguments Cart: is missing 'owner'",
        "13 arguments Cart: has no parameter 'sise'",
    ]


def test_missing_member_of_a_new_object_is_reported() -> None:
    text = (
        "import com.acme.shop.money.Cents;\nclass Pay {\n  void f(Cents other) {\n    Cents one = new Cents(1);\n    one.amount();\n    one.hashCode();\n"
        "    one.amont = one.amounts;\n    other.nothing();\n    Cents two = new Cents(1) { void x() {} };\n    two.x();\n  }\n}\n"
    )
    assert java(text) == ["8 missing-member one.amont: amount", "8 missing-member one.amounts: amount"]


def test_package_of_another_project_and_invoke_operator_are_not_reported() -> None:
    away = java("import com.acme.text.Joiner;\nclass Pay {}\n")
    more = f"{ROOT}/pay/Box.java"
    box = "package com.acme.shop.pay;\nclass Box {\n  Object invoke(int a) { return new Box(); }\n}\n"
    assert away == messages({**SHOP, more: box}, more) == []


def test_generated_package_is_missing_only_on_a_typo_or_misplaced_class() -> None:
    path = "src/test/java/org/other/Use.java"
    text = "package org.other;\nimport com.acme.shop.mony.Rows;\nimport com.acme.shop.made.Rows;\nimport com.acme.shop.made.Cents;\nclass Use {}\n"
    tree = {**SHOP, "build.gradle": "id 'org.jooq'", path: text}
    assert messages(tree, path) == [
        "2 missing-module com.acme.shop.mony: com.acme.shop.money",
        "4 missing-module com.acme.shop.made",
    ]


def test_copied_library_package_does_not_make_its_siblings_local() -> None:
    path = "src/test/java/org/other/Use.java"
    copied = {"src/main/java/org/library/store/Rows.java": "package org.library.store;\nclass Rows {}\n"}
    own = {
        f"src/main/java/com/acme/shop/p{n}/Own.java": f"package com.acme.shop.p{n};\nclass Own {{}}\n"
        for n in range(12)
    }
    tree = {**SHOP, **own, **copied, path: "package org.other;\nimport org.library.chat.Rows;\nclass Use {}\n"}
    assert messages(tree, path) == []


def test_kotlin_annotation_is_a_class() -> None:
    made = "package com.acme.shop.pay\n\n@Retention(AnnotationRetention.RUNTIME)\n@Target(AnnotationTarget.CLASS)\nannotation class Paid\n"
    tree = {
        **SHOP,
        "src/main/kotlin/com/acme/shop/pay/Paid.kt": made,
        "src/main/kotlin/com/acme/shop/b/B.kt": "package com.acme.shop.b\nimport com.acme.shop.pay.Paid\n",
    }
    assert messages(tree, "src/main/kotlin/com/acme/shop/b/B.kt") == []


def test_annotated_kotlin_constant_is_found() -> None:
    """An annotated Kotlin constant, which the grammar misparses, is found."""
    rates = "package com.acme.shop.rates\n\n@Internal\nconst val RATE = 1\n\n@Internal\nprivate const val HIDDEN = 2\n"
    use = "package com.acme.shop.pay\n\nimport com.acme.shop.rates.RATE\nimport com.acme.shop.rates.RATES\n"
    tree = {
        **SHOP,
        "src/main/kotlin/com/acme/shop/rates/Rates.kt": rates,
        "src/main/kotlin/com/acme/shop/pay/Pay.kt": use,
    }
    assert messages(tree, "src/main/kotlin/com/acme/shop/pay/Pay.kt") == ["4 missing-name RATES: RATE"]
