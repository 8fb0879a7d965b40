import pytest
from fakes import Repository
from told import Row, Tree, look, rows

import deeprepo

MOD = "module example.com/shop\n\ngo 1.22\n"
LIB = (
    "package store\n\ntype Cart struct {\n\tBase\n\tItemCount, total int\n}\n\ntype Base struct{}\n\n"
    "func (c *Cart) AddItem(name string, n int) {}\n\nfunc Open(path, mode string) *Cart { return nil }\n\nconst MaxItems = 3\n"
)
MAIN = 'package main\n\nimport "example.com/shop/store"\n\nfunc main() {\n\tSTATEMENT\n}\n'
BESIDE = "package store\n\nfunc helper(c *Cart) {\n\tSTATEMENT\n}\n"


def tree(statement: str = "store.Open(a, b)", beside: str = "_ = c", **more: str) -> Tree:
    """Return a module with a package, a second file in that package, and a program that imports it."""
    files: Tree = {
        "go.mod": MOD,
        "store/cart.go": LIB,
        "store/beside.go": BESIDE.replace("STATEMENT", beside),
        "main.go": MAIN.replace("STATEMENT", statement),
    }
    return files | {name.replace("__", "/") + ".go": text for name, text in more.items()}


def without(line: str) -> str:
    return LIB.replace(line, "")


