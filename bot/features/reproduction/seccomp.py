"""A filter that blocks system calls that no test needs.

The blocked calls would let code use memory that is not counted for any process, or reach rarely used kernel
interfaces. A blocked call fails with ENOSYS, as if the kernel did not implement it.

System V shared memory segments are limited to one page, because database servers use one to mark their folder
as in use. Sockets may only be local, IP or netlink. Other families, such as the connection from a virtual
machine to its host, are not isolated by network namespaces.
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
# Maximum size of a segment; a namespace has at most 4,096 segments by default (kernel.shmmni)
PAGE_BYTES = 4096
FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
X32 = 0x40000000  # calls of the x32 interface start here
LOAD, EQUAL, ABOVE, AT_LEAST, RETURN = 0x20, 0x15, 0x25, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
UNKNOWN_FAMILY = 0x00050000 | errno.EAFNOSUPPORT  # the error for an unsupported socket family
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24  # offsets of a call's number, architecture and arguments


def program(machine: str = "") -> bytes | None:
    """Return the BPF program for a machine type, by default this one's, or None if the type is unknown."""
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, calls = known
    name = machine or platform.machine()
    families = [(EQUAL, len(FAMILIES) - index, 0, family) for index, family in enumerate(FAMILIES)]
    sockets = [(LOAD, 0, 0, FIRST), *families, (RETURN, 0, 0, UNKNOWN_FAMILY), (RETURN, 0, 0, ALLOW)]
    # Compare the upper half of the size, then the lower half. If it is too large, skip the row that allows.
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
    # The number of rows from the first comparison of a call's number to the last row, which refuses the call.
    left = len(calls) + len(known_calls)
    rows = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    rows.append((AT_LEAST, left, 0, X32))
    rows += [(EQUAL, left - at, 0, number) for at, number in enumerate(calls, 1)]
    rows += [*known_calls, (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("=HBBI", *row) for row in rows)
