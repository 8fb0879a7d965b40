"""Read and check a repository's settings file, `.deeprepo.yml` on the base branch."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter

from bot.config import yaml_text
from bot.config.defaults import (
    ALL,
    ANALYZERS,
    CLAIMS,
    DEFAULTS,
    SECTION_OF,
    THRESHOLD_KEYS,
    IgnoreItem,
    Instruction,
    SettingsFile,
)
from bot.config.names import FILE, MOST_SENTENCE
from bot.config.problem import Problem
from bot.config.removed import REMOVED_CHECKS
from bot.config.usable import Mistake, TooManyMistakesError, UsableFile
from bot.values.finding import CATEGORIES, CODE_CATEGORIES
from deeprepo.rlm.values import COMMAND

CORRECT_IT = ". Correct the file on the base branch"
NAMED_PROBLEMS = 20  # mistakes per file that get a sentence each; the others are counted
FINGERPRINT = r"(?:[0-9a-f]{16}|[0-9a-f]{32})?"
MOST_ASKED = 600  # characters in the text of a requirement
FINDING_KINDS = (*CATEGORIES, *CODE_CATEGORIES, CLAIMS, ALL)
DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class RepoFile:
    """The settings in a file.

    `values` maps the names in `DEFAULTS`, and names such as "triggers.drafts", to values. `run` is a mapping
    with only the keys that the file sets.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    enforced: tuple[str, ...] = ()  # the keys in `enforce`
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # the warnings that may affect whether the check passes


def check(text: bytes) -> tuple[RepoFile, tuple[Problem, ...]]:
    """Return the file's settings, and every mistake in it.

    A part with a mistake is skipped, and the rest of the file applies.
    """
    try:
        node, data = yaml_text.load(text.decode())
        if data is None:
            return RepoFile(), ()
        if not isinstance(data, dict):
            return RepoFile(), (_unusable_file(1, "the file must consist of `key: value` lines"),)
        file = UsableFile(node, data)
        settings = file.settings()
        while file.note(_mistakes(settings)):
            settings = file.settings()
    except TooManyMistakesError as error:
        return RepoFile(), (_unusable_file(None, str(error)),)
    except ValueError as error:
        return RepoFile(), (_unusable_file(*yaml_text.fault(error)),)
    twice = (
        Problem(line, sentence, about=key, fatal=False, may_set_threshold=key in THRESHOLD_KEYS)
        for line, key, sentence in yaml_text.duplicates(node)
    )
    return RepoFile(_what_it_sets(settings, file.data), settings.enforce), (*file.problems, *twice)


def _unusable_file(line: int | None, sentence: str) -> Problem:
    return Problem(line, f"{sentence}; nothing in this file applies", may_set_threshold=True)


