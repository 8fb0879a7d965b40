"""What the imports of a file bind, as they are written, in the languages whose files hand on what they import."""

from bot.text.filetypes import filetype


def imported_names(path: str, source: bytes) -> dict[str, set[tuple[str, str]]]:
    """Name here -> (module, its name there), `*` for the module itself; what has no name here is under `*`. Empty for other languages."""
    match filetype(path).parser:
        case "python":
            from bot.languages.python import import_names as python

            return python.imported_names(source)
        case "javascript":
            from bot.languages.javascript import import_names as javascript

            return javascript.imported_names(source)
        case _:
            return {}
