"""Where the App is installed no longer."""

from bot.values.ask import Ask, Forget, PackageSurvey
from bot.workflow.events.shapes import DeliveryPayload, InstallationEvent, NotForUs, Ours, Payload, PushEvent, with_form


def on_uninstall(payload: Payload, _: Ours) -> Ask:
    """The App was uninstalled."""
    return Forget(with_form(InstallationEvent, payload).installation)


def withdrawn(payload: Payload, _: Ours) -> Ask:
    """It may no longer see some repositories. An empty list must not become "all of them"."""
    event = with_form(InstallationEvent, payload)
    repository_ids = tuple(repository.id for repository in event.repositories_removed)
    if not repository_ids:
        raise NotForUs("no repository was removed")
    return Forget(event.installation, repository_ids)


def on_install(payload: Payload, _: Ours) -> Ask:
    """The App was installed, or may see more repositories."""
    return PackageSurvey(with_form(InstallationEvent, payload).installation)


def on_push(payload: Payload, _: Ours) -> Ask:
    """A branch moved. Only the default branch tells what a repository offers and takes."""
    event = with_form(PushEvent, payload)
    if event.is_deletion or event.ref != f"refs/heads/{event.default_branch}":
        raise NotForUs("it is not the default branch")
    return PackageSurvey(event.installation, event.repository)


def on_deletion(payload: Payload, _: Ours) -> Ask:
    """A repository was deleted."""
    event = with_form(DeliveryPayload, payload)
    return Forget(event.installation, (event.repository,))
