"""Texts of other encodings that say so by their first bytes."""

import codecs

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # the first that fits


def utf8(source: bytes) -> bytes:
    """A text without its byte order mark, in UTF-8 if the mark says that it is UTF-16 or UTF-32."""
    encoding = next((name for mark, name in MARKS if source.startswith(mark)), "")
    if encoding in ("", "utf-8-sig"):
        return source.removeprefix(codecs.BOM_UTF8)
    return source.decode(encoding, "replace").encode("utf-8", "replace")
