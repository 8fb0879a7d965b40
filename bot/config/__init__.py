"""The settings: from environment variables, `.deeprepo.yml` on the base branch, and command-line flags.

Every resolved value records where it came from. The settings of a server (`server`) and of a workflow step
(`action`) are not imported here, because reading them needs one more library.
"""

from bot.config.defaults import DEFAULTS, FILE, OTHER_NAMES, TEMPLATES, Triggers
from bot.config.repository import check, json_schema, read
from bot.config.resolution import Config, resolve
from bot.config.settings import (
    Settings,
    base_url,
    environment,
    first_set,
    program_environment,
    provider_key,
)
