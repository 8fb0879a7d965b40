"""System calls that no test needs and that would let code hold memory which counts for nobody, or reach the kernel's rarer doors.

A segment of System V may be one page: a database server marks its folder as taken with one, and the kernel counts them.

Sockets are those of files, of IP and of the kernel's own tables: others belong to no network namespace, such as the line from a
virtual machine to its host, or are doors that no test needs.

A program for the kernel's filter of system calls, written out by hand: a refused call answers that the system does not know it.
"""

import errno
import platform
import struct

# By machine: what the kernel calls it, and the numbers of the calls.
# memfd_create, memfd_secret, io_uring_setup, io_uring_enter, io_uring_register, userfaultfd, bpf, perf_event_open,
# add_key, request_key, keyctl, open_by_handle_at, setns, kexec_load, ptrace, process_vm_readv, process_vm_writev, msgget
MACHINES = {
    "x86_64": (0xC000003E, (319, 447, 425, 426, 427, 323, 321, 298, 248, 249, 250, 304, 308, 246, 101, 310, 311, 68)),
    "aarch64": (0xC00000B7, (279, 447, 425, 426, 427, 282, 280, 241, 217, 218, 219, 265, 268, 104, 117, 270, 271, 186)),
}
SOCKETS = {"x86_64": 41, "aarch64": 198}  # the call that makes one
SEGMENTS = {"x86_64": 29, "aarch64": 194}  # shmget
PAGE_BYTES = 4096  # of a segment; 4,096 of them at most by default (kernel.shmmni), in a namespace of their own
FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
X32 = 0x40000000  # calls of another interface of the same machine begin here
LOAD, EQUAL, ABOVE, AT_LEAST, RETURN = 0x20, 0x15, 0x25, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
UNKNOWN_FAMILY = 0x00050000 | errno.EAFNOSUPPORT  # what a system answers that does not know a family of sockets
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24  # where a call's number, its machine and its arguments stand


def program(machine: str = "") -> bytes | None:
    """Return the filter for a machine, this one by default; None if its calls are not known here."""
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, calls = known
    name = machine or platform.machine()
    families = [(EQUAL, len(FAMILIES) - index, 0, family) for index, family in enumerate(FAMILIES)]
    sockets = [(LOAD, 0, 0, FIRST), *families, (RETURN, 0, 0, UNKNOWN_FAMILY), (RETURN, 0, 0, ALLOW)]
    # The upper half of the size, then the lower one; what is too large goes to the row after the next.
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
    left = len(calls) + len(known_calls)  # rows from the first comparison of a number to the last row, which refuses
    rows = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    rows.append((AT_LEAST, left, 0, X32))
    rows += [(EQUAL, left - at, 0, number) for at, number in enumerate(calls, 1)]
    rows += [*known_calls, (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("=HBBI", *row) for row in rows)
