"""The block in which a script of Python says what it needs: `# /// script`."""

from bot.text.lines import utf8

BEGIN, END = "# /// script", "# ///"


def block(source: bytes) -> bytes:
    """Return what the block holds, in TOML, on the lines that it has in the script."""
    rows, is_inside = list[str](), False
    for line in utf8(source).decode("utf-8", "replace").splitlines():
        if is_inside and (line.rstrip() == END or not line.startswith("#")):
            break
        rows.append(line[1:].removeprefix(" ") if is_inside else "")
        is_inside = is_inside or line.rstrip() == BEGIN
    return "\n".join(rows).encode() if is_inside else b""
