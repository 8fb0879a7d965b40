"""What it costs to ship a parcel."""

from decimal import Decimal

PER_KG = {"local": Decimal("1.20"), "europe": Decimal("3.40"), "world": Decimal("7.90")}
SERVICES = {"standard": 1, "express": 2, "overnight": 4}
REMOTE = {"iceland", "azores", "reunion"}


def remote_surcharge(region):
    """The extra charge of remote regions."""
    return Decimal("4.50") if region in REMOTE else Decimal(0)


def quote(weight_kg, zone, *, service):
    """The price of one parcel with the given service.

    The zone is where it goes: "local", "europe" or "world".
    What it weighs is given in kilograms.
    """
    if weight_kg <= 0:
        raise ValueError("a parcel weighs something")
    return PER_KG[zone] * Decimal(weight_kg) * SERVICES[service]
