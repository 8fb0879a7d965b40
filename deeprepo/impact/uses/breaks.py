"""Decide which references to changed definitions are broken.

Removed names, calls and overrides are decided here, and every answer is proven from the tree. Whether a
reference works with another return type, value or error is decided elsewhere.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from deeprepo.impact.changes import ChangedSymbol, Dependents, Reference, UsePlace
from deeprepo.impact.language import Language, rules_of
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.uses.steps import record
from deeprepo.impact.uses.targets import WHOLE_MODULE
from deeprepo.impact.values import Arguments, Definition, Parameter, Signature, positional

BROKEN = "broken"  # the question that `explain` prints
# What is known of a call that is not broken; "" if it may be.
CallState = Literal["fits the new signature", "means something else", ""]
FITS: CallState = "fits the new signature"
OTHER: CallState = "means something else"
REPORTED, THERE = "reported", "the name is still there"


class Misfit(Struct, frozen=True):
    """What is wrong with a call: the rule, and a clause that follows the name of the caller's file."""

    rule: str
    says: str


class Breakage(Struct, frozen=True):
    """One place that the change breaks."""

    reference: Reference
    symbol: ChangedSymbol | None
    rule: str
    misfit: Misfit | None = None
    new_path: str = ""  # new path of an imported file that moved
    other_symbols: tuple[str, ...] = ()  # further definitions whose change breaks the same name on this line

    @property
    def home(self) -> str:
        """The changed file."""
        return self.reference.symbol.rpartition(":")[0]

    @property
    def home_before(self) -> str:
        """The path of the definition, or of the file, before the change."""
        before = self.symbol.before if self.symbol is not None else None
        return before.path if before is not None else self.home

    @property
    def name(self) -> str:
        """The name as shown to people: "load_settings()"."""
        if self.reference.is_module:
            return self.home
        before = self.symbol.before if self.symbol is not None else None
        label = before.name if before is not None else self.reference.symbol.rpartition(":")[2]
        if before is None and label == WHOLE_MODULE:
            return f"default export of {self.home}"
        owner, _, last = label.rpartition(".")
        if owner and rules_of(self.home_before).is_constructor(last):
            label = owner
        return f"{label}()" if before is not None and before.kind in ("function", "method", "declaration") else label


def broken(dependents: Dependents) -> list[Breakage]:
    """Return the places that a change breaks, once for each name on a line."""
    symbols = dependents.by_key()
    breakages: dict[tuple[str, int, str], Breakage] = {}
    # proven references come first
    for reference in sorted(dependents.references, key=lambda row: row.likely):
        breakage = _breakage(reference, symbols)
        if breakage is not None and reference.text.strip():
            place = reference.place
            first = breakages.setdefault(place, breakage)
            others = dict.fromkeys((*first.other_symbols, reference.symbol))
            others.pop(first.reference.symbol, None)
            breakages[place] = replace(first, other_symbols=tuple(others))
    return list(breakages.values())


def left_behind(dependents: Dependents) -> list[tuple[str, Definition]]:
    """Return the overrides that no longer accept calls of the changed method, each with the method's key."""
    symbols = dependents.by_key()
    rows = [(key, own) for key, own in dependents.subclasses if key in symbols and no_longer_fits(symbols[key], own)]
    for key, own in rows:
        record((key, own.path, own.start), BROKEN, "override", no_longer_fits)
    return rows


def compare(dependents: Dependents) -> dict[UsePlace, str]:
    """Return UsePlace -> the result of comparing it with the changed contract.

    Undecided places are omitted. Two things can be compared: whether a name still exists, and whether a call
    matches the new parameters. Other return types, values or errors need a model pass.
    """
    symbols = dependents.by_key()
    comparisons: dict[UsePlace, str] = {}
    left: dict[UsePlace, bool] = {}  # undecided places, and whether a reference there is bound
    decided: set[UsePlace] = set()  # by a bound reference
    for reference in dependents.references:
        place = reference.symbol, reference.path, reference.line
        comparison = _compare_use(reference, symbols.get(reference.symbol))
        if comparison:
            comparisons[place] = comparison
            decided.update([place] if reference.is_bound else [])
        else:
            left[place] = left.get(place, False) or reference.is_bound
    for key, own in dependents.subclasses:
        item = symbols.get(key)
        if item is not None and item.contract == ("parameters",) and comparable(item, own):
            comparisons[key, own.path, own.start] = REPORTED if no_longer_fits(item, own) else FITS
    # in `kind = shop.Parcel`, `kind` may refer to anything with that name, while `Parcel` is known
    undecided = {place for place, is_bound in left.items() if is_bound or place not in decided}
    return {place: comparison for place, comparison in comparisons.items() if place not in undecided}


