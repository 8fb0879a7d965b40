"""The files of cases, and of finished runs, as others write them: read with pydantic, handed on as values."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from bot.errors import UsageError
from deeprepo_evals.results import Row
from deeprepo_evals.reviews.cases import PAIRED, Case, Defect, Edit, Proof, Recipe, Span, Variant
from deeprepo_evals.reviews.outcome import EXPERIMENT, MeasuredReview, Outcome

Form = TypeVar("Form")
VARIANTS: tuple[Variant, ...] = ("bad", "good")


class _Benchmark(BaseModel):
    pr: str = ""


class PlainCase(BaseModel):
    """A case: commits, a recipe, or edits over a commit."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = Field(min_length=1, pattern=r"^[\w.+@-]+$")
    kind: str = Field(min_length=1)
    repo: str
    clone_from: str = ""
    base_sha: str = Field(pattern=r"^[0-9a-f]{40}$")
    head_sha: str | None = Field(default=None, pattern=r"^[0-9a-f]{40}$")
    recipe: Recipe | None = None
    pr: tuple[Edit, ...] = ()
    title: str = ""
    body: str | None = None
    date: str = Field(default="2026-01-01", pattern=r"^\d{4}-\d\d-\d\d$")
    language: str = ""
    tree_files: int = 0
    benchmark: _Benchmark = _Benchmark()
    defects: tuple[Defect, ...] = ()

    def cases(self) -> Iterator[Case]:
        """The case as a value."""
        if not (self.head_sha or self.recipe or self.pr):
            raise ValueError("it names no head: give head_sha, recipe or pr")
        yield Case(
            id=self.id,
            kind=self.kind,
            clone=self.clone_from or self.repo,
            base=self.base_sha,
            head=self.head_sha or "",
            recipe=self.recipe,
            change=self.pr,
            title=self.title,
            body="" if self.kind == "martian" and self.body is None else self.body,
            date=self.date,
            language=self.language,
            files=self.tree_files,
            defects=self.defects,
            url=self.benchmark.pr,
        )


class _Place(BaseModel):
    file: str
    line: int
    description: str


class TwinCase(BaseModel):
    """A twin: the same change in a tree that it breaks and in one that tolerates it. A large one adds to a real pull request."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = Field(min_length=1, pattern=r"^[\w.+@-]+$")
    repo: str
    kind: str = PAIRED[0]
    scope: str = "cross-file"
    base_sha: str = Field(pattern=r"^[0-9a-f]{40}$")
    head_sha: str = Field(default="", pattern=r"^([0-9a-f]{40})?$")
    language: str = ""
    title: str
    body: str = ""
    before: tuple[Edit, ...] = ()
    pr: tuple[Edit, ...]
    bad: tuple[Edit, ...]
    good: tuple[Edit, ...]
    defect: _Place
    evidence: tuple[Proof, ...] = ()
    traps: tuple[Proof, ...] = ()

    def cases(self) -> Iterator[Case]:
        """Both variants, with the same label: on the good one it must not be reported."""
        at = Span(self.defect.file, self.defect.line, self.defect.line)
        proof = tuple(dict.fromkeys(item.file for item in self.evidence))
        defect = Defect(
            self.defect.description, (at,), self.scope, "high", "", evidence_files=proof, evidence=self.evidence
        )
        for variant in VARIANTS:
            yield Case(
                id=f"{self.id}/{variant}",
                kind=self.kind,
                clone=self.repo,
                base=self.base_sha,
                head=self.head_sha,
                around=self.bad if variant == "bad" else self.good,
                before=self.before,
                change=self.pr,
                title=self.title,
                body=self.body,
                language=self.language,
                defects=(defect,),
                traps=self.traps,
                variant=variant,
            )


_PLAIN, _TWIN = TypeAdapter(PlainCase), TypeAdapter(TwinCase)
_CASE, _OUTCOME = TypeAdapter(Case), TypeAdapter(Outcome)


def read(data: bytes, path: Path) -> PlainCase | TwinCase:
    """A file of either form. Raises UsageError with the first thing that is wrong in it."""
    form = _TWIN if path.parent.name in PAIRED else _PLAIN
    try:
        found = form.validate_json(data)
        list(found.cases())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(f"{path.name} is not a case: {where}: {first['msg']}") from None
    except ValueError as error:
        raise UsageError(f"{path.name} is not a case: {error}") from None
    return found


def case(row: Mapping[str, Any]) -> Case:
    """The case of a finished row."""
    return _validate(_CASE, row, "case")


def outcome(row: Mapping[str, Any]) -> Outcome:
    """The outcome of a finished row."""
    return _validate(_OUTCOME, row, "outcome")


def read_rows(rows: Sequence[Row]) -> list[MeasuredReview]:
    """Finished rows as values. Raises UsageError where a row is not what this version writes."""
    mine = [row for row in rows if row.experiment == EXPERIMENT]
    return [
        MeasuredReview(case(row.result), row.item["reviewer"], row.item["round"], outcome(row.result)) for row in mine
    ]


def _validate(form: TypeAdapter[Form], row: Mapping[str, Any], name: str) -> Form:
    try:
        return form.validate_python(row.get(name))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, (name, *first["loc"])))
        raise UsageError(f"a result of `deeprepo eval reviews` cannot be read: {where}: {first['msg']}") from None
