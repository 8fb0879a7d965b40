"""A system call filter, which blocks calls that no test needs.

The blocked calls would let code use memory that counts for no process, or reach rarely used kernel
interfaces. A refused call returns that the system does not implement it.

System V shared memory segments may have one page, because database servers mark their folder as in use with
one. Sockets may only be local, IP or netlink. Other families, such as the connection from a virtual machine
to its host, belong to no network namespace.
"""

import errno
import platform
import struct

# By machine: the kernel's architecture number and the numbers of the blocked calls.
MACHINES = {
    "x86_64": (0xC000003E, (319, 447, 425, 426, 427, 323, 321, 298, 248, 249, 250, 304, 308, 246, 101, 310, 311, 68)),
    "aarch64": (0xC00000B7, (279, 447, 425, 426, 427, 282, 280, 241, 217, 218, 219, 265, 268, 104, 117, 270, 271, 186)),
}
SOCKETS = {"x86_64": 41, "aarch64": 198}  # socket
SEGMENTS = {"x86_64": 29, "aarch64": 194}  # shmget
PAGE_BYTES = 4096  # size of a segment; by default at most 4,096 segments (kernel.shmmni) per namespace
FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
X32 = 0x40000000  # calls of the x32 interface start here
LOAD, EQUAL, ABOVE, AT_LEAST, RETURN = 0x20, 0x15, 0x25, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
UNKNOWN_FAMILY = 0x00050000 | errno.EAFNOSUPPORT  # the error for an unknown family of sockets
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24  # offsets of a call's number, architecture and arguments


def program(machine: str = "") -> bytes | None:
    """Return the filter for a machine, by default this one; None if its calls are not known here."""
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, calls = known
    name = machine or platform.machine()
    families = [(EQUAL, len(FAMILIES) - index, 0, family) for index, family in enumerate(FAMILIES)]
    sockets = [(LOAD, 0, 0, FIRST), *families, (RETURN, 0, 0, UNKNOWN_FAMILY), (RETURN, 0, 0, ALLOW)]
    # Compare the upper half of the size, then the lower one. Too large a size jumps to the row after the
    # next.
    segments = [
        (LOAD, 0, 0, SECOND + 4),
        (EQUAL, 0, 3, 0),
        (LOAD, 0, 0, SECOND),
        (ABOVE, 1, 0, PAGE_BYTES),
        (RETURN, 0, 0, ALLOW),
    ]
    known_calls = [
        (EQUAL, 0, len(sockets), SOCKETS[name]), *sockets,
        (EQUAL, 0, len(segments) + 1, SEGMENTS[name]), *segments, (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]  # fmt: skip
    # Rows from the first comparison of a number to the last row, which refuses.
    left = len(calls) + len(known_calls)
    rows = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    rows.append((AT_LEAST, left, 0, X32))
    rows += [(EQUAL, left - at, 0, number) for at, number in enumerate(calls, 1)]
    rows += [*known_calls, (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("=HBBI", *row) for row in rows)