def _compare_use(reference: Reference, item: ChangedSymbol | None) -> str:
    if reference.missing:
        return REPORTED
    comparison: str = FITS
    for part in item.contract if item is not None else ("removed",):
        if part in ("removed", "renamed"):
            comparison = THERE if reference.target_state == "present" else ""
        elif part == "parameters" and item is not None:
            comparison = _compare_call(reference, item)
        elif reference.form != "import":
            comparison = ""
        if not comparison or comparison in (REPORTED, OTHER):
            break
    return comparison


def _compare_call(reference: Reference, item: ChangedSymbol) -> str:
    answer = _by_rules(_Call(reference, item))
    if isinstance(answer, Misfit):
        return REPORTED if reference.is_bound else ""
    return answer if answer != OTHER or not reference.is_bound else ""


def _breakage(reference: Reference, symbols: Mapping[str, ChangedSymbol]) -> Breakage | None:
    item, place = symbols.get(reference.symbol), (reference.symbol, reference.path, reference.line)
    if missing(reference):
        rule = "removed-module" if reference.is_module else "removed-symbol"
        record(place, BROKEN, rule, missing)
        return Breakage(reference, item, rule)
    if probably_missing(reference) and (item is None or item.change in ("removed", "renamed")):
        record(place, BROKEN, "likely-removed", probably_missing)
        return Breakage(reference, item, "likely-removed")
    wrong = _by_rules(_Call(reference, item)) if item is not None else ""
    if not isinstance(wrong, Misfit):
        return None
    return Breakage(reference, item, f"likely-{wrong.rule}" if reference.likely else wrong.rule, wrong)


def missing(reference: Reference) -> bool:
    """Nothing provides the name any more, as `gone.py` has proven."""
    return reference.missing


def probably_missing(reference: Reference) -> bool:
    """Nothing that was found has what the reference means any more, although something else may provide it."""
    return reference.likely


# --- Is a call broken? The first rule that answers wins. ---


class _Call(Struct):
    """A reference to a changed definition, which may call it."""

    reference: Reference
    item: ChangedSymbol

    @property
    def arguments(self) -> Arguments:
        """The arguments of the call."""
        return self.reference.arguments or Arguments()

    @property
    def before(self) -> Signature:
        """The former signature."""
        return self.item.signatures[0] if self.item.signatures is not None else Signature(opaque=True)

    @property
    def after(self) -> Signature:
        """The new signature."""
        return self.item.signatures[1] if self.item.signatures is not None else Signature(opaque=True)


def no_call(call: _Call) -> Misfit | CallState | None:
    """An import passes no arguments, and another mention may be called anywhere."""
    return None if call.reference.call else FITS if call.reference.form == "import" else ""


def handled(call: _Call) -> Misfit | CallState | None:
    """The code around the call handles its failure, as `is_handled` in `reading.marks` found."""
    return "" if call.reference.is_handled else None


def opaque(call: _Call) -> Misfit | CallState | None:
    """The parameters may differ from those written.

    A decorator (`@opaque` in `defs.scm`) may change them, a base of the class may accept the call, or another
    definition may be in use instead.
    """
    return "" if call.before.opaque or call.after.opaque else None


def new_meaning(call: _Call) -> Misfit | CallState | None:
    """The definition was renamed, and something else has its former name now."""
    return "" if call.reference.target_state == "present" and call.item.is_renamed else None


def any_call_allowed(call: _Call) -> Misfit | CallState | None:
    """The language accepts calls that omit arguments."""
    return None if insists_on_signatures(call.item.symbol.path, call.reference.path) else ""


