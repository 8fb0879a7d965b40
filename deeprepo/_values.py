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
    """A model with a key, an address or a sampling of its own. A model that needs none can be named by its text alone.

    `name` is "provider/model". Without `api_key` the key comes from the environment (`ANTHROPIC_API_KEY` and so on), without
    `base_url` the address too, or it is the provider's own. The rest goes with each request; what a provider has no word for is refused.
    Key, address, body and headers are not part of the repr.
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


@dataclass(frozen=True, slots=True)
class Budget:
    """Hard caps of one run; None means no cap of that kind. What a call can cost at most is reserved before it is sent."""

    usd: float | None = 1.0
    tokens: int | None = 2_000_000
    calls: int | None = 1_000
    seconds: float | None = 900.0

    def __post_init__(self) -> None:
        """Refuse what is no amount."""
        from deeprepo.rlm.values import is_amount

        for each in fields(self):
            amount = getattr(self, each.name)
            if amount is not None and not is_amount(amount):
                raise UsageError(
                    f"the budget's {each.name} is {amount!r}: give a finite number of 0 or more, or None for no cap"
                )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run cost. `usd` is None if the price of a model is unknown. `failed_calls` counts tries: a call that is tried again fails more than once."""

    usd: float | None
    calls: int
    failed_calls: int
    input_tokens: int
    output_tokens: int
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote that bears a finding out.

    Of a line in a repository that uses this one, `repository` is its name, with which `path` begins, and `commit` what was read of it.
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
    """One problem that the change brings.

    `verdict` is "proven" (by code), "reproduced" (by a test that was run), "confirmed" (by a second call) or "unproven". `rule` is the
    check's own code, "" for a model's finding. `fingerprint` is the same in the next review of the change, also if lines have moved.
    `consumer` is the repository that breaks, if it is another one.
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
    """A repository that uses this one, and what became of it.

    `takes` are the packages that it takes, as "name version". `arrival` is when a break reaches it: with its next "build", with the
    next "release", or with an "upgrade". "unread" was not looked at, or in part: `reason` says why.
    """

    name: str
    state: Literal["checked", "unread", "unrelated"]
    commit: str
    reason: str
    takes: tuple[str, ...]
    arrival: Literal["", "build", "release", "upgrade"]
    uses: int
    breaks: int
    hints: int


@dataclass(frozen=True, slots=True)
class Review:
    """The review of one change.

    `complete` is False if something of the change could be neither read nor compared; `open` says what.
    `relying` has the places that use what changed, which code could not judge, in the same form; they decide nothing.
    `interrupted_by` is "provider" if a model's provider failed on the way, else "".
    """

    base: str
    head: str
    strategy: str
    summary: str
    findings: tuple[Finding, ...]
    complete: bool
    open: tuple[str, ...]
    relying: tuple[str, ...]
    interrupted_by: str
    notes: tuple[str, ...]
    consumers: tuple[Consumer, ...]
    cost: Cost
    seconds: float
    _inner: "_Review" = field(repr=False, compare=False)

    def reaching(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings that are at least this severe."""
        levels = ("critical", "high", "medium", "low")
        return tuple(finding for finding in self.findings if levels.index(finding.severity) <= levels.index(severity))

    def to_json(self) -> str:
        """Write the whole review as JSON, by the schema `docs/review.schema.json`: what `deeprepo review --format json` prints."""
        return self._render("json")

    def to_sarif(self) -> str:
        """Write the findings as SARIF 2.1.0, which code scanning reads."""
        return self._render("sarif")

    def to_markdown(self) -> str:
        """Write the review as Markdown, as it is posted on a pull request."""
        return self._render("markdown")

    def _render(self, form: str) -> str:
        from bot.outputs import OUTPUTS

        return OUTPUTS[form]().render(self._inner)


@dataclass(frozen=True, slots=True)
class File:
    """A changed file. `skipped` says why its content was not looked at, "" if it was. `test`: it holds tests."""

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

    `id` is "path:name", which `Use.definition` repeats. `contract` says what changed for those who use it ("removed", "renamed",
    "parameters", "declaration", "errors", "value"); empty means that only its body changed.
    `before` and `after` are its signatures as the source writes them; None if it does not exist on that side or has no signature.
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
    """A file that imports a changed one. `via` is the file that hands the name on, None if it is imported directly."""

    path: str
    target: str
    names: tuple[str, ...]
    line: int
    via: str | None
    test: bool


