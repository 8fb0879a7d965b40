import pytest

from deeprepo.rlm.errors import BudgetSpent
from deeprepo.rlm.money import capacity
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.values import Limits, Usage

CALL = Usage(input=900, output=100)


def cent(usage: Usage) -> float:
    return (usage.input + usage.output) * 0.00001


def nobody_knows(usage: Usage) -> None:
    return None


def test_reservation_counts_until_it_is_settled() -> None:
    """Calls in flight count against the cap, and what they do not use is available again."""
    budget = Budget(Limits(usd=0.02))
    first = budget.reserve(CALL, cent, "m")
    second = budget.reserve(CALL, cent, "m")
    with pytest.raises(
        BudgetSpent, match=r"cap of \$0\.02 would be exceeded: this call could cost \$0\.0100, \$0\.0000 remains"
    ):
        budget.reserve(CALL, cent, "m")
    for hold in (first, second):
        budget.release(hold)
    budget.book(Usage(10, 0), 0.0001, "worker", "m")
    budget.book(Usage(10, 0), 0.0001, "root", "m")
    assert budget.left().usd == pytest.approx(0.0198)
    assert budget.reserve(CALL, cent, "m").usd == pytest.approx(0.01)


NAN = float("nan")


@pytest.mark.parametrize(
    "limits", [Limits(usd=NAN), Limits(tokens=NAN), Limits(calls=NAN), Limits(seconds=NAN)], ids=str
)  # type: ignore[arg-type]
def test_nan_cap_allows_no_call(limits: Limits) -> None:
    """Wherever NaN came from, it allows no call, because no comparison with it is true."""
    with pytest.raises(BudgetSpent):
        Budget(limits).reserve(CALL, cent, "m")


def test_own_server_costs_no_dollars() -> None:
    """Calls to your own server cost no dollars, their cost is unknown, not zero, and token caps apply."""
    budget = Budget(Limits(usd=0.001, tokens=2_500))
    budget.own |= {"compatible/model", "openai/our-own"}
    for name in ("compatible/model", "openai/our-own"):
        budget.release(budget.reserve(CALL, nobody_knows, name))
        budget.book(CALL, None, "worker", name)
    assert (budget.notes, budget.cost().usd, budget.left().usd, budget.left().tokens) == ([], None, None, 500)
    with pytest.raises(BudgetSpent, match=r"the limit of 2,500 tokens would be exceeded"):
        budget.reserve(CALL, nobody_knows, "compatible/model")


def test_amount_reserved_for_the_root_is_not_available_to_workers() -> None:
    """A worker cannot use what the root's next reply needs, but the root can."""
    budget = Budget(Limits(usd=None, tokens=2_500))
    budget.keep(Usage(1_200, 0))
    budget.release(budget.reserve(CALL, cent, "m"))
    budget.book(CALL, 0.01, "worker", "m")
    with pytest.raises(BudgetSpent):
        budget.reserve(CALL, cent, "m")
    budget.reserve(CALL, cent, "m", "root")


def test_cache_writes_are_included_in_the_reservation() -> None:
    """Writing to a cache may cost extra, which the reservation includes; a discount does not lower it."""
    budget = Budget(Limits(usd=1.0, tokens=None))
    with pytest.raises(BudgetSpent, match=r"could cost \$1\.1250"):
        budget.reserve(Usage(90, 0), lambda u: (u.input + 0.25 * u.cache_write) / 100, "m")
    assert budget.reserve(Usage(90, 0), lambda u: (u.input - 0.5 * u.cache_write) / 100, "m").usd == 0.9


def test_unknown_price_counts_as_the_most_expensive() -> None:
    """No listed model costs more than the price that is assumed for an unknown one."""
    from genai_prices.data_snapshot import get_snapshot

    from deeprepo.rlm.money.budget import DEAREST_INPUT, DEAREST_OUTPUT

    budget = Budget(Limits(usd=1.0))
    with pytest.raises(BudgetSpent, match=r"this call could cost \$1\.8000"):
        budget.reserve(Usage(8_000, 1_000), nobody_knows, "openrouter/who/knows:nitro")
    assert "the highest listed price" in budget.notes[0]
    listed = [
        price
        for provider in get_snapshot().providers
        for model in provider.models
        for price in ([row.prices for row in model.prices] if isinstance(model.prices, list) else [model.prices])
    ]
    assert max(_top(price.input_mtok) for price in listed) <= DEAREST_INPUT
    assert max(_top(price.output_mtok) for price in listed) <= DEAREST_OUTPUT


def _top(price: object) -> float:
    tiers = getattr(price, "tiers", None)
    if tiers is None:
        return float(price or 0)  # type: ignore[arg-type]
    return max(float(price.base), *(float(tier.price) for tier in tiers))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text", ["0123456789" * 50, "{}[]()<>;:!?" * 40, "語彙表示漢字情報検索" * 40, "🙂🙃" * 60, "Привет, мир " * 40]
)
def test_reservation_covers_text_with_one_token_per_byte(text: str) -> None:
    """Digits, symbols and other scripts have at most as many tokens as reserved, not counting blanks."""
    assert capacity.most_tokens([text]) >= len(text.replace(" ", "").encode())