def fits(call: _Call) -> Misfit | CallState | None:
    """The call matches the new signature, and each argument reaches a parameter that still takes it."""
    if problem(call.before, call.after, call.reference) is not None or call.arguments.spread:
        return None
    reaches_others = any(place < call.arguments.positional for place in call.after.moved_places(call.before))
    return "" if call.after.ambiguous or reaches_others else FITS


def never_matched(call: _Call) -> Misfit | CallState | None:
    """The call did not match the former signature either, so it means something else."""
    return OTHER if problem(call.before, call.before, call.reference) is not None else None


def no_longer_matches(call: _Call) -> Misfit | CallState | None:
    """The call matched the former signature, but doesn't match the new one."""
    is_known = call.reference.is_bound or call.reference.likely
    return problem(call.before, call.after, call.reference) if is_known else None


def undecided(_: _Call) -> Misfit | CallState | None:
    """Only the name matches, or arguments such as `*args` can't be counted."""
    return ""


RULES = (no_call, handled, opaque, new_meaning, any_call_allowed, fits, never_matched, no_longer_matches, undecided)


def _by_rules(call: _Call) -> Misfit | CallState:
    """Return what is newly wrong with a call, or that it fits or means something else; "" if that is open."""
    for rule in RULES:
        answer = rule(call)
        if answer is not None:
            in_words = answer.rule if isinstance(answer, Misfit) else answer or "open"
            place = call.reference.symbol, call.reference.path, call.reference.line
            record(place, BROKEN, in_words, rule)
            return answer
    raise AssertionError("no rule answers")


def comparable(item: ChangedSymbol, own: Definition) -> bool:
    """Return whether the method's signatures and the override's are known well enough to compare them."""
    sides, mine = item.signatures, own.signature
    if sides is None or mine is None or item.is_renamed or own.name == item.symbol.name:
        return False
    is_marked = rules_of(own.path).types.marked_overrides
    if any(one.opaque and not (is_marked and one.inherits) for one in sides):
        return False
    if any(one.overloads for one in (*sides, mine)):
        return False
    if sides[1].moved_places(sides[0]) and len(sides[0].parameters) == len(sides[1].parameters):
        return False  # an argument reaches different parameters in the override and the method
    return (is_marked or not mine.opaque) and insists_on_signatures(item.symbol.path, own.path)


def no_longer_fits(item: ChangedSymbol, own: Definition) -> bool:
    """The override no longer accepts the calls that it accepted before."""
    sides, mine = item.signatures, own.signature
    if sides is None or mine is None or not comparable(item, own):
        return False
    before, after = sides
    is_broken_by_any = bool(rules_of(own.path).types.broken_override)
    if is_broken_by_any and len(mine.parameters) == len(before.parameters) < len(after.parameters):
        return not any(one.kind in ("rest", "named_rest") for one in (*mine.parameters, *after.parameters))
    return (
        problem(mine, mine, _shortest_call(before, own)) is None
        and problem(mine, mine, _shortest_call(after, own)) is not None
    )


def _shortest_call(method: Signature, own: Definition) -> Reference:
    """Return the shortest call that a method accepts, as a call of its override."""
    required_parameters = [item for item in method.parameters if item.is_required]
    count = len(positional(required_parameters))
    if rules_of(own.path).shorter_overrides:
        count = min(count, len(positional(own.parameters)))
    keywords = tuple(item.name for item in required_parameters if item.kind == "keyword")
    return Reference("", own.short, "", own.start, "", own.name, None, "bound", arguments=Arguments(count, keywords))


def insists_on_signatures(definition: str, caller: str) -> bool:
    """Return whether both files are in languages that require matching calls."""
    return not (rules_of(definition).calls.missing_arguments or rules_of(caller).calls.missing_arguments)


def problem(before: Signature, after: Signature, call: Reference) -> Misfit | None:
    """Return the first problem of a call, compared with `before`. One matching overload is enough."""
    arguments = call.arguments or Arguments()
    rules = rules_of(call.path)
    found = [misfit(rules, arguments, parameters) for parameters in _forms(after)]
    wrong = found[0]
    if wrong is None or None in found:
        return None
    match wrong.kind:
        case "keyword":
            return Misfit("keyword", f"still passes {wrong.names[0]}{rules.calls.named_arguments.strip() or '='}")
        case "surplus":
            return Misfit("arity", _surplus(after, arguments, rules.calls.named_arguments.strip()))
        case "twice":
            return Misfit("keyword", f"passes {wrong.names[0]} twice")
        case "missing":
            return _without(before, after, wrong.names, arguments)
    return Misfit("keyword", f"still passes {', '.join(arguments.keywords)} in the old order")


