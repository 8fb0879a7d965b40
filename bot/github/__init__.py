"""All access to GitHub's API. It converts GitHub's JSON to our values, and its errors to our exceptions.

Import this package only where it is needed, because the HTTP library loads slowly.
"""

from bot.github.apps import (
    COMMITTING,
    READ_CONTENTS,
    Identity,
    git_url,
    open_installation,
    open_pull,
    open_pull_with_token,
    open_readonly,
    site,
)
from bot.github.host import Host
from bot.github.policy import RequestPace
