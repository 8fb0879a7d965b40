"""What still says, as a text, what a change takes away: keys of data and settings, routes, columns, names of the environment, paths, names of definitions.

No syntax ties the two ends together, so nothing is proven here: a line that is likely to mean what went is open until somebody has read it.
Each search looks its words up and lists its lines by `line_search`; what the room offers to others is named here.
"""

from bot.dependents.keys.key_search import lost_keys
from bot.dependents.keys.line_search import LineSearch
from bot.dependents.keys.literal_search import literal_names
from bot.dependents.keys.name_search import mentions
from bot.dependents.keys.path_search import named_paths
from bot.dependents.keys.routes import declares
from bot.dependents.keys.settings_formats import UnreadableSettingsError, format_of, has_parser, parsed_places

__all__ = [
    "LineSearch",
    "UnreadableSettingsError",
    "declares",
    "format_of",
    "has_parser",
    "literal_names",
    "lost_keys",
    "mentions",
    "named_paths",
    "parsed_places",
]
