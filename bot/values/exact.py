"""The mark of a field whose text is not masked when a value leaves: a path, an object's id, a state, a name that others look up."""

from typing import Annotated, Final, TypeVar

EXACT: Final = "exact"
T = TypeVar("T")
Exact = Annotated[T, EXACT]
