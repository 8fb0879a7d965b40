"""GitHub: its JSON comes in and becomes our values; its refusals become our errors.

Imported where it is needed: the HTTP library takes longer to load than `--help` may.
"""

from bot.github.apps import COMMITTING, READ_CONTENTS, acting, open_pull, reading, with_token
from bot.github.host import Host
from bot.github.identity import Identity, git_url, site
from bot.github.pace import RequestPace
