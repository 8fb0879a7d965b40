"""What a change adds to data and texts takes no proof away."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

CART = "class Cart:\n    def shipment_total(self{}):\n        return 1\n"
PYTHON = {
    "shop/__init__.py": "",
    "shop/cart.py": CART.format(", tax"),
    "shop/web.py": "def page(cart):\n    return cart.shipment_total(2)\n",
}
SCRIPT = {
    "shop/cart.ts": "export class Cart {\n  shipmentTotal(tax: number) {\n    return tax\n  }\n}\n",
    "shop/web.ts": "export function page(cart) {\n  return cart.shipmentTotal(2)\n}\n",
}
LESS = {"shop/cart.py": CART.format("")}


@pytest.mark.parametrize(
    "added",
    [
        {"data.json": '{"a": "shipment_total"}\n'},
        {"notes.cfg": "shipment_total = 1\n"},
        {"shop/other.py": 'def f(o):\n    return getattr(o, "shipment_total")\n'},
        {"shop/other.py": 'NAMES = [\n    "shipment_total",\n]\n'},
        {"Makefile": "shipment_total:\n\ttrue\n"},
    ],
    ids=["data", "settings", "look-up", "list", "build"],
)
def test_a_text_that_the_change_adds_disarms_no_proof(repository: Repository, added: dict[str, str]) -> None:
    """Data, settings and strings that the change brings say nothing about a call that was there."""
    found = look(repository.change(PYTHON, {**LESS, **added}))

    assert [(finding.path, finding.verdict) for finding in found] == [("shop/web.py", "proven")]


def test_a_text_beside_typescript_disarms_no_proof(repository: Repository) -> None:
    """A catalogue of words that holds the name of a method is no other method."""
    after = {
        "shop/cart.ts": SCRIPT["shop/cart.ts"].replace("tax: number", ""),
        "i18n.json": '{"shipmentTotal": "Total"}\n',
    }

    assert [finding.path for finding in look(repository.change(SCRIPT, after))] == ["shop/web.ts"]


def test_another_definition_that_was_there_says_what_is_meant(repository: Repository) -> None:
    """Where two classes have had a member of one name, a call on an unknown object is no use of the one that changed."""
    pull = repository.change({**PYTHON, "shop/other.py": CART.replace("Cart", "Other").format(", tax")}, LESS)

    assert look(pull) == []
    assert open_uses(pull) == ()


@pytest.mark.parametrize(
    "added", ['"""About shipment_rate."""\n', "class Other:\n    shipment_rate = 3\n"], ids=["named", "set"]
)
def test_an_attribute_that_is_gone_stays_open(repository: Repository, added: str) -> None:
    """A new file that names the attribute, or sets one of that name in another class, gives it to nobody who read it."""
    cart = "class Cart:\n    def __init__(self, items):\n        self.items = items\n        self.shipment_rate = 3\n"
    files = {"shop/cart.py": cart, "shop/web.py": "def page(cart):\n    return cart.shipment_rate\n"}
    after = {"shop/cart.py": cart.replace("        self.shipment_rate = 3\n", ""), "shop/doc.py": added}

    assert [use.path for use in open_uses(repository.change(files, after))] == ["shop/web.py"]


def test_an_attribute_that_moves_with_its_class_is_not_gone(repository: Repository) -> None:
    """The class of the same name sets it in another file of the change."""
    cart = "class Cart:\n    def __init__(self):\n        self.shipment_rate = 3\n"
    files = {
        "shop/cart.py": f"{cart}\n\nOTHER = 1\n",
        "shop/web.py": "def page(cart):\n    return cart.shipment_rate\n",
    }

    assert open_uses(repository.change(files, {"shop/cart.py": "OTHER = 1\n", "shop/new.py": cart})) == ()