def means_another(before: Signature | None, call: Reference) -> bool:
    """The call did not match the former signature, so it means something else of that name."""
    if before is None or before.opaque or before.overloads or not call.call or call.is_handled:
        return False
    is_strict = insists_on_signatures(call.symbol.rpartition(":")[0], call.path)
    return is_strict and problem(before, before, call) is not None


def _forms(called: Signature) -> Sequence[tuple[Parameter, ...]]:
    """Return the parameter lists that a call may match. A call of an extension on its class also passes the object."""
    with_object = [(Parameter("", "only"), *form) for form in called.forms if called.extending_class]
    return [*called.forms, *with_object]


def _without(before: Signature, after: Signature, missing: tuple[str, ...], call: Arguments) -> Misfit:
    """Return the problem of a call that omits required arguments; of several, the new ones."""
    names_before = {item.name for item in before.parameters}
    new = [item.name for item in after.parameters if item.is_required and item.name not in names_before]
    # otherwise a new name may be a renamed parameter
    is_left = names_before <= {item.name for item in after.parameters}
    name = (new if is_left and len(new) == len(missing) else missing)[0]
    was_required = name in {item.name for item in before.parameters if item.is_required}
    label = "the destructured parameter" if name == "{}" else name
    passed = _count(call.positional + len(call.keywords))
    return Misfit(
        "arity" if was_required else "required-parameter", f"passes {passed} and omits {label}, which is now required"
    )


def _surplus(after: Signature, call: Arguments, sign: str) -> str:
    """Return what is wrong with a call that passes too many arguments.

    `sign`: what follows a name that is passed; "" if the language doesn't pass arguments by name.
    """
    places = len(positional(after.parameters))
    accepted = f"at most {places} {'is' if places == 1 else 'are'} accepted" if places else "none is accepted"
    return f"still passes {_count(call.positional, 'positional' if sign else '')} ({accepted})"


def _count(number: int, kind: str = "") -> str:
    what = f"{kind} argument".lstrip()
    return f"no {what}" if number == 0 else f"1 {what}" if number == 1 else f"{number} {what}s"


class Wrong(Struct, frozen=True):
    """The first problem of a call, such as an unknown keyword or too many arguments."""

    kind: Literal["keyword", "surplus", "twice", "missing", "order"]
    names: tuple[str, ...] = ()  # of the parameters or keywords concerned


def misfit(rules: Language, given: Arguments, parameters: Sequence[Parameter]) -> Wrong | None:
    """Return what is wrong with a call for these parameters; None if it matches or is unknown."""
    kinds = {one.kind for one in parameters}
    accepted = {one.name for one in parameters if one.kind in ("positional", "keyword")}
    unknown = next((word for word in given.keywords if word not in accepted and "named_rest" not in kinds), "")
    if unknown:
        return Wrong("keyword", (unknown,))
    if given.spread:
        return None
    is_surplus = given.positional > len(positional(parameters)) and "rest" not in kinds
    if is_surplus and not rules.calls.surplus_arguments:
        return Wrong("surplus")
    return None if rules.calls.missing_arguments else _unfilled(rules, given, parameters)


def _unfilled(rules: Language, given: Arguments, parameters: Sequence[Parameter]) -> Wrong | None:
    """Return what is wrong with a call in a language where every parameter needs a value, or None."""
    places = positional(parameters)
    twice = next((one.name for one in places[: given.positional] if one.name in given.keywords), "")
    if twice and "only" not in {one.kind for one in places if one.name == twice}:
        return Wrong("twice", (twice,))
    left = [*places[given.positional :], *(one for one in parameters if one.kind == "keyword")]
    missing = tuple(one.name for one in left if one.is_required and one.name not in given.keywords)
    if missing:
        return Wrong("missing", missing)
    order = [one.name for one in parameters if one.kind == "keyword"] if rules.ordered_arguments else []
    written = [order.index(word) for word in given.keywords if word in order]
    return Wrong("order") if written != sorted(written) else None
