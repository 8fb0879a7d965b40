"""Pictures, sounds, fonts and documents: files for a viewer or a player, by their names and by how they begin."""

import re

# How files begin whose name ends so. Archives, programs and everything else that is no text may hold anything.
KINDS = (
    (re.compile(r"\.png$", re.IGNORECASE), re.compile(rb"\x89PNG\r\n")),
    (re.compile(r"\.jpe?g$", re.IGNORECASE), re.compile(rb"\xff\xd8\xff")),
    (re.compile(r"\.gif$", re.IGNORECASE), re.compile(rb"GIF8[79]a")),
    (re.compile(r"\.(webp|wav)$", re.IGNORECASE), re.compile(rb"RIFF[\s\S]{4}(WEBP|WAVE)")),
    (re.compile(r"\.(avif|heic|mp4|m4a|mov)$", re.IGNORECASE), re.compile(rb"[\s\S]{4}ftyp")),
    (re.compile(r"\.(ico|cur)$", re.IGNORECASE), re.compile(rb"\x00\x00[\x01\x02]\x00")),
    (re.compile(r"\.icns$", re.IGNORECASE), re.compile(rb"icns")),
    (re.compile(r"\.bmp$", re.IGNORECASE), re.compile(rb"BM")),
    (re.compile(r"\.tiff?$", re.IGNORECASE), re.compile(rb"II\*\x00|MM\x00\*")),
    (re.compile(r"\.woff2?$", re.IGNORECASE), re.compile(rb"wOF[F2]")),
    (re.compile(r"\.(ttf|otf|ttc)$", re.IGNORECASE), re.compile(rb"\x00\x01\x00\x00|OTTO|true|ttcf")),
    (re.compile(r"\.eot$", re.IGNORECASE), re.compile(rb"[\s\S]{34}LP")),
    (re.compile(r"\.mp3$", re.IGNORECASE), re.compile(rb"ID3|\xff[\xe0-\xff]")),
    (re.compile(r"\.(ogg|ogv|oga|opus)$", re.IGNORECASE), re.compile(rb"OggS")),
    (re.compile(r"\.(webm|mkv)$", re.IGNORECASE), re.compile(rb"\x1a\x45\xdf\xa3")),
    (re.compile(r"\.flac$", re.IGNORECASE), re.compile(rb"fLaC")),
    (re.compile(r"\.pdf$", re.IGNORECASE), re.compile(rb"%PDF-")),
)
HEAD_BYTES = 8_000  # in which git looks for a NUL byte


def begins(path: str, start: bytes) -> bool:
    """Whether a file is for a viewer or a player by its name and by how it begins."""
    return any(name.search(path) and begin.match(start) for name, begin in KINDS)


def is_binary(blob: bytes) -> bool:
    """Whether a file is not a text, as git decides it."""
    return b"\0" in blob[:HEAD_BYTES]
