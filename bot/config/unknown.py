"""Find environment variables that are probably misspelled settings, or settings of earlier versions.

The modules that suggest corrections are only loaded if there is such a variable.
"""

import os
from collections.abc import Iterator

from bot.config.removed import REMOVED_VARIABLES
from bot.config.settings import BASE_URL, PREFIX, own_variables


def unknown_variables() -> Iterator[str]:
    """Yield a sentence for each variable that begins with the prefix but is not a setting.

    Without this warning, a misspelled limit would silently have no effect.
    """
    names = own_variables()
    ours = [name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in names]
    others = [name for name in ours if not name.upper().startswith((f"{BASE_URL}_", f"{PREFIX}ACTION_"))]
    if not others:
        return
    from difflib import get_close_matches

    from bot.config import reference

    names |= reference.variables()
    for name in sorted({name.upper() for name in others} - names):
        if (instead := REMOVED_VARIABLES.get(name.removeprefix(PREFIX))) is not None:
            yield f"{name} was removed: {instead}"
            continue
        near = get_close_matches(name.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in names], 1, 0.7)
        hint = f"did you mean {PREFIX}{near[0]}?" if near else "run `deeprepo config --reference` to list all settings"
        yield f"{name} is not a deeprepo setting; {hint}"
