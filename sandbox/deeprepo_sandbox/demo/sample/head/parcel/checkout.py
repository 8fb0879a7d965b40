"""The total of an order."""

from parcel.rates import quote, remote_surcharge


def total(order):
    """Goods and shipping of an order."""
    shipping = quote(order.weight_kg, order.zone, service=order.service)
    return order.goods + shipping + remote_surcharge(order.region)