def _what_it_sets(file: SettingsFile, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the valid settings that the file sets, without those that it leaves at their defaults."""
    values: dict[str, Any] = {}
    for name in DEFAULTS:
        section = SECTION_OF.get(name, "")
        if name in (data.get(section, {}) if section else data):
            values[name] = getattr(getattr(file, section) if section else file, name)
    if file.run is not None and "run" in values:
        values["run"] = {name: value for name, value in asdict(file.run).items() if name in data["run"]}
    triggers = asdict(file.triggers)
    return values | {f"triggers.{name}": triggers[name] for name in data.get("triggers", {}) if name in triggers}


def as_entry(item: IgnoreItem | Instruction) -> dict[str, Any]:
    """Return an entry of a list as a person writes it in the file."""
    entry = {name: value for name, value in asdict(item).items() if value not in ("", (), "no")}
    if len(paths := entry.get("path", ())) == 1 and not isinstance(paths, str):
        entry["path"] = paths[0]
    return {
        key: list(value) if isinstance(value, tuple) else True if value == "fail" else value
        for key, value in entry.items()
    }


def read(text: bytes, name: str = FILE) -> RepoFile:
    """Return the file's settings, with a warning for each mistake, in line order.

    `name` is the file's name.
    """
    file, problems = check(text)
    in_order = sorted(problems, key=lambda problem: problem.line or 0)

    def sentences(problems: Sequence[Problem]) -> tuple[str, ...]:
        named = tuple(
            f"{yaml_text.place(name, each.line)}: {each.sentence}" + (CORRECT_IT if each.fatal and name == FILE else "")
            for each in problems[:NAMED_PROBLEMS]
        )
        more = len(problems) - len(named)
        return (*named, f"{name}: there are {more} more mistakes like these") if more > 0 else named

    return replace(
        file, warnings=sentences(in_order), doubts=sentences([each for each in in_order if each.may_set_threshold])
    )


def _mistakes(settings: SettingsFile) -> Iterator[Mistake]:
    """Yield the mistakes that types don't catch, such as a model without a provider, or an unknown check."""
    yield from _mistakes_in_entries(settings)
    for role in ("root", "worker"):
        if wrong := _wrong_model(getattr(settings.models, role)):
            yield Mistake(("models", role), wrong)
    for at, model in enumerate(settings.models.readers):
        if wrong := _wrong_model(model):
            yield Mistake(("models", "readers", at), wrong)
    for at, one in enumerate(settings.analyzers):
        if one not in ANALYZERS and one not in REMOVED_CHECKS:
            yield Mistake(("analyzers", at), f"{one} is unknown{_did_you_mean(one, ANALYZERS)}")


def _mistakes_in_entries(settings: SettingsFile) -> Iterator[Mistake]:
    """Yield the mistakes in list entries.

    An entry with an unknown category or a repeated name still applies. All others are skipped.
    """
    for key in ("ignore", "instructions"):
        for at, entry in enumerate(getattr(settings, key)):
            why = next((sentence for is_wrong, sentence in WRONG[key] if is_wrong(entry)), "")
            if why:
                yield Mistake((key, at), why)
    names = [one.name for one in settings.instructions]
    for at in (index for index, name in enumerate(names) if name and name in names[:index]):
        sentence = f"{names[at]} is the name of another one; the first one counts"
        yield Mistake(("instructions", at, "name"), sentence, is_left_out=False)
    for at, kind in enumerate(one.kind for one in settings.ignore):
        if kind and kind not in FINDING_KINDS and get_close_matches(kind, FINDING_KINDS, 1):
            sentence = f"{kind} is not a category of findings{_did_you_mean(kind, FINDING_KINDS)}"
            yield Mistake(("ignore", at, "kind"), sentence, is_left_out=False)


def _is_invalid_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return bool(text)
    return False


# Conditions under which an entry is invalid, with the sentence about it.
WRONG: Mapping[str, Sequence[tuple[Callable[[Any], bool], str]]] = {
    "ignore": (
        (lambda entry: not entry.path and not entry.finding, "give a path or a finding"),
        (lambda entry: bool(entry.kind and entry.finding), "give a kind or a finding, not both"),
        (lambda entry: (entry.kind == CLAIMS or entry.finding) and not entry.reason.strip(), "give a reason"),
        (
            lambda entry: entry.kind == CLAIMS and len(entry.reason) > MOST_SENTENCE,
            f"the reason may have at most {MOST_SENTENCE} characters",
        ),
        (lambda entry: bool(entry.symbol) and entry.kind != CLAIMS, "a symbol needs `kind: claims`"),
        (
            lambda entry: not re.fullmatch(FINGERPRINT, entry.finding),
            "`finding` is not a finding ID. Copy the whole ID after `id` in the terminal output",
        ),
        (lambda entry: _is_invalid_date(entry.expires), "`expires` must be a date such as 2027-01-31"),
    ),
    "instructions": (
        (
            lambda entry: entry.must != "no" and len(entry.text) > MOST_ASKED,
            f"the text of a requirement may have at most {MOST_ASKED} characters",
        ),
    ),
}


def _wrong_model(model: str | None) -> str:
    """Return what is wrong with a model's name, or ""."""
    if model is not None and model.strip().startswith(COMMAND):
        return f"{model}: only the person who runs deeprepo can use a command as a model, with --root, --worker, DEEPREPO_ROOT or DEEPREPO_WORKER"
    if model is None or all(model.partition("/")[::2]):
        return ""
    return f"{model} has no provider. Write provider/model, for example openai/{model.strip('/')}"


def _did_you_mean(word: str, words: Sequence[str]) -> str:
    near = get_close_matches(word, words, 1)
    return f"; did you mean {near[0]}?" if near else f" (known: {', '.join(words)})"


def json_schema() -> str:
    """Return the file's JSON Schema for editors, which accepts the same files as deeprepo."""
    document = {"$schema": DIALECT, **TypeAdapter(SettingsFile).json_schema()}
    document |= {"title": FILE, "description": f"A repository's settings, in {FILE} on the base branch."}
    return json.dumps(_close(document), indent=2) + "\n"


def _close(part: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON Schema with unknown keys forbidden, and without the titles that pydantic adds."""
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
