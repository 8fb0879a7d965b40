"""Names that other definitions also have: a call on an unknown object is not proof of a broken caller."""

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
