"""One delivery of GitHub -> what it asks for, or why it asks for nothing. The only branching on names of events. Pure.

Whatever the payload is, nothing is raised: a delivery that cannot be read is ignored with a reason.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from bot.values.ask import Ask, NothingAsked
from bot.workflow.events import checks, comments, installations, pulls
from bot.workflow.events.shapes import NotForUs, Ours, Payload

Reader = Callable[[Payload, Ours], Ask]  # raises NotForUs

# event -> action -> who reads it. What is not here is ignored.
ACTIONS: Mapping[str, Mapping[str, Reader]] = MappingProxyType(
    {
        "pull_request": {
            "opened": partial(pulls.on_start, "opened"),
            "reopened": partial(pulls.on_start, "reopened"),
            "ready_for_review": partial(pulls.on_start, "ready"),
            "synchronize": pulls.on_push,
            "edited": pulls.on_edit,
            "converted_to_draft": partial(pulls.on_end, "draft"),
            "closed": partial(pulls.on_end, "closed"),
        },
        "issue_comment": {"created": comments.on_pull},
        "pull_request_review_comment": {"created": comments.in_thread},
        "pull_request_review": {"submitted": comments.in_review},
        "check_run": {"rerequested": checks.run_again, "requested_action": checks.button},
        "check_suite": {"rerequested": checks.run_again, "completed": checks.suite_ended},
        "merge_group": {"checks_requested": checks.on_queue},
        "push": {"": installations.on_push},  # which has no actions
        "installation": {"deleted": installations.on_uninstall, "created": installations.on_install},
        "installation_repositories": {"removed": installations.withdrawn, "added": installations.on_install},
        "repository": {"deleted": installations.on_deletion},
    }
)
EDITED = "an edited comment is not carried out again"
WHY = MappingProxyType(
    {
        ("issue_comment", "edited"): EDITED,
        ("pull_request_review_comment", "edited"): EDITED,
        ("pull_request_review", "edited"): EDITED,
        (
            "installation",
            "suspend",
        ): "a suspension may be lifted: nothing is forgotten, GitHub refuses our calls till then",
    }
)


def read(name: str, payload: object, ours: Ours) -> Ask | NothingAsked:
    """What the delivery of the event `name` asks for."""
    if not isinstance(payload, Mapping):
        return NothingAsked("the payload is not an object")
    readers = ACTIONS.get(name)
    if readers is None:
        return NothingAsked("nothing is done on this event")
    action = payload.get("action", "")
    reader = readers.get(action) if isinstance(action, str) else None
    if reader is None:
        return NothingAsked(WHY.get((name, str(action)), "nothing is done on this action"))
    try:
        return reader(payload, ours)
    except NotForUs as why:
        return NothingAsked(str(why))
