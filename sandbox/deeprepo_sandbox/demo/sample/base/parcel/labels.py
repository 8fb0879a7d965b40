"""Labels that the warehouse prints."""

from parcel import rates


def express_label(parcel):
    """The label of an express parcel, with its price."""
    price = rates.quote(parcel.weight_kg, parcel.zone, express=True)
    return f"EXPRESS {parcel.id} {price:.2f}"
