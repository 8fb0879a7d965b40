"""GitHub: convert its JSON to our values and its refusals to our errors.

Imported only where needed, because the HTTP library loads slowly.
"""

from bot.github.apps import COMMITTING, READ_CONTENTS, acting, open_pull, reading, with_token
from bot.github.host import Host
from bot.github.identity import Identity, git_url, site
from bot.github.pace import RequestPace
