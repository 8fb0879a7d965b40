"""Names that other definitions also have: a call on an unknown object is not proof of a broken caller."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

CART = "class Cart:\n    def shipment_total(self{}):\n        return 1\n"
PYTHON = {
    "shop/__init__.py": "",
    "shop/cart.py": CART.format(", tax"),
    "shop/web.py": "def page(cart):\n    return cart.shipment_total(2)\n",
}
LESS = {"shop/cart.py": CART.format("")}


def test_member_name_shared_by_two_classes_is_not_reported(repository: Repository) -> None:
    """If two classes have a member of that name, a call on an unknown object is not reported."""
    pull = repository.change({**PYTHON, "shop/other.py": CART.replace("Cart", "Other").format(", tax")}, LESS)

    assert look(pull) == []
    assert open_uses(pull) == ()


@pytest.mark.parametrize(
    "added", ['"""About shipment_rate."""\n', "class Other:\n    shipment_rate = 3\n"], ids=["named", "set"]
)
def test_reference_to_a_removed_attribute_stays_open(repository: Repository, added: str) -> None:
    """A reader of a removed attribute stays open, even if a new file mentions or another class sets it."""
    cart = "class Cart:\n    def __init__(self, items):\n        self.items = items\n        self.shipment_rate = 3\n"
    files = {"shop/cart.py": cart, "shop/web.py": "def page(cart):\n    return cart.shipment_rate\n"}
    after = {"shop/cart.py": cart.replace("        self.shipment_rate = 3\n", ""), "shop/doc.py": added}

    assert [use.path for use in open_uses(repository.change(files, after))] == ["shop/web.py"]


def test_attribute_that_moves_with_its_class_is_not_removed(repository: Repository) -> None:
    """An attribute is not removed if its class moves to another file and still sets it there."""
    cart = "class Cart:\n    def __init__(self):\n        self.shipment_rate = 3\n"
    files = {
        "shop/cart.py": f"{cart}\n\nOTHER = 1\n",
        "shop/web.py": "def page(cart):\n    return cart.shipment_rate\n",
    }

    assert open_uses(repository.change(files, {"shop/cart.py": "OTHER = 1\n", "shop/new.py": cart})) == ()
