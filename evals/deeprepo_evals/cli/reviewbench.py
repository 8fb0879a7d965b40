"""`deeprepo eval reviewbench`: the entry point of a container that takes part in ReviewBench."""

from bot.cli.exits import CLEAN, tell


def command() -> int:
    """Review the pull request that the RB_ variables of ReviewBench's contract describe, and write RB_OUT.

    RB_CONFIG_STRATEGY, RB_CONFIG_ROOT and RB_CONFIG_WORKER choose how. Exit codes: 0; 2 a variable is wrong; 3 provider or internal error.
    """
    import asyncio
    import tempfile

    from bot.render import count
    from deeprepo_evals.reviews.attend import attend
    from deeprepo_evals.reviews.runner import contract

    given = contract()
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        review = asyncio.run(attend(given, scratch, lambda _: None))
    models = ", ".join(review.cost.models) or "none"
    tell(f"strategy={review.strategy} models={models}: {count(len(review.told), 'finding')}, in {given.out}")
    return CLEAN
