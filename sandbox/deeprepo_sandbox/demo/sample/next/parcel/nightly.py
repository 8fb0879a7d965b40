"""The nightly report of surcharges."""

from parcel.rates import remote_surcharge


def report(parcels):
    """The sum of all surcharges of a day, by region."""
    sums = {}
    for parcel in parcels:
        sums[parcel.region] = sums.get(parcel.region, 0) + remote_surcharge(parcel.region)
    return sums
