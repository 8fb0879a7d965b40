"""How large a file, and how long a line of it, may be for the patterns and parsers of languages. Pure."""

from dataclasses import dataclass

from bot.text.lines import utf8


@dataclass(frozen=True, slots=True)
class Cap:
    """How much of a file patterns and parsers may see: nothing of one that is larger, and an empty line for one that is longer. In bytes."""

    size: int
    line: int

    def shorten(self, source: bytes) -> bytes:
        """Return the part of a file that may be seen, in UTF-8."""
        source = utf8(source)
        if len(source) > self.size:
            return b""
        return b"\n".join([line if len(line) <= self.line else b"" for line in source.split(b"\n")])

    def problem(self, source: bytes) -> str:
        """Return why something of a file may not be seen, as what follows its path in a sentence; "" if all of it may."""
        source = utf8(source)
        if len(source) > self.size:
            return f"is larger than {self.size >> 10} kB"
        if any(len(line) > self.line for line in source.split(b"\n")):
            return f"has a line of more than {self.line:,} characters"
        return ""


CONFIG = Cap(64 << 10, 2_000)  # a configuration file; a longer line was written by a program
# A manifest that is parsed; one that is read line by line, or is JSON, may be as large as any file.
MANIFEST = Cap(512 << 10, 20_000)
