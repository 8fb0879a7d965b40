"""What a basket shows before it is ordered."""

from parcel.rates import surcharge


def note(basket):
    """What a customer of a remote region is told about shipping."""
    extra = surcharge(basket.region)
    return f"Your region costs {extra:.2f} more." if extra else ""
