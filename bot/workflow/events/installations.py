"""Where the App is installed no longer."""

from bot.values.ask import Ask, Forget
from bot.workflow.events.shapes import DeliveryPayload, InstallationEvent, NotForUs, Ours, Payload, shaped


def removed(payload: Payload, _: Ours) -> Ask:
    """The App was uninstalled."""
    return Forget(shaped(InstallationEvent, payload).installation.id)


def withdrawn(payload: Payload, _: Ours) -> Ask:
    """It may no longer see some repositories. An empty list must not become "all of them"."""
    event = shaped(InstallationEvent, payload)
    gone = tuple(repository.id for repository in event.repositories_removed)
    if not gone:
        raise NotForUs("no repository was removed")
    return Forget(event.installation.id, gone)


def gone(payload: Payload, _: Ours) -> Ask:
    """A repository was deleted."""
    event = shaped(DeliveryPayload, payload)
    return Forget(event.installation.id, (event.repository.id,))
