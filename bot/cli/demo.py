"""`deeprepo demo`: a review of a sample change, with no key and no network."""

import tempfile


def command() -> int:
    """Review a sample change offline and show the result, so that a newcomer sees what a review looks like."""
    from bot.cli.exits import CLEAN, tell
    from bot.cli.review import carry_out, deliver
    from bot.demo import build
    from bot.values import ReviewRequest

    with tempfile.TemporaryDirectory(prefix="deeprepo-demo-") as folder:
        build(folder)
        tell("A sample change, reviewed offline (no key, no network), as `deeprepo review` does it in your checkout:\n")
        deliver(
            carry_out(ReviewRequest(folder, "range", "main", "pull-request"), {"strategy": "offline"}, quiet=False),
            "console",
            None,
        )
    return CLEAN
