"""Consumers: what a change breaks in other repositories that use this one."""

from bot.values.consumer import Audience, ConsumerImpact


def shown_to(audience: Audience | None, impact: ConsumerImpact) -> ConsumerImpact:
    """Return the part that the audience may see. Without an audience the reader has the clones, and sees everything."""
    if audience is None:
        return impact
    from bot.consumers.disclosure import disclose  # here: only hosts have an audience

    return disclose(impact, audience)
