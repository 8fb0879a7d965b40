"""`dataclass`, whose methods are made when they are first called.

The library compiles seven methods of each class as it is loaded. A command loads some hundreds of classes and uses half of them: that was
a quarter of the time of a hook. Whoever asks for anything else than fields that stay gets the library's own.
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields, is_dataclass
from dataclasses import dataclass as whole
from typing import TYPE_CHECKING, Any

LATE = ({"frozen", "slots"}, {"frozen", "slots", "kw_only"})  # what is asked for
OWN = ("__init__", "__eq__", "__hash__", "__repr__", "__getstate__", "__setstate__")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - to a checker it is the same
else:

    def dataclass(cls: Any = None, /, **asked: bool) -> Any:  # noqa: ANN401 - a class
        """Give a class the fields that it declares, as the library does."""
        if cls is None:
            return lambda one: dataclass(one, **asked)
        has_more = not vars(cls).keys().isdisjoint(OWN) or any(map(is_dataclass, cls.__bases__))
        if {*asked} not in LATE or not all(asked.values()) or has_more:
            return whole(cls, **asked)
        made = whole(cls, init=False, repr=False, eq=False, slots=True, kw_only="kw_only" in asked)
        made.__dataclass_params__.frozen = True  # for who inherits from it
        made.__setattr__ = made.__delattr__ = _refuse
        made.__getstate__, made.__setstate__ = _state, _restore
        _later(made, "__init__", _init)
        for name in ("__eq__", "__hash__", "__repr__"):
            _later(made, name, _of_twin)
        return made


def _later(cls: Any, name: str, make: Callable[[Any, str], Any]) -> None:  # noqa: ANN401 - a class
    """Have a method made by its first call."""

    def first(self: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - of any class
        method = make(cls, name)
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
        return method(self, *given, **named)

    setattr(cls, name, first)


def _init(cls: Any, name: str) -> Any:  # noqa: ANN401 - a method
    known: dict[str, Any] = {"SET": object.__setattr__, "MISSING": MISSING}
    given, lines = ["self"], ["pass"]
    for one in sorted(fields(cls), key=lambda one: bool(one.kw_only)):
        known |= {f"default_{one.name}": one.default, f"make_{one.name}": one.default_factory}
        is_made = one.default_factory is not MISSING
        default = "MISSING" if is_made else f"default_{one.name}" if one.default is not MISSING else ""
        if one.init:
            given += ["*"] if one.kw_only and "*" not in given else []
            given.append(f"{one.name}={default}" if default else one.name)
        if one.init or default:
            value = one.name if one.init else default
            make = f"make_{one.name}()" + (f" if {value} is MISSING else {value}" if one.init else "")
            lines.append(f"SET(self, {one.name!r}, {make if is_made else value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def {name}({', '.join(given)}): {'; '.join(lines)}", known)  # noqa: S102 - of names of fields alone
    return known[name]


def _of_twin(cls: Any, name: str) -> Any:  # noqa: ANN401 - a method
    """The method that the library makes for a class with these fields."""
    rows = {one.name: one for one in fields(cls)}
    twin = type(cls.__name__, (), {"__annotations__": {row: one.type for row, one in rows.items()}, **rows})
    wanted = {"repr": name == "__repr__", "eq": name == "__eq__", "unsafe_hash": name == "__hash__"}
    return vars(whole(twin, init=False, **wanted))[name]


def _refuse(_: object, name: str, *__: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[Any]:  # noqa: ANN401 - of any class
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:  # noqa: ANN401 - of any class
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
