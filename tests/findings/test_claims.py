import asyncio

import pytest
from fakes import Repository

from bot.checkout import Checkout
from bot.findings import claims
from bot.values import Claim, Finding, Source

FILES: dict[str, str | bytes | None] = {
    "shop/rates.py": "LIMIT = 5\n\n\ndef quote(weight, *, service=None):\n    return weight * LIMIT\n\n\ndef alone():\n    return 1\n",
    "shop/user.py": "from shop.rates import quote\n\nprint(quote(3, service='x'))\nlegacy_flag = True\n",
    "docs/notes.md": "alone() and legacy_flag are described here; ghost() too\n",
}


def checked(repository: Repository, claim: Claim) -> Finding | str:
    """A finding about the body of quote(), after its claims were looked up."""
    pull = repository.change({}, FILES)
    finding = Finding(
        "shop/rates.py", "    return weight * LIMIT", "t", "w", "c", "high", "logic", (Source("model", "m", "worker"),), start=5, end=5, claims=(claim,)
    )  # fmt: skip

    async def run() -> Finding | str:
        async with Checkout(pull) as tree:
            return await claims.check(finding, tree)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        (Claim("undefined", "quote"), "shop/rates.py:4"),
        (Claim("undefined", "shop.rates.quote"), "shop/rates.py:4"),
        (Claim("unused", "quote"), "shop/user.py:1"),
        (Claim("unpassed", "service"), "shop/user.py:3"),
        (Claim("no-file", "shop/user.py"), "shop/user.py is there"),
    ],
)
def test_a_false_claim_drops_the_finding(repository: Repository, claim: Claim, against: str) -> None:
    """The reason names the line that shows the opposite."""
    said = checked(repository, claim)
    assert isinstance(said, str)
    assert "its claim is false" in said
    assert against in said


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        (Claim("undefined", "ghost"), "`ghost` is not defined"),
        (Claim("unused", "legacy_flag"), "nothing reads `legacy_flag`"),
        (Claim("unpassed", "weight"), "no caller passes `weight`"),
        (Claim("no-file", "shop/gone.py"), "the file `shop/gone.py` does not exist"),
    ],
)
def test_a_true_claim_becomes_evidence(repository: Repository, claim: Claim, told: str) -> None:
    """A definition is no use, a write is no reading, and prose proves nothing."""
    said = checked(repository, claim)
    assert isinstance(said, Finding)
    assert [item.note for item in said.evidence] == [f"searched for in the tree: {told}"]


def test_what_is_no_name_is_left_alone(repository: Repository) -> None:
    assert isinstance(checked(repository, Claim("undefined", "not a name!")), Finding)


WIDE: dict[str, str | bytes | None] = {
    "app/cart.py": (
        "class Cart:\n    rate = None\n\n    def total(self):\n        return self.rate * price()\n\n\n"
        "class Gift(Cart):\n    def wrap(self):\n        return self.total()\n\n\n"
        "class Sale(Cart):\n    def total(self):\n        return 1\n\n\ndef price():\n    return 2\n"
    ),
    "app/other.py": (
        '''"""Notes.\n\nrate = 3 is explained here, price() too\nraise CartEmpty\n"""\n'''
        "from app.cart import price\n\n\nclass CartEmpty(Exception):\n    pass\n\n\nclass CartFull(Exception):\n    pass\n\n\n"
        "def check(limit):\n    colour = 'price() and limit_of'  # price()\n    if limit:\n        raise CartFull(limit)\n    return price()\n\n\n"
        "def emitted(bus):\n    bus.emit('cart:saved', 1)\n    bus.on('cart:lost', check)\n    local_only = 4\n    return local_only\n"
    ),
    "app/user.py": "from app.cart import Cart\n\ncart = Cart()\ncart.tax = 3\nvalue = {'rebate': 4}\n",
    "tests/test_cart.py": "from app.cart import Cart\n\nCart.rate = 3\nCart.spare = 4\nprice()\nraise CartEmpty\nghost = 1\n",
}


def looked_up(repository: Repository, claim: Claim) -> str:
    """What a claim of a finding about Cart.total() is worth: "false", "true" or "open"."""
    pull = repository.change({}, WIDE)
    finding = Finding(
        "app/cart.py", "        return self.rate * price()", "t", "w", "c", "high", "logic", (Source("model", "m", "worker"),), start=5, end=5, claims=(claim,)
    )  # fmt: skip

    async def run() -> Finding | str:
        async with Checkout(pull) as tree:
            return await claims.check(finding, tree)

    said = asyncio.run(run())
    return "false" if isinstance(said, str) else "true" if said.evidence else "open"


@pytest.mark.parametrize(
    ("claim", "worth"),
    [
        (Claim("unset", "rate"), "true"),  # None is no value; a docstring and a test are no code of the product
        (Claim("unset", "tax"), "false"),
        (Claim("unset", "rebate"), "open"),  # a key of that name may be another thing
        (Claim("unset", "local_only"), "open"),  # of another function
        (Claim("not-overridden", "total", "Gift"), "true"),
        (Claim("not-overridden", "total", "Sale"), "false"),
        (Claim("not-overridden", "total", "Ghost"), "open"),
        (Claim("only-caller", "price", "total"), "false"),
        (Claim("only-caller", "wrap", "nobody"), "true"),
        (Claim("unsent", "CartEmpty"), "true"),  # a docstring and a test raise it
        (Claim("unsent", "CartFull"), "false"),
        (Claim("unused", "colour"), "true"),
        (Claim("unused", "Cart.tax"), "open"),  # another object's attribute
        (Claim("unused", "limit_of"), "true"),  # a word in a string and a comment are no reading
        (Claim("undefined", "ghost"), "true"),  # a test defines it
        (Claim("undefined", "local_only"), "true"),  # a variable of another function defines nothing
        (Claim("undefined", "Gift.price"), "open"),  # another one of that name
        (Claim("undefined", "Cart.total"), "false"),
    ],
)
def test_a_claim_is_false_true_or_open(repository: Repository, claim: Claim, worth: str) -> None:
    """Only code of the product, and of the scope that is meant, counts against it; what a search cannot decide is left open."""
    assert looked_up(repository, claim) == worth
