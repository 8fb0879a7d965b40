"""The defaults of an organization: a file of the same form in the owner's `.deeprepo` repository, below each repository's own.

Setting by setting, the repository's own value is the stronger one. A list that is empty unless somebody writes it (`ignore`, `rules`,
`learnings`, `checks`, `instructions`, `consumers`) has the entries of both; `[]` leaves the organization's out. What the organization
names in `enforce` cannot be loosened: of both values the stricter holds, by the rule that the setting is declared with.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel

from bot.config import stricter
from bot.config.defaults import DEFAULTS
from bot.config.names import FILE
from bot.config.repository import MOST_CHECKS, RepoConfig, Triggers, declared_rules, read, rules, written_as
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.values import OrganizationFile

LISTS = frozenset(name for name, value in DEFAULTS.items() if value == ())  # whose entries come from both files
SECTIONS = ("models", "budget", "triggers")  # whose keys are settings of their own
PLAIN = (bool, int, float, NoneType)


@dataclass(frozen=True, slots=True)
class SharedDefaults:
    """What an organization's file sets. `source` names it; `bound_names` has the settings that no repository loosens, as the file writes them."""

    source: str
    file: RepoConfig = field(default_factory=RepoConfig)
    bound_names: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    def is_enforced(self, name: str) -> bool:
        """Whether a setting, by its name in `DEFAULTS`, cannot be loosened."""
        return written_as(name) in self.bound_names

    def hold(self, name: str, own: Any, ours: Any) -> Any:  # noqa: ANN401 - of any setting
        """The value that holds of an enforced setting. `ours`: the organization's."""
        rule = declared_rules()[name]
        return ours if rule is stricter.BASE else rule.pick(own, ours)

    def combine(self, name: str, own: Any, ours: Any) -> Any:  # noqa: ANN401 - of any setting
        """The value of both files, where both have one."""
        if name == "run":
            return type(own)(**{**ours.model_dump(exclude_unset=True), **own.model_dump(exclude_unset=True)})
        if name not in LISTS:
            return own
        if name == "ignore":  # the last pattern that takes a file decides: it is the repository's
            return (*ours, *own)
        entries = own if name != "checks" else (*own, *(row for row in ours if row[0] not in {one[0] for one in own}))
        return tuple(dict.fromkeys((*entries, *(ours if name != "checks" else ()))))

    def triggers(self, own: "Triggers | None", source: str) -> tuple["Triggers | None", Mapping[str, str]]:
        """The triggers of both files, and where each that is set comes from."""
        ours, theirs = _written(self.file.triggers), _written(own)
        if not ours and own is None:
            return None, {}
        origins = {**dict.fromkeys(ours, self.source), **dict.fromkeys(theirs, source)}
        return Triggers(**{**ours, **theirs}), origins

    def bounds(self, triggers: "Triggers | None") -> tuple[tuple[str, "Triggers"], ...]:
        """The triggers that have to be met beside those of both files, with the file that enforces them."""
        own, ours = triggers or Triggers(), self.file.triggers
        names = [name for name in rules(Triggers) if f"triggers.{name}" in self.bound_names]
        if not names:
            return ()
        bounds = {
            name: getattr(ours, name) if rule is stricter.EACH else rule.pick(getattr(own, name), getattr(ours, name))
            for name, rule in rules(Triggers).items()
            if name in names
        }
        return ((self.source, own.model_copy(update=bounds)),)


def read_defaults(organization: "OrganizationFile | None") -> SharedDefaults | None:
    """What the organization's file sets. What is wrong with it costs a sentence; nothing of a text that may not be shown is in one."""
    if organization is None:
        return None
    source = f"{FILE} of {organization.repository}"
    if organization.problem:
        return SharedDefaults(source, warnings=(f"{source} is not used: {organization.problem}.",))
    try:
        file, warnings = read(organization.text.encode(), source)
    except ConfigError as error:
        why = (
            str(error)
            if organization.is_shown
            else f"{source}: it has errors, which `deeprepo config` in a clone of it shows"
        )
        return SharedDefaults(source, warnings=(f"{why}; the repository's own settings hold alone",))
    names = tuple(_names(file))
    bound = frozenset(name for name in names for each in file.enforce if name == each or name.startswith(f"{each}."))
    missing = [each for each in file.enforce if not any(name == each or name.startswith(f"{each}.") for name in names)]
    if not organization.is_shown:
        plain_file = _without_texts(file)
        left_out = sorted({*names} - {*_names(plain_file)})
        return SharedDefaults(source, plain_file, bound & {*_names(plain_file)}, tuple(_hidden(source, left_out)))
    unknown = (f"{source}: enforce: {each} is not set in this file, so nothing of it is enforced" for each in missing)
    return SharedDefaults(source, file, bound, (*warnings, *unknown))


def _hidden(source: str, names: list[str]) -> Iterator[str]:
    if names:
        yield (
            f"{source} is private and this repository is public: what it says in words of its own does not hold here "
            f"({', '.join(names)}); its numbers, switches and levels do"
        )


def _names(file: RepoConfig) -> Iterator[str]:
    """The settings that a file has, as it writes them: `budget.usd`."""
    for name in (each for each in RepoConfig.model_fields if each in file.model_fields_set and each != "enforce"):
        if name in SECTIONS:
            yield from (f"{name}.{key}" for key in sorted(getattr(file, name).model_fields_set))
        else:
            yield name


def _written(section: BaseModel | None) -> dict[str, Any]:
    return {name: getattr(section, name) for name in section.model_fields_set} if section is not None else {}


def _without_texts(file: RepoConfig) -> RepoConfig:
    """The file without what a person wrote in words of their own: numbers, switches and words of a fixed set remain."""
    return RepoConfig(**_plain_values(file))


def _plain_values(section: BaseModel) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in _written(section).items():
        if isinstance(value, BaseModel):
            inner = _plain_values(value)
            if inner:
                values[name] = inner
        elif _is_closed(type(section).model_fields[name].annotation):
            values[name] = value
    return values


def _is_closed(form: Any) -> bool:  # noqa: ANN401 - a type's own form
    """Whether a type has no value that somebody could put a text of their own into."""
    origin, parts = get_origin(form), [each for each in get_args(form) if each is not ...]
    if origin is Literal or form in PLAIN:
        return True
    if origin is Annotated:
        return _is_closed(parts[0])
    return origin is not None and bool(parts) and all(map(_is_closed, parts))


def too_many_checks(checks: tuple[Any, ...]) -> tuple[tuple[Any, ...], str]:
    """The checks that one review asks, and a sentence about the others."""
    others = [row[0] for row in checks[MOST_CHECKS:]]
    why = f"a review asks {MOST_CHECKS} checks at most; not asked: {', '.join(others)}"
    return checks[:MOST_CHECKS], why if others else ""
