"""What `deeprepo` takes and returns: frozen values, each of which can be written as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from deeprepo._errors import UsageError

if TYPE_CHECKING:
    from bot.values import Review as _Review
    from bot.values.consumer import ConsumerReport
    from bot.wiring.access import Access

Severity = Literal["critical", "high", "medium", "low"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Model:
    """A model with its own key, address or sampling parameters. If you need none of these, pass the name as a text.

    `name` is "provider/model". By default, `api_key` comes from the environment (`ANTHROPIC_API_KEY` and so on), and `base_url` from
    the environment or the provider. `price` (US dollars per million tokens of input and of output) and `concurrency` (calls in
    flight) override the defaults. The other fields are sent with each request. A field that the provider doesn't support is an
    error. The repr doesn't contain the key, address, body or headers.
    """

    name: str
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = field(default=None, repr=False)
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: str | Sequence[str] = ()
    extra_body: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    price: tuple[float, float] | None = None
    concurrency: int | None = None

    def __post_init__(self) -> None:
        from deeprepo.rlm.values import is_amount

        if self.price is not None and not (len(self.price) == 2 and all(map(is_amount, self.price))):  # noqa: PLR2004 - a pair
            raise UsageError(
                f"price={self.price!r}: give dollars per million tokens of input and of output, such as (0.5, 2)"
            )
        if self.concurrency is not None and (type(self.concurrency) is not int or self.concurrency < 1):
            raise UsageError(f"concurrency={self.concurrency!r}: give a whole number of 1 or more")


@dataclass(frozen=True, slots=True)
class Budget:
    """Hard caps for one run. None means no cap. Each call reserves its maximum cost before it is sent."""

    usd: float | None = 1.0
    tokens: int | None = 2_000_000
    calls: int | None = 1_000
    seconds: float | None = 900.0

    def __post_init__(self) -> None:
        from deeprepo.rlm.values import is_amount

        for each in fields(self):
            amount = getattr(self, each.name)
            if amount is not None and not is_amount(amount):
                raise UsageError(
                    f"the budget's {each.name} is {amount!r}: give a finite number of 0 or more, or None for no cap"
                )


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a run. `usd` is None if a model's price is unknown. `failed_calls` counts every failed attempt."""

    usd: float | None
    calls: int
    failed_calls: int
    input_tokens: int
    output_tokens: int
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote that supports a finding.

    If the line is in another repository, `repository` is its name, `path` begins with that name, and `commit` is the commit that was
    read.
    """

    path: str
    line: int
    quote: str
    side: Literal["head", "base"]
    note: str
    repository: str
    commit: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem that the change causes.

    `verdict` is "proven" (by static analysis), "reproduced" (by a test), "confirmed" (by another model call) or "unproven". `rule` is the
    check's code, or "" for a model's finding. `fingerprint` stays the same in later reviews, even if lines move. If another
    repository breaks, `consumer` is its name.
    """

    path: str
    start: int
    end: int
    severity: Severity
    title: str
    why: str
    consequence: str
    category: str
    rule: str
    source: str
    verdict: Literal["proven", "reproduced", "confirmed", "unproven", "refuted"]
    quote: str
    evidence: tuple[Evidence, ...]
    suggestion: str | None
    trigger: str
    side: Literal["head", "base"]
    fingerprint: str
    consumer: str


@dataclass(frozen=True, slots=True)
class Consumer:
    """A repository that uses this one, and what was found there.

    `takes` lists the lines of its manifests that name packages of this repository. If `state` is "unread", it was not or only
    partly read, and `reason` says why.
    """

    name: str
    state: Literal["checked", "unread", "unrelated"]
    commit: str
    reason: str
    takes: tuple[str, ...]
    uses: int
    breaks: int
    hints: int


