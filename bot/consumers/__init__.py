"""Consumers: what a change breaks in other repositories that use this one."""

from bot.values.consumer import Audience, ConsumerImpact


def shown_to(audience: Audience | None, impact: ConsumerImpact) -> ConsumerImpact:
    """Return what those who read the review may see; None: whoever reads it has the clones."""
    if audience is None:
        return impact
    from bot.consumers.disclosure import disclose  # here: only hosts have an audience

    return disclose(impact, audience)
