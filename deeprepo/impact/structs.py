"""Wrap msgspec for this package's values; only the JSON of `memo.py` uses it directly."""

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import asdict, force_setattr

# the type checker knows a Struct's fields by this one, which does not accept a Struct at run time
if TYPE_CHECKING:
    from dataclasses import replace
else:
    from msgspec.structs import replace

__all__ = ["Struct", "asdict", "field", "force_setattr", "replace"]
