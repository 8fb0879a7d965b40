"""What a change adds takes no proof away; what may take one away leaves the use open, with its place."""

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


@pytest.mark.parametrize(
    ("added", "place"),
    [
        ({"shop/other.py": "class Other:\n    def shipment_total(self, tax):\n        return 2\n"}, "shop/other.py:2"),
        ({"rows.txt": "shipment_total\n" * 20_001}, "one of more than 20,000 lines"),
        ({"shop/rows.py": "x = 1\n" * 180_000 + "shipment_total = 1\n"}, "shop/rows.py"),
    ],
    ids=["definition", "flood", "large file"],
)
def test_what_a_change_disarms_stays_open(repository: Repository, added: dict[str, str], place: str) -> None:
    """A definition of the change, too many of its lines or a file too large to be read: the use is open, and the place is named."""
    pull = repository.change(PYTHON, {**LESS, **added})

    assert look(pull) == []
    assert [(use.path, use.says) for use in open_uses(pull)] == [
        ("shop/web.py", f"the parameters of Cart.shipment_total changed, unless {place} is meant")
    ]


def test_a_text_that_was_there_leaves_the_use_open(repository: Repository) -> None:
    """A string of the base that may look the name up takes the proof away, and a reader is told of it."""
    pull = repository.change({**PYTHON, "data.json": '{"a": "shipment_total"}\n'}, LESS)

    assert look(pull) == []
    assert [use.says.partition("unless ")[2] for use in open_uses(pull)] == ["data.json:1 is meant"]


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
