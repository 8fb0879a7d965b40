"""The total of an order."""

from parcel.rates import quote, surcharge


def total(order):
    """Goods and shipping of an order."""
    shipping = quote(order.weight_kg, order.zone, express=order.express)
    return order.goods + shipping + surcharge(order.region)
