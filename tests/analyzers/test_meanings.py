"""The resolver knows what a name means to its user, before and after a change, so no line has to be guessed at."""

from collections.abc import Mapping

import pytest
import step
from contract_findings import look, open_uses
from fakes import Repository

from bot.checkout import Checkout
from deeprepo.impact.uses.meanings import Assumed, Question, meant_another, question_about

Files = Mapping[str, str | None]
CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
USINGS = "namespace Shop;\n\npublic class Till\n{\n    private Basket basket = new Basket();\n}\n"
ALIGNS = "use crate::layout::Align;\n\npub fn draw() -> Align {\n    Align::Middle\n}\n"
CASES: dict[str, tuple[Files, Files]] = {
    "a partial class in a namespace that its user now imports": (
        {
            "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "Basket.cs": "namespace Shop;\n\ninternal abstract partial class Basket\n{\n}\n",
            "Basket.Lines.cs": "namespace Shop;\n\ninternal abstract partial class Basket\n{\n    public int Lines;\n}\n",
            "Till.cs": USINGS,
            "Desk.cs": USINGS.replace("Till", "Desk"),
        },
        {
            "Basket.cs": None,
            "Basket.Lines.cs": None,
            "Goods/Basket.cs": "namespace Shop.Goods;\n\ninternal class Basket\n{\n    public static Basket Empty { get; } = new Basket();\n}\n",
            "Goods/Empty.cs": "namespace Shop.Goods;\n\ninternal class Empty : Basket\n{\n}\n",
            "Till.cs": f"\ufeffusing Shop.Goods;\n\n{USINGS}",
            "Desk.cs": f"\ufeffusing Shop.Goods;\n\n{USINGS.replace('Till', 'Desk')}",
        },
    ),
    "a variant of an enum that has a new name and an alias for the old one": (
        {
            "Cargo.toml": CARGO,
            "src/lib.rs": "pub mod draw;\npub mod layout;\n",
            "src/layout.rs": "#[derive(Clone)]\npub enum Align {\n    Start,\n    Middle,\n}\n",
            "src/draw.rs": ALIGNS,
        },
        {
            "src/layout.rs": "pub type Align = Horizontal;\n\n#[derive(Clone)]\npub enum Horizontal {\n    Start,\n    Middle,\n}\n",
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_name_that_still_means_something_to_its_user_is_not_gone(repository: Repository, case: str) -> None:
    """No finding and no line that may break, although a line with the same name was removed."""
    before, after = CASES[case]
    pull = repository.change(dict(before), dict(after))
    assert ([one.title for one in look(pull)], [use.text for use in open_uses(pull) if use.may_break]) == ([], [])


def test_a_name_that_means_nothing_any_more_is_reported(repository: Repository) -> None:
    """The guard: the class moves to a namespace that its user doesn't import."""
    before, after = CASES["a partial class in a namespace that its user now imports"]
    kept = {path: text for path, text in after.items() if path != "Till.cs"}
    assert [one.path for one in look(repository.change(dict(before), kept))] == ["Till.cs"]


def test_a_specialization_needs_the_template_that_was_removed(repository: Repository) -> None:
    """In C++, the line looks like a definition of the name."""
    lib = "template <typename T, bool B>\nstruct convert_total_impl { enum { value = 0 }; };\n"
    use = '#include "lib.h"\n\ntemplate <typename T>\nstruct convert_total_impl<T, true> {\n  enum { value = 1 };\n};\n'
    other = lib.replace("convert_total_impl", "convert_total")
    assert [one.path for one in look(repository.change({"lib.h": lib, "use.h": use}, {"lib.h": other}))] == ["use.h"]


PLACE = "use serde::{Serialize, Serializer};\n\npub struct Place;\n"
TYPES = "use serde::ser::{Error as _, Serializer};\nuse crate::cart::Total;\n\npub fn fail<S: Serializer>(_: Total, _: S) {}\n"
CRATE = {
    "Cargo.toml": CARGO,
    "src/lib.rs": "pub mod cart;\npub mod place;\npub mod types;\n",
    "src/cart.rs": "pub struct Total;\n",
    "src/place.rs": f"{PLACE}\npub struct Total;\n",
    "src/types.rs": TYPES,
}
IN_PLACE = ("src/place.rs",)
SERIALIZER, TOTAL = Question("src/types.rs", "Serializer"), Question("src/types.rs", "Total")
MEANT: dict[str, tuple[Question, Assumed, bool]] = {
    "an import from a library": (SERIALIZER, Assumed(IN_PLACE, is_defined=False), True),
    "an import that the search resolved": (SERIALIZER, Assumed(IN_PLACE, is_defined=False, is_resolved=True), False),
    "an import from another file": (TOTAL, Assumed(IN_PLACE), True),
    "a name that the file may only export": (TOTAL, Assumed(IN_PLACE, is_defined=False), False),
    "the file that defines it": (TOTAL, Assumed(("src/cart.rs",)), False),
}


@pytest.mark.parametrize("case", MEANT)
def test_what_a_name_meant_before_the_change(repository: Repository, case: str) -> None:
    """Only an import that leads elsewhere says that a name has nothing to do with the change."""
    question, assumed, is_another = MEANT[case]

    async def ask(tree: Checkout, _: step.Files) -> bool:
        return question in await meant_another(tree, {question: [assumed]}, {})

    assert step.over(repository.change(CRATE, {"src/place.rs": "pub struct Place;\n"}), ask) is is_another


@pytest.mark.parametrize(
    ("user", "line", "is_asked"),
    [
        ("a.py", "    return cls.total()", True),
        ("a.py", "    return this.total()", False),
        ("a.ts", "    return this.total();", True),
        ("a.ts", "    return self.total();", False),
        ("a.ts", "    return Cart.total();", True),
        ("a.ts", "    return cart.total();", False),
    ],
)
def test_a_member_is_only_looked_up_in_a_class_that_its_line_names(user: str, line: str, *, is_asked: bool) -> None:
    """How a method refers to its own object depends on the language."""
    question = Question(user, "total", "Cart", "cart")
    assert question_about(user, "total", "Cart", "cart", line) == (question if is_asked else None)
