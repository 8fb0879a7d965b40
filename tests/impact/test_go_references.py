"""The names in new Go lines that the repository lacks."""

from trees import messages

SHOP = {
    "go.mod": "module x.io/shop // the shop\n\nreplace (\n\tx.io/tools => ./tools\n)\n",
    "tools/go.mod": "module x.io/tools\n",
    "tools/log/log.go": "package log\n\nfunc Print() {}\n",
    "money/money.go": "package money\n\nfunc Cents(amount int, places ...int) int { return 0 }\nfunc Two(a, b int) {}\nfunc small() {}\ntype Cart struct{}\n",
    "money/more.go": "package money\n\nvar Rate = 1\n",
    "money/money_test.go": "package money\n\nfunc OnlyTests() {}\n",
    "pay/help.go": "package pay\n\nfunc helper() int { return 1 }\n",
}


def of(text: str, more: dict[str, str] | None = None) -> list[str]:
    return messages({**SHOP, **(more or {}), "pay/pay.go": "package pay\n" + text}, "pay/pay.go")


def test_missing_package_is_reported() -> None:
    assert of('import "x.io/shop/mony"\nimport "x.io/other/y"\nimport "fmt"\nimport "x.io/tools/lag"\n') == [
        "2 missing-module x.io/shop/mony: x.io/shop/money",
        "5 missing-module x.io/tools/lag",
    ]
    assert of(
        'import "x.io/shop/inner/bases"\n', {f"inner/{one}/a.go": "package a\n" for one in ("ai", "ai/stt", "base")}
    ) == ["2 missing-module x.io/shop/inner/bases: x.io/shop/inner/base"]


def test_missing_package_member_is_reported() -> None:
    text = 'import "x.io/shop/money"\nfunc f() { money.Cent(1); money.Rate++; money.small(); money.OnlyTests(); var c money.Basket }\n'
    assert of(text) == [
        "3 missing-member money.Cent: Cents",
        "3 missing-member money.small",
        "3 missing-member money.OnlyTests",
        "3 missing-member money.Basket",
    ]


def test_missing_function_in_the_same_package_is_reported() -> None:
    assert of("func f() { helper(); helpr(); len(x); g := 1; g(); string(b) }\n") == ["2 missing-name helpr: helper"]


def test_missing_name_is_reported_despite_a_local_dot_import() -> None:
    text = 'import . "x.io/shop/money"\nfunc f() { Cents(1, 2); Centz(1) }\n'
    assert of(text) == ["3 missing-name Centz: Cents"]
    assert of(text.replace("x.io/shop/money", "x.io/other")) == []


def test_missing_type_in_the_same_package_is_reported() -> None:
    more = {
        "pay/set.go": "package pay\n\ntype Set[K comparable, V any] struct{}\ntype Cart struct{}\n",
        "pay/c.go": 'package pay\n\nimport "C"\n',
    }
    text = "func (s *Set[K, V]) Get(k K) (v V, err error) { type own int; var a own; return }\nfunc f(c *Cart, b Basket) []Crt { return nil }\n"
    assert of(text, more) == ["3 missing-name Basket", "3 missing-name Crt: Cart"]


def test_call_with_wrong_arguments_is_reported() -> None:
    text = 'import m "x.io/shop/money"\nfunc f() { m.Cents(); m.Two(1); m.Two(helper()); m.Two(1, 2, 3); m.Cents(1, 2, 3); helper(1) }\n'
    assert of(text) == [
        "3 arguments m.Cents: is missing 'amount'",
        "3 arguments m.Two: is missing 'b'",
        "3 arguments m.Two: takes 2 arguments, not 3",
        "3 arguments helper: takes 0 arguments, not 1",
    ]


def test_conversion_to_a_type_takes_one_value() -> None:
    text = 'import "x.io/shop/money"\ntype row struct{ a int }\nfunc f(c cart) { _ = money.Cart(c); _ = row(c) }\ntype cart struct{}\n'
    assert of(text) == []


def test_ambiguous_name_is_not_reported() -> None:
    more = {"api/api.proto": "", ".gitignore": "gen/\n"}
    text = (
        'import (\n"x.io/shop/api"\n"x.io/shop/gen"\n"x.io/shop/money"\n)\n'
        "type T int\nfunc f(money T) { api.X(); gen.Z(); money.Nothing() }\n"
    )
    assert of(text, more) == []


def test_tests_see_names_from_export_test_in_their_folder() -> None:
    tree = {
        **SHOP,
        "money/export_test.go": "package money\n\nfunc Small() {}\n",
        "money/outer_test.go": 'package money_test\nimport "x.io/shop/money"\nfunc f() { money.Small(); money.Smal() }\n',
    }
    assert messages(tree, "money/outer_test.go") == ["3 missing-member money.Smal: Small"]


def test_method_call_on_a_receiver_or_parameter_is_checked() -> None:
    text = (
        "func (s *Box) Put(a, b int) {}\nfunc (s *Box) Fill() { s.Put(1); s.Put(1, 2); s.Size() }\n"
        "func f(box Box) { box.Put(1, 2, 3) }\nfunc g(box Box) { box := helper(); box.Put() }\n"
    )
    assert of(text, {"pay/box.go": "package pay\n\ntype Box struct{ size int }\n"}) == [
        "3 arguments s.Put: is missing 'b'",
        "4 arguments box.Put: takes 2 arguments, not 3",
    ]


def test_long_parameter_list_is_parsed() -> None:
    names = ", ".join(f"a{at}" for at in range(10))
    assert of(f"type Shape interface {{\n\tConv(weight Shape, c, {names} int) Shape\n}}\n") == []
