"""The repository's own file, as its owner writes it: .deeprepo.yml of the base branch."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from bot.config import forms, yaml_text
from bot.config.defaults import ALL, CLAIMS, DEFAULTS, FILE_FIELDS, OLD_LISTS, SETTING_FIELDS, IgnoreItem, Instruction
from bot.config.names import FILE, MOST_SENTENCE
from bot.config.owner_file import Problem
from bot.errors import ConfigError
from bot.values.finding import CATEGORIES, CODE_CATEGORIES
from deeprepo.rlm.values import COMMAND

NAMED_PROBLEMS = 12  # problems of one file that one error names
FINGERPRINT = r"(?:[0-9a-f]{16}|[0-9a-f]{32})?"
MOST_ASKED = 600  # characters of an instruction that has to be answered
FINDING_KINDS = (*CATEGORIES, *CODE_CATEGORIES, CLAIMS, ALL)
DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class RepoFile:
    """What a file sets: values by the names of `DEFAULTS`, "triggers.drafts" and the like, and of a section the keys that it has.

    `about_itself`: what it says of itself, by the names of `FILE_FIELDS`.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    about_itself: Mapping[str, Any] = field(default_factory=dict)


def check(text: bytes, *, strict: bool = True) -> tuple[RepoFile, tuple[Problem, ...]]:
    """Return the repository's file, and all that is wrong with it. If a problem is fatal, the settings are the defaults.

    An unknown key is fatal (`strict`): under its right name it might be the bar that somebody relies on.
    """
    try:
        node, data = yaml_text.load(text.decode())
    except ValueError as error:
        return RepoFile(), (Problem(*yaml_text.fault(error)),)
    if data is None:
        return RepoFile(), ()
    if not isinstance(data, dict):
        return RepoFile(), (Problem(1, "must hold `key: value` lines at its top"),)
    try:
        settings = forms.repository().model_validate(data)
        problems = tuple(_unusable(node, settings))
    except ValidationError as error:
        settings = None
        problems = tuple(
            Problem(
                yaml_text.line_of(node, item["loc"]), f"{'.'.join(map(str, item['loc']))}: {yaml_text.sentence(item)}"
            )
            for item in error.errors()
        )
    twice = (Problem(line, sentence, fatal=False) for line, sentence in yaml_text.duplicates(node))
    file = RepoFile() if settings is None else _what_it_sets(settings)
    return file, (*problems, *_unknown(node, forms.repository(), fatal=strict), *twice)


def _what_it_sets(file: Any) -> RepoFile:  # noqa: ANN401 - a model that is made of the settings
    values: dict[str, Any] = {}
    for each in SETTING_FIELDS:
        part = getattr(file, each.metadata["section"]) if each.metadata["section"] else file
        value = getattr(part, each.name)
        if each.name not in part.model_fields_set or value is None:
            continue
        names = value if isinstance(value, (tuple, list)) else (value,)
        if each.metadata["section"] == "models" and any(str(one).startswith(COMMAND) for one in names):
            continue  # a file of a repository starts no program
        if isinstance(value, BaseModel):
            value = value.model_dump(exclude_unset=True)
        elif each.metadata["entries"]:
            value = tuple(each.metadata["entries"](**entry.model_dump()) for entry in value)
        if value != () or each.default == ():
            values[each.name] = value
    for name, (_, into) in OLD_LISTS.items():
        if name in file.model_fields_set:
            old_rows = tuple(_renewed(name, entry) for entry in getattr(file, name))
            values[into] = (*values.get(into, ()), *old_rows)
    triggers = {f"triggers.{name}": getattr(file.triggers, name) for name in file.triggers.model_fields_set}
    return RepoFile({**values, **triggers}, {each.name: getattr(file, each.name) for each in FILE_FIELDS})


def _renewed(name: str, entry: Any) -> IgnoreItem | Instruction:  # noqa: ANN401 - an entry of one of the old lists
    """Return an entry of an old list as an entry of the list that replaced it."""
    if name == "checks":
        return Instruction(path=entry.paths, text=entry.ask, must=entry.severity, name=entry.name)
    if name == "learnings":
        return IgnoreItem(path=entry.path, kind=CLAIMS, symbol=entry.symbol, reason=entry.text)
    return IgnoreItem(path=entry.path, kind=entry.kind, reason=entry.text)