OPEN = "func Open(path, mode string) *Cart { return nil }\n"
ADD = "func (c *Cart) AddItem(name string, n int) {}\n"
WIDER = LIB.replace("mode string)", "mode string, n int)")
POINT = "package store\n\ntype Point struct{ X, Y int }\n"
POINT_3D = {"store/point.go": POINT.replace("Y int", "Y, Z int")}
TRUE: list[tuple[str, Tree, Tree, list[Row]]] = [
    ("a function is gone", tree(), {"store/cart.go": without(OPEN)}, [("main.go", 6, "removed-symbol")]),
    ("a function wants more", tree(), {"store/cart.go": WIDER}, [("main.go", 6, "required-parameter")]),
    (
        "a function loses its variadic parameter",
        tree("store.Open(a, b, 1, 2)") | {"store/cart.go": LIB.replace("mode string)", "mode string, n ...int)")},
        {"store/cart.go": LIB},
        [("main.go", 6, "arity")],
    ),
    (
        "a neighbour needs no import",
        tree("_ = store.MaxItems", "Open(a, b)"),
        {"store/cart.go": WIDER},
        [("store/beside.go", 4, "required-parameter")],
    ),
    ("a constant is gone", tree("_ = store.MaxItems"), {"store/cart.go": without("const MaxItems = 3\n")}, [("main.go", 6, "removed-symbol")]),
    ("a method of a parameter is gone", tree("_ = 1", "c.AddItem(a, 1)"), {"store/cart.go": without(ADD)}, [("store/beside.go", 4, "removed-symbol")]),
    (
        "a method of a literal wants less",
        tree("s := &store.Cart{}\n\ts.AddItem(a, 1)"),
        {"store/cart.go": LIB.replace("name string, n int", "name string")},
        [("main.go", 7, "arity")],
    ),
    (
        "a field is gone that a literal sets",
        tree("_ = store.Cart{ItemCount: 1}"),
        {"store/cart.go": LIB.replace("ItemCount, total int", "total int")},
        [("main.go", 6, "removed-symbol")],
    ),
    ("a method became a function, its type stands next door", tree("_ = 1", "b.Fill(1)") | {"store/beside.go": "package store\n\nfunc helper(b Base) {\n\tb.Fill(1)\n}\n", "store/fill.go": "package store\n\nfunc (b Base) Fill(n int) {}\n"}, {"store/fill.go": "package store\n\nfunc fillBase(b Base, n int) {}\n"}, [("store/beside.go", 4, "removed-symbol")]),
    (
        "a dot import needs no name",
        tree("_ = 1", other='package main\n\nimport . "example.com/shop/store"\n\nvar x = Open("a", "b")\n'),
        {"store/cart.go": WIDER, "main.go": None},
        [("other.go", 5, "required-parameter")],
    ),
    ("a literal lacks a new field", tree("_ = store.Point{1, 2}", store__point=POINT), POINT_3D, [("main.go", 6, "required-parameter")]),
    ("a package is gone", tree(), {"store/cart.go": None, "store/beside.go": None}, [("main.go", 3, "removed-module"), ("main.go", 6, "removed-symbol")]),
    (
        "a function wants more, and so does its alternative for another system",
        tree("_ = 1", beside="Open(a, b)", store__open_windows=f"package store\n\n{OPEN}"),
        {"store/cart.go": WIDER, "store/open_windows.go": f"package store\n\n{OPEN.replace('mode string)', 'mode string, n int)')}"},
        [("store/beside.go", 4, "required-parameter")],
    ),
    (
        "a module that replaces the published one by the folder",
        tree("_ = 1") | {"tool/go.mod": "module example.com/tool\n\nreplace example.com/shop v1.0.0 => ../\n",
                         "tool/run.go": MAIN.replace("STATEMENT", "store.Open(a, b)")},
        {"store/cart.go": WIDER},
        [("tool/run.go", 6, "required-parameter")],
    ),
]  # fmt: skip
FALSE: list[tuple[str, Tree, Tree]] = [
    ("it moved to a neighbour", tree(), {"store/cart.go": without(OPEN), "store/open.go": f"package store\n\n{OPEN}"}),
    (
        "an alternative for another system is left",
        tree(beside="Open(a, b)", store__open_windows=f"package store\n\n{OPEN}"),
        {"store/cart.go": without(OPEN)},
    ),
    (
        "an alternative for another system takes what it took",
        tree("_ = 1", beside="Open(a, b)", store__open_windows=f"package store\n\n{OPEN}"),
        {"store/cart.go": WIDER, "store/open_windows.go": f"package store\n\n{OPEN.replace('mode string)', 'mode string, more ...int)')}"},
    ),
    ("a literal names its fields", tree("_ = store.Point{X: 1}", store__point=POINT), POINT_3D),
    ("the arguments are spread", tree("store.Open(a...)"), {"store/cart.go": WIDER}),
    ("a parameter bears the name", tree("func(Open func(int)) { Open(1) }(f)"), {"store/cart.go": without(OPEN)}),
    (
        "a method of an embedded type may be meant",
        tree("_ = 1", "c.AddItem(a, 1)"),
        {"store/cart.go": LIB.replace("(c *Cart) AddItem", "(c *Base) AddItem")},
    ),
    (
        "the method's receiver may be anything",
        tree("find().AddItem(a, 1)"),
        {"store/cart.go": without(ADD)},
    ),
    (
        "another module means the published version",
        tree("_ = 1")
        | {"tool/go.mod": "module example.com/tool\n", "tool/run.go": MAIN.replace("STATEMENT", "store.Open(a, b)")},
        {"store/cart.go": WIDER},
    ),
    ("comments and strings", tree('_ = "store.Open(1)" // store.Open(a)'), {"store/cart.go": WIDER}),
    ("the changed file does not parse", tree(), {"store/cart.go": without(OPEN) + "func broken( {{{\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("case", "before", "after", "told"), TRUE, ids=[row[0] for row in TRUE])
def test_broken_caller_is_reported(
    repository: Repository, case: str, before: Tree, after: Tree, told: list[Row]
) -> None:
    """A line that no longer compiles is reported once, with the right rule."""
    assert sorted(rows(repository.change(before, after))) == told, case


@pytest.mark.parametrize(("case", "before", "after"), FALSE, ids=[row[0] for row in FALSE])
def test_code_that_may_still_compile_is_not_reported(
    repository: Repository, case: str, before: Tree, after: Tree
) -> None:
    """Build alternatives, shadowed names, unknown receivers and other module versions prove nothing."""
    assert rows(repository.change(before, after)) == [], case


def test_only_tests_depend_on_a_changed_test(repository: Repository) -> None:
    """Only other tests in the package depend on a changed test."""
    before = tree(
        store__a_test="package store\n\nfunc makeCart() {}\n", store__b_test="package store\n\nvar x = makeCart\n"
    )
    found, _ = look(repository.change(before, {"store/a_test.go": "package store\n\nfunc makeCart() { _ = 1 }\n"}))

    assert [(item.path, item.line) for item in found.files] == [("store/b_test.go", 3)]


def test_field_moved_to_an_embedded_struct_is_not_missing(repository: Repository) -> None:
    """A field moved to the embedded struct, and names that the package still exports, break nothing."""
    modes = "package store\n\ntype Mode int\n\nfunc (m Mode) IsNew() bool { return m > 0 }\n\nfunc NewMode() Mode { return 1 }\n"
    uses = "\ntype Holder struct {\n\tmode Mode\n}\n\nfunc (h *Holder) Mode() bool {\n\treturn h.mode.IsNew() && NewMode() == h.mode\n}\n"
    cart = LIB + "\nfunc (c *Cart) Size() int { return c.ItemCount }\n"
    repository.commit(
        {**tree("_ = 1"), "store/cart.go": cart, "store/mode.go": modes, "store/holder.go": "package store\n" + uses},
        "before",
    )
    repository.commit(
        {
            "store/cart.go": cart.replace("ItemCount, total int", "total int").replace("Base struct{}", "Base struct {\n\tItemCount int\n}"),
            "leaf/mode.go": modes.replace("package store", "package leaf"),
            "store/mode.go": 'package store\n\nimport "example.com/shop/leaf"\n\ntype Mode = leaf.Mode\n\nvar NewMode = leaf.NewMode\n',
        },
        "after",
    )  # fmt: skip
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert (reviewed.findings, reviewed.open) == ((), ())
