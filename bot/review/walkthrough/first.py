"""The place of the change to look at first: of a grave finding, of a model's choice, else the riskiest unit. Pure."""

from collections.abc import Sequence

from bot.render import Phrases
from bot.review.walkthrough import symbols
from bot.text.paths import is_product, is_prose
from bot.values import ChangedSymbol, Dependents, Finding, FirstPlace, Unit, severity_rank


def place(
    units: Sequence[Unit], findings: Sequence[Finding], dependents: Dependents, model_choice: str, words: Phrases
) -> FirstPlace | None:
    """Where to begin. `model_choice`: the path that a model named, one of the change, or empty. `units`: riskiest first."""
    grave = sorted(
        (one for one in findings if one.serious and one.start and one.number),
        key=lambda one: severity_rank(one.severity),
    )
    if grave:
        worst = grave[0]
        reason = words.say("walk_first_finding", finding=worst.number, severity=words.say(worst.severity))
        return FirstPlace(worst.path, worst.start, worst.side, reason)
    code = [unit for unit in units if not is_prose(unit.path)]  # a line of documents is no place to begin
    mine = (
        [unit for unit in code if unit.path == model_choice] or [unit for unit in code if is_product(unit.path)] or code
    )
    if not mine:
        return None
    unit = mine[0]
    symbols_by_key = {(one.symbol.path, one.symbol.name): one for one in dependents.symbols}
    return FirstPlace(
        unit.path,
        unit.start,
        unit.side,
        _reason(unit, symbols_by_key.get((unit.path, unit.name.partition("#")[0])), dependents, words),
    )


def _reason(unit: Unit, symbol: ChangedSymbol | None, dependents: Dependents, words: Phrases) -> str:
    deed = words.say("walk_is_riskiest")
    if symbol is not None:
        deed = words.say(f"walk_is_{symbols.deed(symbol)}", name=symbols.as_code(symbol.symbol.name))
    uses = {(row.path, row.line) for row in unit.references if not row.is_guessed}
    if not uses:
        return f"{deed}."
    used = words.say("walk_use_it", places=symbols.places(len(uses), dependents, words))
    return f"{words.say('both', one=deed, other=used)}."