def in_new_form(text: bytes) -> str:
    """Return what the owner of a file may write in the place of its old lists; "" if it has none."""
    try:
        data = yaml_text.data(text.decode())
        settings = forms.repository().model_validate(data)
    except ValueError:
        return ""
    if not (isinstance(data, dict) and OLD_LISTS.keys() & data.keys()):
        return ""
    lists: dict[str, list[Any]] = {into: list(data.get(into) or ()) for into in ("ignore", "instructions")}
    for name, (_, into) in OLD_LISTS.items():
        lists[into] += [as_entry(_renewed(name, entry)) for entry in getattr(settings, name)]
    return yaml_text.file({name: entries for name, entries in lists.items() if entries})


def as_entry(item: IgnoreItem | Instruction) -> dict[str, Any]:
    """Return an entry of a list as a person writes it in the file."""
    entry = {name: value for name, value in asdict(item).items() if value not in ("", (), "no")}
    if len(paths := entry.get("path", ())) == 1 and not isinstance(paths, str):
        entry["path"] = paths[0]
    return {
        key: list(value) if isinstance(value, tuple) else True if value == "fail" else value
        for key, value in entry.items()
    }


def read(text: bytes, name: str = FILE, *, strict: bool = True) -> tuple[RepoFile, tuple[str, ...]]:
    """Return the repository's file and warnings. Raises ConfigError with the lines."""
    file, problems = check(text, strict=strict)
    sorted_problems = sorted(problems, key=lambda problem: problem.line or 0)
    sentences = tuple(f"{yaml_text.place(name, each.line)}: {each.sentence}" for each in sorted_problems)
    if any(each.fatal for each in problems):
        raise ConfigError("; ".join(sentences[:NAMED_PROBLEMS]))
    return file, sentences


def _unusable(node: yaml.Node | None, settings: Any) -> Iterator[Problem]:  # noqa: ANN401 - as above
    """Names that fit their form and that nobody knows: a model without its provider, a check, a lens, a category; a name that stands twice."""

    def problem(place: Sequence[str | int], sentence: str) -> Problem:
        return Problem(yaml_text.line_of(node, place), f"{'.'.join(map(str, place))}: {sentence}", fatal=False)

    yield from _unusable_entries(node, settings)
    for role in ("root", "worker"):
        wrong = _wrong_model(getattr(settings.models, role))
        if wrong:
            yield problem(("models", role), wrong)
    for at, model in enumerate(settings.models.readers or ()):
        if wrong := _wrong_model(model):
            yield problem(("models", "readers", at), wrong)
    for name in ("analyzers", "lenses"):
        for at, one in enumerate(getattr(settings, name) or ()):
            if one not in DEFAULTS[name]:
                yield problem((name, at), f"{one} is not known and not used{_near_miss(one, DEFAULTS[name])}")


def _unusable_entries(node: yaml.Node | None, settings: Any) -> Iterator[Problem]:  # noqa: ANN401 - as above
    """What is wrong with the entries of lists: what one lacks is fatal, a kind that nobody knows or a second name is not."""

    def problem(key: str, at: int, sentence: str, *within: str, fatal: bool = False) -> Problem:
        place: tuple[str | int, ...] = (key, at, *within)
        return Problem(yaml_text.line_of(node, place), f"{'.'.join(map(str, place))}: {sentence}", fatal=fatal)

    for key in ("checks", "instructions"):
        names = [one.name for one in getattr(settings, key)]
        for at in (index for index, name in enumerate(names) if name and name in names[:index]):
            yield problem(key, at, f"{names[at]} is the name of another one; the first one counts", "name")
    for key in ("rules", "ignore"):
        for at, kind in enumerate(one.kind for one in getattr(settings, key)):
            if kind and kind not in FINDING_KINDS and get_close_matches(kind, FINDING_KINDS, 1):
                yield problem(key, at, f"{kind} is no category of findings{_near_miss(kind, FINDING_KINDS)}", "kind")
    for key in ("ignore", "instructions"):
        for at, entry in enumerate(getattr(settings, key)):
            why = next((sentence for is_wrong, sentence in WRONG[key] if is_wrong(entry)), "")
            if why:
                yield problem(key, at, why, fatal=True)