@dataclass(frozen=True, slots=True)
class Use:
    """A line outside a changed definition that uses it.

    `function` is the enclosing definition, "<module>" outside of any. `sure` is False where only the name matches: another thing may be
    meant. `test`: the file holds tests.
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
    """A place that no longer fits what changed. `proven` is False for a hint: a library may still offer the name.

    `lines` are this line and the others of the file that break with it. `consumer` is the repository that holds the place, with which
    `path` begins, if it is another one.
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
    """What a change affects, computed without a model. `notes` says what was left out, and why."""

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
        """Return the uses of one changed definition."""
        return tuple(use for use in self.uses if use.definition == definition.id)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def to_json(self) -> str:
        """Write it as JSON, with the fields as keys."""
        return json.dumps(asdict(self), indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a root: the code that it wrote and what came back.

    `run` is "root", or "root.1" for the first run that it started with `rlm_query`. `error` is None if the block ran through.
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
class Call:
    """A finished call of a model. `error` says why it came to nothing; `total` is what the question has cost so far."""

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
    """What a question came to.

    `outcome` is "answered", or what ended the run before: "turns" (all were used), "budget", "provider", "window" (the dialogue outgrew
    the model's), "declined", "astray" (turns without code). `answer` is "" then, or what there was. `value` is the answer as an
    instance of its `answer_type`, None without one or if it was not found. Of several `samples`, `agreed` have this answer.
    """

    answer: str
    outcome: Literal["answered", "turns", "budget", "provider", "window", "declined", "astray"]
    trajectory: tuple[Turn, ...]
    cost: Cost
    notes: tuple[str, ...]
    value: Any = None
    agreed: int = 1
    samples: "tuple[Result, ...]" = ()

    def __str__(self) -> str:
        agreed = f" by {self.agreed} of {len(self.samples)}" if self.samples else ""
        return f"{self.outcome}{agreed}: {self.calls} {'call' if self.calls == 1 else 'calls'}, {_dollars(self.cost)}"

    @property
    def calls(self) -> int:
        """How many calls of models were made."""
        return self.cost.calls

    def to_json(self) -> str:
        """Write it as JSON, with the fields as keys; a `value` as in `answer`."""
        plain = replace(self, samples=(), value=_plain(self))
        samples = [asdict(replace(one, value=_plain(one))) for one in self.samples]
        return json.dumps(asdict(plain) | {"samples": samples}, indent=2) + "\n"


Event = Call | Turn | Result


def _plain(result: Result) -> Any:  # noqa: ANN401 - any JSON value
    """The value of an answer as JSON has it."""
    return json.loads(result.answer) if result.value is not None else None


def _dollars(cost: Cost) -> str:
    return "price unknown" if cost.usd is None else f"${cost.usd:.4f}"


def consumer(report: "ConsumerReport") -> Consumer:
    """Return what became of a consumer."""
    arrivals = [row.arrival for row in report.takes]
    first = min(arrivals, key=("build", "release", "upgrade").index, default="")
    return copy(
        Consumer, report, takes=tuple(f"{row.name} {row.version}".strip() for row in report.takes), arrival=first
    )


def access(*models: object) -> "dict[str, Access]":
    """Return how the models are called that have a key, an address or a sampling of their own."""
    from bot.wiring.access import Access
    from deeprepo.rlm.values import Sampling

    found: dict[str, Access] = {}
    for model in models:
        if isinstance(model, Model):
            stop = (model.stop,) if isinstance(model.stop, str) else tuple(model.stop)
            sampling = copy(Sampling, model, stop=stop)
            one = Access(model.api_key, model.base_url, sampling)
            if found.setdefault(model.name, one) != one:
                raise UsageError(
                    "a model is given twice, with different keys, addresses or sampling: give one of them another name"
                )
    return found


def model_name(model: str | Model | None) -> str | None:
    """Return the name of a model."""
    if model is not None and not isinstance(model, str | Model):
        raise UsageError(f"a model is named by a text or a deeprepo.Model, not by {type(model).__name__}")
    return model.name if isinstance(model, Model) else model


class FunctionNames:
    """The names of models, of those that are functions too."""

    def __init__(self) -> None:
        self._functions: dict[str, Any] = {}

    def of(self, model: Any) -> str | None:  # noqa: ANN401 - a model in any of its forms
        """Return a model's name; of a function its own, with a number if another one has it."""
        if isinstance(model, str | Model) or not callable(model):
            return model_name(model)
        own = f"function:{getattr(model, '__name__', type(model).__name__)}"
        numbered = (f"{own}-{number}" if number > 1 else own for number in count(1))
        return next(name for name in numbered if self._functions.setdefault(name, model) is model)

    def access(self) -> "dict[str, Access]":
        """Return how the functions are called."""
        from bot.wiring.access import Access

        return {name: Access(function=function) for name, function in self._functions.items()}


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
