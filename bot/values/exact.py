"""The mark of a field whose text is not masked when a value leaves: a path, an object's id, a state, a name that others look up."""

from collections.abc import Mapping
from typing import Any

EXACT: Mapping[str, Any] = {"exact": True}
