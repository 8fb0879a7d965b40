"""Where the App is installed no longer."""

from collections.abc import Mapping

from bot.events.shapes import DeliveryPayload, InstallationEvent, Ours, shaped
from bot.values.ask import Ask, Forget, NothingAsked

Payload = Mapping[str, object]


def removed(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """The App was uninstalled."""
    event = shaped(InstallationEvent, payload)
    return event if isinstance(event, NothingAsked) else Forget(event.installation.id)


def withdrawn(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """It may no longer see some repositories. An empty list must not become "all of them"."""
    event = shaped(InstallationEvent, payload)
    if isinstance(event, NothingAsked):
        return event
    gone = tuple(repository.id for repository in event.repositories_removed)
    return Forget(event.installation.id, gone) if gone else NothingAsked("no repository was removed")


def gone(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """A repository was deleted."""
    event = shaped(DeliveryPayload, payload)
    return event if isinstance(event, NothingAsked) else Forget(event.installation.id, (event.repository.id,))