def _is_no_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return bool(text)
    return False


WRONG: Mapping[str, Sequence[tuple[Callable[[Any], bool], str]]] = {  # what an entry lacks, or has for nothing
    "ignore": (
        (lambda entry: not entry.path and not entry.finding, "name a path or a finding"),
        (lambda entry: bool(entry.kind and entry.finding), "name a kind or a finding, not both"),
        (lambda entry: (entry.kind == CLAIMS or entry.finding) and not entry.reason.strip(), "say why, as its reason"),
        (
            lambda entry: entry.kind == CLAIMS and len(entry.reason) > MOST_SENTENCE,
            f"its reason has at most {MOST_SENTENCE} characters",
        ),
        (lambda entry: bool(entry.symbol) and entry.kind != CLAIMS, "a symbol needs `kind: claims`"),
        (
            lambda entry: not re.fullmatch(FINGERPRINT, entry.finding),
            "its finding is no fingerprint: copy the 16 or 32 characters behind a finding's source",
        ),
        (lambda entry: _is_no_day(entry.expires), "expires is a day, such as 2027-01-31"),
    ),
    "instructions": (
        (
            lambda entry: entry.must != "no" and len(entry.text) > MOST_ASKED,
            f"what must hold has at most {MOST_ASKED} characters",
        ),
    ),
}


def _wrong_model(model: str | None) -> str:
    """What is wrong with the name of a model, "" if nothing is."""
    if model is not None and model.strip().startswith(COMMAND):
        return f"{model} is not used: only who runs deeprepo can name a command, with --root, --worker, DEEPREPO_ROOT or DEEPREPO_WORKER"
    if model is None or all(model.partition("/")[::2]):
        return ""
    return f"{model} names no provider: write provider/model, such as openai/{model.strip('/')}"


def _near_miss(word: str, words: Sequence[str]) -> str:
    near = get_close_matches(word, words, 1)
    return f"; did you mean {near[0]}?" if near else f" (known: {', '.join(words)})"


def _unknown(node: yaml.Node | None, form: Any, prefix: str = "", *, fatal: bool) -> Iterator[Problem]:  # noqa: ANN401 - a type
    """Each key that the form has no field for, in sections and in the entries of lists too."""
    form = get_args(form)[0] if get_origin(form) is Annotated else form
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            for arg in get_args(form):
                yield from _unknown(item, arg, prefix, fatal=fatal)
    elif isinstance(node, yaml.MappingNode) and isinstance(form, type) and issubclass(form, BaseModel):
        for key, value in node.value:
            field = form.model_fields.get(key.value)
            if field is not None:
                yield from _unknown(value, field.annotation, f"{prefix}{key.value}.", fatal=fatal)
                continue
            near = _near_miss(str(key.value), list(form.model_fields))
            yield Problem(key.start_mark.line + 1, f"unknown key {prefix}{key.value!s}{near}", fatal=fatal)


def json_schema() -> str:
    """Return the JSON Schema of the file, for editors. It takes what the reader takes."""
    document = {"$schema": DIALECT, **forms.repository().model_json_schema()}
    document |= {"title": FILE, "description": f"The settings of a repository, in {FILE} on its base branch."}
    return json.dumps(_close(document), indent=2) + "\n"


def _close(part: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same with no room for unknown keys, and without the names that pydantic makes up for every field."""
    if isinstance(part, list):
        return [_close(item) for item in part]
    if not isinstance(part, dict):
        return part
    keys = part.get("properties")
    inner = {name: _close(value) for name, value in part.items() if name != "properties"}
    if keys is not None:
        inner["properties"] = {
            name: {key: value for key, value in _close(row).items() if key != "title"} for name, row in keys.items()
        }
        inner["additionalProperties"] = False
    return inner
