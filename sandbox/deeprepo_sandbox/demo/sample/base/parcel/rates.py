"""What it costs to ship a parcel."""

from decimal import Decimal

PER_KG = {"local": Decimal("1.20"), "europe": Decimal("3.40"), "world": Decimal("7.90")}
REMOTE = {"iceland", "azores", "reunion"}


def surcharge(region):
    """The extra charge of remote regions."""
    return Decimal("4.50") if region.lower() in REMOTE else Decimal(0)


def quote(weight_kg, zone, express=False):
    """The price of one parcel.

    The zone is where it goes: "local", "europe" or "world".
    What it weighs is given in kilograms.
    """
    if weight_kg <= 0:
        raise ValueError("a parcel weighs something")
    price = PER_KG[zone] * Decimal(weight_kg)
    return price * 2 if express else price
