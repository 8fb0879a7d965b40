"""The scripts of components of Vue and Svelte."""

import re

from impact.language import Language, language_of

SVELTE = ".svelte"
COMPONENTS = (".vue", SVELTE)
SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)
END = re.compile(rb"</script\s*+>", re.IGNORECASE)


def script(path: str, source: bytes) -> bytes:
    """The scripts of a component with all else blanked out, so that lines and columns stay what they are."""
    if not path.endswith(COMPONENTS):
        return source
    script = bytearray(re.sub(rb"[^\r\n]", b" ", source))
    at = 0
    while opening := SCRIPT.search(source, at):
        first = source.find(b">", opening.end()) + 1
        closing = END.search(source, first) if first else None
        if closing is None:
            break
        script[first : closing.start()] = source[first : closing.start()]
        at = closing.end()
    return bytes(script)


def language_in(path: str) -> Language | None:
    """The language that `impact` reads a file in: a component's script is TypeScript."""
    return language_of("component.ts" if path.endswith(COMPONENTS) else path)
