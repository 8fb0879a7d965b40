"""The seccomp filter for every supported architecture, also others than this machine's."""

import ctypes
import ctypes.util
import re
import signal
import sys
from pathlib import Path

import pytest

from deeprepo.rlm.repl import lock

ARGUMENTS = (0, 1, 2, signal.SIGXCPU)
HEADER = Path("/usr/include/asm-generic/unistd.h")  # the kernel's numbers for aarch64, among others


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    """Load libseccomp, which has the system call numbers of every architecture."""
    name = ctypes.util.find_library("seccomp")
    if name is None:
        pytest.skip("libseccomp is not installed")
    return ctypes.CDLL(name)


def answer(machine: str, audit: int, number: int, argument: int) -> int:
    """Interpret an architecture's filter for one system call, and return its verdict."""
    rows, facts = lock.filter_rows(machine), {lock.MACHINE: audit, lock.NUMBER: number, lock.ARGUMENT: argument}
    at, held = 0, 0
    while True:
        operation, if_true, if_false, operand = rows[at]
        if operation == lock.RETURN:
            return operand
        if operation == lock.LOAD:
            held, at = facts[operand], at + 1
        else:
            at += 1 + (if_true if held == operand else if_false)


@pytest.mark.parametrize("machine", lock.MACHINES)
def test_filter_allows_only_the_listed_system_calls(machine: str, library: ctypes.CDLL) -> None:
    """Only the listed calls pass: one pipe each for `read` and `write`, signal handlers except SIGXCPU."""
    audit, column = lock.MACHINES[machine], list(lock.MACHINES).index(machine)
    arch = ctypes.c_uint32(audit)
    published = [library.seccomp_syscall_resolve_name_arch(arch, name.encode()) for name in lock.CALLS]
    assert [numbers[column] for numbers in lock.CALLS.values()] == published
    allowed = {
        (number, argument)
        for number in range(1_024)
        for argument in ARGUMENTS
        if answer(machine, audit, number, argument) == lock.ALLOW
    }
    read, write, handle, *others = published
    anything = {(number, argument) for number in others for argument in ARGUMENTS}
    assert allowed == {(read, 0), (write, 1), (handle, 0), (handle, 1), (handle, 2), *anything}
    assert answer(machine, audit ^ 1, read, 0) == lock.KILL


@pytest.mark.skipif(not HEADER.exists(), reason="the kernel's headers are not installed")
@pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")
def test_aarch64_system_call_numbers_match_the_kernel_header() -> None:
    """The system call numbers for aarch64 match the kernel's own header."""
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", HEADER.read_text("utf-8")))
    assert {name: int(defined[name]) for name in lock.CALLS} == {name: arm for name, (_, arm) in lock.CALLS.items()}
