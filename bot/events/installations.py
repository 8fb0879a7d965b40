"""Where the App is installed no longer."""

from collections.abc import Mapping

from bot.events.shapes import Delivery, InstallationEvent, Ours, shaped
from bot.values.ask import Ask, Forget, Ignored

Payload = Mapping[str, object]


def removed(payload: Payload, _: Ours) -> Ask | Ignored:
    """The App was uninstalled."""
    event = shaped(InstallationEvent, payload)
    return event if isinstance(event, Ignored) else Forget(event.installation.id)


def withdrawn(payload: Payload, _: Ours) -> Ask | Ignored:
    """It may no longer see some repositories. An empty list must not become "all of them"."""
    event = shaped(InstallationEvent, payload)
    if isinstance(event, Ignored):
        return event
    gone = tuple(repository.id for repository in event.repositories_removed)
    return Forget(event.installation.id, gone) if gone else Ignored("no repository was removed")


def gone(payload: Payload, _: Ours) -> Ask | Ignored:
    """A repository was deleted."""
    event = shaped(Delivery, payload)
    return event if isinstance(event, Ignored) else Forget(event.installation.id, (event.repository.id,))
