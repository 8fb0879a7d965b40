"""Open a pull request with a forgotten caller, and build the event that a workflow gets."""

from typing import Any

from stepping import Stage

from deeprepo_sandbox import github as sandbox

BASE = {
    "shop/price.py": 'def total(items, tax):\n    """The sum with tax."""\n    return sum(items) * (1 + tax)\n',
    "shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n",
}
# Removes a parameter but forgets the caller in cart.py.
BROKEN = {"shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items)\n'}
TITLE = "Prices ::error::x ##[error]y"  # a title that tries to inject runner commands


async def opened(at: Stage, **how: object) -> tuple[int, dict[str, Any]]:
    """Open the pull request; return its number and the event that a workflow gets."""
    await at.repo.commit("feature", BROKEN)
    with at.gh.holding() as held:
        number = await at.repo.open_pull("feature", title=TITLE, **how)  # type: ignore[arg-type]
    return number, event(held)


def event(held: list[Any]) -> dict[str, Any]:
    """Return a webhook's payload as a workflow gets it, without an App installation."""
    return {name: value for name, value in held[0].payload.items() if name != "installation"}


def summary(gh: sandbox.GitHub, number: int) -> str:
    """Return our summary comment. Fail unless there is exactly one."""
    (found,) = [one for one in gh.pull(number).comments if "## deeprepo" in one.body]
    assert found.user.login == "github-actions[bot]"
    return found.body
