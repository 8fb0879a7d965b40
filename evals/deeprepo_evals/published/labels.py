"""The labels of ReviewBench: its own golden files and its list of the test set, or files with the same in other words."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bot.errors import UsageError
from deeprepo_evals.published.sets import Comment, Pull

LISTS = ("corpus/manifest.json",)  # of a clone: the pull requests with title and body
WORDS = {"diff-plus-related-files": "related files", "broader-project-context": "broader"}
_HOST = "https://github.com/"


def _short(word: str) -> str:
    """A word of the set's own files, as ours have it."""
    return WORDS.get(word, word.removesuffix("-by-pr"))


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Label(_Form):
    file: str
    start: int = Field(validation_alias=AliasChoices("start", "start_line"))
    end: int = Field(validation_alias=AliasChoices("end", "end_line"))
    what: str = Field(validation_alias=AliasChoices("what", "message"))
    verdict: Literal["tp", "fp"] = Field(
        "tp", validation_alias=AliasChoices("verdict", "tp_fp")
    )  # the test set lists true ones
    severity: str = ""
    context: Annotated[str, AfterValidator(_short)] = Field(
        "", validation_alias=AliasChoices("context", "context_required")
    )
    scope: Annotated[str, AfterValidator(_short)] = ""
    side: str = "head"

    def comment(self, at: int) -> Comment:
        """The label as a known comment."""
        side = "left" if self.side == "base" else ""
        return Comment(
            self.what,
            self.context,
            path=self.file,
            start=self.start,
            end=self.end,
            side=side,
            severity=self.severity,
            scope=self.scope,
            at=at,
        )


class _Identity(_Form):
    """Which pull request, as every form of the set says it."""

    repo: Annotated[str, BeforeValidator(lambda told: str(told).removeprefix(_HOST))] = Field(
        pattern=r"^[^/\s]+/[^/\s]+$"
    )
    number: int = Field(validation_alias=AliasChoices("number", "pr_number"))
    base: str = Field(validation_alias=AliasChoices("base", "base_sha"))
    head: str = Field(validation_alias=AliasChoices("head", "head_sha"))
    title: str | None = None
    body: str | None = None

    @property
    def key(self) -> str:
        """By which the set's own lists name it."""
        return f"{self.repo.replace('/', '_')}_{self.number}-{self.head[:8]}"

    def pull(self, labels: Sequence[_Label]) -> Pull:
        """The pull request with what is known of it."""
        known = [(label.verdict, label.comment(at)) for at, label in enumerate(labels)]
        return Pull(
            f"{_HOST}{self.repo}/pull/{self.number}",
            self.title or "",
            self.body or "",
            self.base,
            self.head,
            tuple(comment for verdict, comment in known if verdict == "tp"),
            tuple(comment for verdict, comment in known if verdict == "fp"),
        )


class _Labelled(_Form):
    findings: tuple[_Label, ...]


def read(folder: Path) -> tuple[Pull, ...]:
    """Every pull request of a clone of the benchmark, or of a folder or file of labels. Raises UsageError."""
    golden = folder / "golden"
    place = golden if golden.is_dir() else folder
    paths = [*(folder / name for name in LISTS), *(sorted(place.glob("*.json")) if place.is_dir() else [place])]
    identities: dict[str, _Identity] = {}
    labels: dict[str, tuple[_Label, ...]] = {}
    for path in (path for path in paths if path.is_file()):
        try:
            for identity, key, found in _rows(json.loads(path.read_bytes())):
                if identity is not None:
                    identities[key] = identities.get(key, identity) if identity.title is None else identity
                if found is not None:
                    labels[key] = found
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise UsageError(f"{path} does not hold labels of ReviewBench: {where}: {first['msg']}") from None
        except (ValueError, TypeError, OSError) as error:
            raise UsageError(f"{path} does not hold labels of ReviewBench: {error}") from None
    if lost := sorted(labels.keys() - identities.keys()):
        raise UsageError(
            f"{folder} does not say which commits {lost[0]} is about: give the list of pull requests beside it"
        )
    if not labels:
        raise UsageError(f"{folder} holds no labels of ReviewBench: name its clone, or a folder of its golden files")
    return tuple(identities[key].pull(found) for key, found in labels.items())


def _rows(data: object) -> Iterator[tuple[_Identity | None, str, tuple[_Label, ...] | None]]:
    """What a file says: which pull requests there are, and what is known of them."""
    if isinstance(data, list):
        for row in data:
            identity = _Identity.model_validate(row)
            yield identity, identity.key, None
    elif not isinstance(data, dict):
        raise TypeError("it is neither a list nor an object")
    elif "findings" in data:
        identity = _Identity.model_validate({**data, **data.get("pr", {})})
        yield identity, identity.key, _Labelled.model_validate(data).findings
    else:
        for key, rows in data.items():
            yield None, key, _Labelled.model_validate({"findings": rows}).findings