@dataclass(frozen=True, slots=True)
class Review:
    """The review of one change.

    `complete` is False if a part of the change could not be checked; `open` lists these parts. `relying` lists locations that depend
    on the change and that static analysis can't judge, and `overlooked` those that it may have forgotten; both don't affect the result.
    `interrupted_by` is "provider" if the model
    provider failed during the review, else "".
    """

    base: str
    head: str
    strategy: str
    summary: str
    findings: tuple[Finding, ...]
    complete: bool
    open: tuple[str, ...]
    relying: tuple[str, ...]
    overlooked: tuple[str, ...]
    interrupted_by: str
    notes: tuple[str, ...]
    consumers: tuple[Consumer, ...]
    cost: Cost
    seconds: float
    _inner: "_Review" = field(repr=False, compare=False)

    def reaching(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings with at least this severity."""
        levels = ("critical", "high", "medium", "low")
        return tuple(finding for finding in self.findings if levels.index(finding.severity) <= levels.index(severity))

    def to_json(self) -> str:
        """Return the review as JSON, like `deeprepo review --format json`. The schema is `docs/review.schema.json`."""
        return self._render("json")

    def to_sarif(self) -> str:
        """Return the findings as SARIF 2.1.0, for code scanning."""
        return self._render("sarif")

    def to_markdown(self) -> str:
        """Return the review as Markdown, as posted on a pull request."""
        return self._render("markdown")

    def _render(self, form: str) -> str:
        from bot.outputs import OUTPUTS

        return OUTPUTS[form]().render(self._inner)


@dataclass(frozen=True, slots=True)
class File:
    """A changed file. `skipped` says why its content was not read, or is "". `test` is True if it contains tests."""

    path: str
    old_path: str | None
    status: Literal["added", "modified", "deleted", "renamed"]
    lines_added: int
    lines_removed: int
    test: bool
    skipped: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method, class or exported name that the change touches.

    `id` is "path:name", as in `Use.definition`. `contract` says what changed for its users ("removed", "renamed", "parameters",
    "declaration", "errors", "value"). It is empty if only the body changed. `before` and `after` are the signatures in the source,
    or None if the definition doesn't exist on that side or has no signature.
    """

    id: str
    path: str
    name: str
    kind: str
    change: Literal["added", "removed", "renamed", "signature", "body"]
    contract: tuple[str, ...]
    line: int
    end: int
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Dependent:
    """A file that imports a changed file. `via` is the file that re-exports the name, or None for a direct import."""

    path: str
    target: str
    names: tuple[str, ...]
    line: int
    via: str | None
    test: bool


@dataclass(frozen=True, slots=True)
class Use:
    """A line outside a changed definition that uses it.

    `function` is the enclosing definition, or "<module>". `sure` is False if only the name matches, so that the line may refer to
    something else. `test` is True if the file contains tests.
    """

    definition: str
    path: str
    line: int
    text: str
    function: str
    form: Literal["call", "import", "definition", "mention"]
    sure: bool
    test: bool


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that the change breaks. `proven` is False for a hint, because a library may still provide the name.

    `lines` contains this line and the other lines in the file that break with it. If the line is in another repository, `consumer` is
    its name and `path` begins with that name.
    """

    path: str
    line: int
    rule: str
    title: str
    why: str
    proven: bool
    consumer: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change affects, found without a model. `notes` says what was not checked, and why."""

    base: str
    head: str
    files: tuple[File, ...]
    definitions: tuple[Definition, ...]
    dependents: tuple[Dependent, ...]
    uses: tuple[Use, ...]
    broken: tuple[Broken, ...]
    consumers: tuple[Consumer, ...]
    notes: tuple[str, ...]

    def uses_of(self, definition: Definition) -> tuple[Use, ...]:
        """Return the uses of a changed definition."""
        return tuple(use for use in self.uses if use.definition == definition.id)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the result as JSON, with the fields as keys."""
        return json.dumps(asdict(self), indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a root: the code that it wrote, and the output.

    `run` is "root", or "root.1" for the first run that it started with `rlm_query`. `error` is None if the code ran to its end.
    """

    run: str
    number: int
    reply: str
    code: str
    output: str
    error: str | None

    def __str__(self) -> str:
        came = (
            f"{len(self.output):,} characters printed" if self.error is None else self.error.strip().rpartition("\n")[2]
        )
        return f"{self.run}, turn {self.number}: {came}"


@dataclass(frozen=True, slots=True)
class Started:
    """The start of a model call. A call of a root starts its turn."""

    run: str
    turn: int
    role: Literal["root", "worker"]
    model: str

    def __str__(self) -> str:
        return f"{self.run}, turn {self.turn}: {self.role} {self.model}: asked"


@dataclass(frozen=True, slots=True)
class Call:
    """A finished model call. `error` says why it failed. `total` is the cost of the question so far."""

    run: str
    turn: int
    role: Literal["root", "worker"]
    model: str
    input_tokens: int
    output_tokens: int
    usd: float | None
    seconds: float
    error: str | None
    total: Cost

    def __str__(self) -> str:
        came = self.error or f"{self.input_tokens:,} + {self.output_tokens:,} tokens in {self.seconds:.1f} s"
        return f"{self.run}, turn {self.turn}: {self.role} {self.model}: {came}; so far {_dollars(self.total)}"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a question.

    `outcome` is "answered", or the reason why the run ended early: "turns" (all turns were used), "budget", "provider", "window" (the
    dialogue no longer fits the model's context window), "declined", or "astray" (the first two turns had no code, or five in a row had
    none or the same result as before). In these cases, `answer` is "" or a partial answer. `value` is the answer as an
    instance of `answer_type`, or None. `by_model` is the cost of each model. `agreed` is how many of the `samples` have this answer.
    """

    answer: str
    outcome: Literal["answered", "turns", "budget", "provider", "window", "declined", "astray"]
    trajectory: tuple[Turn, ...]
    cost: Cost
    notes: tuple[str, ...]
    value: Any = None
    by_model: Mapping[str, Cost] = field(default_factory=dict, hash=False)
    agreed: int = 1
    samples: "tuple[Result, ...]" = ()

    def __str__(self) -> str:
        agreed = f" by {self.agreed} of {len(self.samples)}" if self.samples else ""
        return f"{self.outcome}{agreed}: {self.calls} {'call' if self.calls == 1 else 'calls'}, {_dollars(self.cost)}"

    @property
    def calls(self) -> int:
        """The number of model calls."""
        return self.cost.calls

    def to_json(self) -> str:
        """Return the result as JSON, with the fields as keys. `value` is written as in `answer`."""
        plain = replace(self, samples=(), value=_plain(self))
        samples = [asdict(replace(one, value=_plain(one))) for one in self.samples]
        return json.dumps(asdict(plain) | {"samples": samples}, indent=2) + "\n"


Event = Started | Call | Turn | Result


def _plain(result: Result) -> Any:  # noqa: ANN401 - any JSON value
    return json.loads(result.answer) if result.value is not None else None


def _dollars(cost: Cost) -> str:
    return "price unknown" if cost.usd is None else f"${cost.usd:.4f}"


def consumer(report: "ConsumerReport") -> Consumer:
    """Return what became of a consumer."""
    return copy(Consumer, report, takes=tuple(row.line for row in report.takes))


def names_and_access(*models: Any) -> "tuple[list[str | None], dict[str, Access]]":  # noqa: ANN401 - in any of their forms
    """Return the models' names, and how those are called that have a key, an address, a sampling or a function.

    A function is named after itself, with a number if another one has this name.
    """
    from bot.wiring.access import Access
    from deeprepo.rlm.values import Sampling

    names, found = list[str | None](), dict[str, Access]()
    for model in models:
        if isinstance(model, Model):
            stop = (model.stop,) if isinstance(model.stop, str) else tuple(model.stop)
            sampling = copy(Sampling, model, stop=stop)
            one = Access(model.api_key, model.base_url, sampling, model.price, model.concurrency)
            if found.setdefault(model.name, one) != one:
                raise UsageError(
                    "a model is given twice, with other keys, addresses, prices or sampling: give one of them another name"
                )
            names.append(model.name)
        elif callable(model):
            own, one = f"function:{getattr(model, '__name__', type(model).__name__)}", Access(function=model)
            numbered = (f"{own}-{number}" if number > 1 else own for number in count(1))
            names.append(next(name for name in numbered if found.setdefault(name, one).function is model))
        elif model is None or isinstance(model, str):
            names.append(model)
        else:
            raise UsageError(f"a model is named by a text or a deeprepo.Model, not by {type(model).__name__}")
    return names, found


def caps(budget: float | Budget | None) -> Budget:
    """Return a budget from what was given; a number is dollars, None no cap of any kind."""
    if budget is None:
        return Budget(None, None, None, None)
    return budget if isinstance(budget, Budget) else Budget(usd=budget)


def copy(kind: type[T], value: object, **more: object) -> T:
    """Return a value of this kind with the fields of another one that have the same names."""
    names = [each.name for each in fields(kind) if each.name not in more]  # type: ignore[arg-type]
    return kind(**{name: getattr(value, name) for name in names}, **more)


def cost(values: Any) -> Cost:  # noqa: ANN401 - the engine's own value
    """Return what a run cost."""
    return copy(Cost, values, input_tokens=values.usage.input, output_tokens=values.usage.output)
