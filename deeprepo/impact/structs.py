"""What the values of this package are made with: the one door to msgspec, but for the JSON of `memo.py`."""

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import asdict, force_setattr

if TYPE_CHECKING:  # the checker knows the fields of a Struct by this one, which takes no Struct when it runs
    from dataclasses import replace
else:
    from msgspec.structs import replace

__all__ = ["Struct", "asdict", "field", "force_setattr", "replace"]
