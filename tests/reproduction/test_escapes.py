"""Commits with hostile code, tests and archives must not escape the sandbox.

Each case is a tree with a command. The secret word of `boxes.world` is in the environment, in files, in
another process and behind three sockets. It must not appear in the output, no socket may get a connection,
and no process or file may remain.
"""

import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from boxes import LIMITS, OPEN_FOLDERS, World, member, missing, run, tar, world
from waits import patience

from bot.values.reproduction import RunLimits
from deeprepo_sandbox.processes import alive

MARK = f"{5_000_000 + os.getpid()}.51"  # an argument of processes that try to stay alive
SHORT = replace(LIMITS, seconds=1.0)


@dataclass(frozen=True)
class Head:
    """One hostile commit. `ends`: allowed endings; `holds`: output which shows that the attack was tried."""

    name: str
    command: str
    files: Mapping[str, str] = field(default_factory=dict)
    holds: str = ""
    lacks: str = ""
    ends: tuple[str, ...] = ("exit",)
    limits: RunLimits = LIMITS
    tree: bytes = b""
    slow: bool = False


PYTHON = "python3 -m unittest -v tests/test_ok.py"
TEST = {"tests/test_ok.py": "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): pass\n"}
GRAB = """
import os, glob, subprocess
def show(path):
    try:
        with open(path, 'rb') as file: print(path, file.read(4000))
    except OSError as error: print(path, error)
for path in ['/etc/shadow', '/proc/1/environ', '/proc/self/environ', '/root/.netrc', '{home}/.netrc', '{home}/journal.jsonl',
             '{home}/deeprepo.sqlite', '/proc/{pid}/environ', '/proc/{pid}/root{home}/.netrc', '/run/secrets/key', '/var/run/docker.sock']:
    show(path)
for found in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cwd/.netrc'): show(found)
print(dict(os.environ))
print('tried')
"""
CONNECT = """
import socket
for family, where in [(socket.AF_INET, ('127.0.0.1', {port})), (socket.AF_INET, ('10.0.0.1', 80)), (socket.AF_INET, ('169.254.169.254', 80)),
                      (socket.AF_UNIX, '{home}/server.sock'), (socket.AF_UNIX, '\\0{word}'), (socket.AF_UNIX, '/var/run/docker.sock')]:
    s = socket.socket(family); s.settimeout(1)
    try: s.connect(where); print('CONNECTED', where)
    except OSError as error: print(error)
print('tried')
"""


def python(code: str) -> str:
    """Return a shell command that runs this Python code."""
    return f"python3 -c {_quoted(code)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


def absolute(name: str) -> tarfile.TarInfo:
    """Return a tar member with an absolute path."""
    about = member("x")
    about.name = name
    return about


LIBC = "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)\n"
HEADS = [
    # code that tools load and run automatically
    Head("a test reads secrets", PYTHON, {"tests/test_ok.py": GRAB + TEST["tests/test_ok.py"]}, "tried"),
    Head("a test connects", PYTHON, {"tests/test_ok.py": CONNECT + TEST["tests/test_ok.py"]}, "tried", "CONNECTED"),
    Head("the package of the tests", "python3 -m unittest tests.test_ok", {**TEST, "tests/__init__.py": GRAB}, "tried"),
    Head("sitecustomize", f"PYTHONPATH=. {PYTHON}", {**TEST, "sitecustomize.py": GRAB}, "tried"),
    Head("usercustomize in the home", f"mkdir -p ~/.local/lib/python3.11/site-packages; cp u.py ~/.local/lib/python3.11/site-packages/usercustomize.py; {PYTHON}", {**TEST, "u.py": GRAB}),
    Head("a module in the place of unittest", PYTHON, {**TEST, "unittest/__init__.py": "", "unittest/__main__.py": GRAB}, "tried"),
    Head("a module in the place of os", PYTHON, {**TEST, "os.py": "print('tried')", "socket.py": GRAB}),
    Head("conftest.py", "python3 conftest.py", {"conftest.py": GRAB + CONNECT}, "tried", "CONNECTED"),
    Head("setup.py", "python3 setup.py install", {"setup.py": GRAB}, "tried"),
    Head("a Makefile", "make test || sh -c 'cat Makefile; echo tried'", {"Makefile": "test:\n\tcat {home}/.netrc /proc/*/environ; echo tried\n"}, "tried"),
    Head("scripts of package.json", "npm test --silent; npm run postinstall --silent; true", {"package.json": '{"scripts": {"pretest": "cat {home}/.netrc /proc/*/environ; true", "test": "env; echo tried", "postinstall": "cat /etc/shadow"}}'}, "tried"),
    Head("a node test", "node --test t.test.mjs", {"t.test.mjs": "import fs from 'node:fs'; import net from 'node:net';\nfor (const p of ['{home}/.netrc', '/proc/{pid}/environ', '/etc/shadow']) { try { console.log(fs.readFileSync(p, 'utf8')) } catch (e) { console.log(e.code) } }\nnet.connect({port}, '127.0.0.1').on('connect', () => console.log('CONNECTED')).on('error', e => console.log('tried', e.code))\n"}, "tried", "CONNECTED"),
    Head("NODE_OPTIONS of the head", "NODE_OPTIONS='--require ./evil.cjs' node -e 1", {"evil.cjs": "console.log(process.env, require('fs').readdirSync('/'), 'tried')"}, "tried"),
    Head(".npmrc with a script shell", "npm test --silent; true", {".npmrc": "script-shell=./evil.sh\n", "evil.sh": "#!/bin/sh\ncat {home}/.netrc\n", "package.json": '{"scripts": {"test": "true"}}'}),
    Head("build.rs of a crate", "cat build.rs; echo tried", {"build.rs": 'fn main() { std::fs::read("{home}/.netrc"); }', "Cargo.toml": "[package]\nname='x'\n"}, "tried"),
    Head("gradle's init script", "sh gradlew; true", {"gradlew": "cat {home}/.netrc; cat /proc/{pid}/environ; echo tried\n"}, "tried"),
    Head("a java file", "java T.java", {"T.java": 'import java.nio.file.*; class T { public static void main(String[] a) throws Exception { for (String p : new String[]{"{home}/.netrc", "/proc/{pid}/environ"}) try { System.out.println(Files.readString(Path.of(p))); } catch (Exception e) { System.out.println("tried " + e); } System.out.println(System.getenv()); } }'}, "tried", slow=True),
    Head("git with a hook", "git init -q . && cp hook .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git -c user.name=a -c user.email=b@c commit -q --allow-empty -m x; true", {"hook": "#!/bin/sh\ncat {home}/.netrc; echo tried\n"}),
    Head("programs of the head first in PATH", "make --version; python3 -c 1; nice true; echo tried", holds="tried", tree=tar(*((member(f".venv/bin/{name}", mode=0o755), b"#!/bin/sh\ncat {home}/.netrc /proc/*/environ /etc/shadow; exit 0\n") for name in ("python3", "nice", "make", "env", "sh", "tar")))),
    Head("a library that is loaded first", "LD_PRELOAD=./evil.so:/box/work/evil.so LD_LIBRARY_PATH=. su -c id </dev/null; id -u; echo tried", {"evil.so": "\x7fELF"}, "65534"),
    Head("a build.rs that cargo runs", "cargo build --offline; rustc build.rs && ./build; sh build.sh; echo tried", {"build.rs": 'fn main() { println!("{:?}", std::fs::read_to_string("{home}/.netrc")); }', "Cargo.toml": "[package]\nname='x'\nversion='0.1.0'\n", "src/lib.rs": "", "build.sh": "cat {home}/.netrc; echo tried"}, "tried"),
    Head("a go test with an init", "GOTOOLCHAIN=local GOFLAGS=-mod=mod go test -p 1 ./...; go generate ./...; echo tried", {"go.mod": "module x\n", "x.go": "package x\n//go:generate cat {home}/.netrc\nfunc F() {}\n", "x_test.go": 'package x\nimport ("os"; "net"; "fmt"; "testing")\nfunc init() { b, _ := os.ReadFile("{home}/.netrc"); fmt.Println(string(b)); if _, e := net.Dial("tcp", "127.0.0.1:{port}"); e == nil { fmt.Println("CONNECTED") } }\nfunc TestX(t *testing.T) {}\n'}, "tried", "CONNECTED", limits=replace(LIMITS, seconds=90, memory=2 << 30, processes=300, disk=800 << 20), slow=True),
    Head("configuration that runners execute", "for f in jest.config.js vitest.config.mjs .mocharc.cjs babel.config.js; do node $f; done; npm install --offline; echo tried", dict.fromkeys(("jest.config.js", "vitest.config.mjs", ".mocharc.cjs", "babel.config.js"), "import('node:fs').then(fs => { for (const p of ['{home}/.netrc', '/proc/{pid}/environ']) { try { console.log(fs.readFileSync(p, 'utf8')) } catch (e) { console.log(e.code) } } })") | {"package.json": '{"name": "x", "version": "1.0.0", "scripts": {"preinstall": "cat {home}/.netrc", "install": "env"}}'}, "tried", slow=True),
    # secrets, by name and by pattern
    Head("keys by name", "echo ${GITHUB_TOKEN:-none} ${ANTHROPIC_API_KEY:-none}", holds="none none"),
    Head("keys by pattern", "grep -raE '(ghp_|sk-|canary)[A-Za-z0-9]{8,}' / --exclude-dir=usr --exclude-dir=proc --exclude-dir=sys 2>/dev/null | head -50; echo tried", holds="tried"),
    Head("keys in /proc", "grep -aE 'canary|TOKEN|API_KEY' /proc/*/environ /proc/*/cmdline; cat /proc/*/mountinfo; echo tried", holds="tried"),
    Head("the environment of the first process", "tr '\\0' '\\n' < /proc/1/environ; tr '\\0' '\\n' < /proc/1/cmdline | tail -3; echo tried", holds="tried"),
    Head("memory of the first process", "head -c 100 /proc/1/mem; cat /proc/1/maps | head -3; cat /proc/kcore /proc/kmsg /dev/mem; echo tried", holds="tried"),
    Head("descriptors that were left open", "for p in /proc/[0-9]*; do ls -l $p/fd; done; for n in 3 4 5 6 7 8 9 10 11 12; do (cat <&$n); done 2>/dev/null; echo tried", holds="tried"),
    Head("the way the sandbox was started", "cat /proc/1/cmdline | tr '\\0' ' '; cat /proc/self/mountinfo; echo tried", holds="tried"),
    # the network
    Head("an address outside", python(CONNECT), holds="tried", lacks="CONNECTED"),
    Head("a name that is looked up", python("import socket\ntry: print('FOUND', socket.getaddrinfo('example.com', 80))\nexcept OSError as e: print('tried', e)"), holds="tried", lacks="FOUND"),
    Head("a packet", python("import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ntry: print('SENT', s.sendto(b'x', ('8.8.8.8', 53)))\nexcept OSError as e: print('tried', e)"), holds="tried", lacks="SENT"),
    Head("a raw socket", python("import socket\ntry: print('MADE', socket.socket(socket.AF_PACKET, socket.SOCK_RAW))\nexcept OSError as e: print('tried', e)"), holds="tried", lacks="MADE"),
    Head("somebody who listens", f"python3 -m http.server 8000 --bind 0.0.0.0 {MARK} & sleep 0.3; echo tried", holds="tried"),
    Head("somebody who listens for ever", "python3 -m http.server 8001", ends=("seconds",), limits=SHORT),
    Head("netlink", python("import socket\ns = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); s.bind((0, 0)); print('tried')"), holds="tried"),
    Head("sockets of the system's services", "for p in /run/systemd/private /run/dbus/system_bus_socket /run/docker.sock /tmp/.X11-unix/X0 /run/containerd/containerd.sock; do python3 -c \"import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print('CONNECTED')\" $p; done; echo tried", holds="tried", lacks="CONNECTED"),
    # outside the tree
    Head("links to the home", "cat link1 link2/.netrc link3; ls -la; echo tried", tree=tar((member("link1", tarfile.SYMTYPE, "/root/.netrc"), b""), (member("link2", tarfile.SYMTYPE, "/root"), b""), (member("link3", tarfile.SYMTYPE, "/etc/shadow"), b"")), holds="tried"),
    Head("a folder that is a link", "ls -la; echo tried", {"link/escaped.txt": "x"}, tree=tar((member("link", tarfile.SYMTYPE, OPEN_FOLDERS[0]), b"")), ends=("exit", "setup")),
    Head("a hard link out of the tree", "cat hard; echo tried", tree=tar((member("hard", tarfile.LNKTYPE, "../../../etc/shadow"), b"")), ends=("exit", "setup")),
    Head("a name that climbs", "ls; echo tried", tree=tar((member("../../../../tmp/escaped"), b"x")), ends=("exit", "setup")),
    Head("an absolute name", "ls; echo tried", tree=tar((absolute(f"{OPEN_FOLDERS[0]}/escaped"), b"x")), ends=("exit", "setup")),
    Head("a device file of the tree", "cat disk; echo tried", tree=tar((member("disk", tarfile.BLKTYPE), b"")), ends=("exit", "setup")),
    Head("a pipe of the tree", "timeout 1 cat pipe; echo tried", tree=tar((member("pipe", tarfile.FIFOTYPE), b"")), ends=("exit", "setup")),
    Head("a setuid file of the tree", "ls -l su; ./su; id -u; echo tried", tree=tar((member("su", mode=0o6755), b"#!/bin/sh\nid -u\n")), holds="65534"),
    Head("setuid programs of the system", "su -c id root </dev/null; sudo -n id; mount -t tmpfs x /box/home; newgrp root </dev/null; id; echo tried", holds="uid=65534"),
    Head("a device that is made", "mknod disk b 8 0; mknod mem c 1 1; ls -l /dev; echo tried", holds="tried"),
    Head("devices that are there", "dd if=/dev/vda count=1; dd if=/dev/sda count=1; cat /dev/kmsg; echo tried", holds="tried"),
    Head("writes to the system", "for f in /escaped /usr/escaped /etc/escaped /usr/bin/escaped /dev/escaped /proc/sys/kernel/core_pattern /sys/escaped /lib/escaped; do echo x > $f; done; echo tried", holds="tried"),
    Head("the core pattern", "cat /proc/sys/kernel/core_pattern; echo '|/box/work/x' > /proc/sys/kernel/core_pattern; echo tried", holds="tried"),
    Head("a core dump", "ulimit -c unlimited; sh -c 'kill -SEGV $$'; ls core* /tmp/core*; ulimit -c; echo tried", holds="tried"),
    Head("a mount", python(LIBC + "print(libc.mount(b'/', b'/box/home', None, 4096, None), libc.umount2(b'/usr', 2), libc.chroot(b'/')); print('tried')"), holds="tried"),
    Head("a remount", "mount -o remount,rw /usr; mount -o remount,rw /; touch /usr/escaped /escaped; echo tried", holds="tried"),
    Head("namespaces of its own", "unshare -Ur id; unshare -Urm mount --bind / /box/home; unshare -n ip a; nsenter -t 1 -a id; echo tried", holds="tried", lacks="uid=0"),
    Head("a namespace by the system call", python(LIBC + "print([libc.unshare(flag) for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000)]); print('tried')"), holds="[-1, -1, -1, -1]"),
    Head("chroot tricks", "mkdir r; chroot r /bin/sh; cd /proc/1/root && ls; cat /proc/1/root{home}/.netrc; cat /proc/1/cwd/../../../{home}/.netrc; echo tried", holds="tried"),
    Head("the working folder of others", "for p in /proc/[0-9]*; do cat $p/root{home}/.netrc $p/cwd/.netrc; done; echo tried", holds="tried"),
    Head("the kernel's own switches", "for f in /proc/sysrq-trigger /proc/sys/kernel/modprobe /proc/sys/vm/overcommit_memory /proc/sys/fs/binfmt_misc/register /sys/fs/cgroup/release_agent /sys/kernel/uevent_helper /proc/1/oom_score_adj; do echo escaped > $f && echo WRITTEN $f; done; echo tried", holds="tried", lacks="WRITTEN /proc/sys"),
    Head("a terminal that is typed into", python("import fcntl, os\nfor n in range(3):\n try: fcntl.ioctl(n, 0x5412, b'x'); print('TYPED')\n except OSError as e: print('tried', e.errno)\ntry: os.open('/dev/tty', os.O_RDWR); print('TYPED')\nexcept OSError: pass"), holds="tried", lacks="TYPED"),
    Head("tracing and programs in the kernel", python(LIBC + "print('tried', [libc.syscall(n, 0, 0, 0, 0, 0) for n in (321, 298, 323, 246, 310, 308)])"), holds="tried [-1, -1, -1, -1, -1, -1]"),
    # other processes
    Head("its parent is killed", f"kill -9 $PPID; kill -9 1; kill -9 -1; (setsid sleep {MARK} &) ; echo tried", ends=("exit",)),
    Head("a foreign process is killed", "kill -9 {pid}; kill -0 {pid} && echo KILLED; echo tried", holds="tried", lacks="KILLED"),
    Head("a process that is traced", python(LIBC + "print('tried', libc.ptrace(16, {pid}, 0, 0), libc.ptrace(16, 1, 0, 0))"), holds="tried -1"),
    Head("it leaves its session", f"setsid nohup sh -c 'trap \"\" HUP TERM INT; sleep {MARK}; sleep {MARK}' >/dev/null 2>&1 & echo tried", holds="tried"),
    Head("it is a daemon", python(f"import os, time\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  os.closerange(0, 100)\n  os.execvp('sleep', ['sleep', '{MARK}'])\n os._exit(0)\nprint('tried')"), holds="tried"),
    Head("it outlives its limit", f"trap '' TERM INT HUP ALRM XCPU; while :; do sleep {MARK}; done", ends=("seconds",), limits=SHORT),
    Head("it stops itself", "kill -STOP $$; sleep 100", ends=("seconds",), limits=SHORT),
    Head("it closes its output and stays", f"exec >&- 2>&-; sleep {MARK}", ends=("seconds",), limits=SHORT),
    Head("a job for later", "echo 'touch /tmp/escaped' | at now; (crontab -l; echo '* * * * * touch /tmp/escaped') | crontab -; systemd-run touch /tmp/escaped; echo tried", holds="tried"),
    # resource limits
    Head("a fork bomb", python("import os\nwhile True:\n try: os.fork()\n except OSError: pass"), ends=("seconds",), limits=SHORT),
    Head("threads without end", python("import threading, time\nn = 0\ntry:\n while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); n += 1\nexcept RuntimeError as e: print('tried', n < 70, flush=True)\nimport os; os._exit(0)"), holds="tried True"),
    Head("a full disk", "head -c 200000000 /dev/zero > big; head -c 200000000 /dev/zero > /tmp/big; head -c 200000000 /dev/zero > ~/big; df -k /box | tail -1; echo tried", holds="No space left on device"),
    Head("a million files", python("n = 0\ntry:\n while n < 2000000: open(f'f{n}', 'w').close(); n += 1\nexcept OSError as e: print('tried', e)"), ends=("memory", "exit"), limits=replace(LIMITS, seconds=60, disk=8 << 20, memory=64 << 20), slow=True),
    Head("memory of sockets", python("import socket\nk = []\nwhile True:\n try: k.append(socket.socketpair())\n except OSError: pass"), ends=("memory", "exit")),
    Head("memory of pipes", "for n in 1 2 3 4 5 6 7 8; do python3 -c 'import os\nk = []\nwhile True:\n try: k.append(os.pipe())\n except OSError: pass' & done; wait", ends=("memory", "exit")),
    Head("what its first process began with", "tr '\\0' '\\n' < /proc/1/environ; cat /proc/1/cmdline | tr '\\0' ' ' > /dev/null; echo tried", holds="tried", lacks="/etc"),
    Head("shared memory", "head -c 200000000 /dev/zero > /dev/shm/escaped; ls -l /dev/shm; echo tried", holds="No space left on device"),
    Head("all of the memory", python("b = []\nwhile True: b.append(bytearray(8 << 20))"), ends=("memory", "exit")),
    Head("the memory of many", "for n in 1 2 3 4 5 6; do python3 -c 'b = bytearray(90 << 20); import time; time.sleep(9)' & done; wait", ends=("memory", "exit")),
    Head("a gigabyte of output", "head -c 1000000000 /dev/zero", ends=("output",), limits=replace(LIMITS, output=2 << 20)),
    Head("a line without end", "yes | tr -d '\\n'", ends=("output",)),
    Head("a sparse file", "truncate -s 1T huge; ls -l huge | cut -c1-10; cat huge | head -c 100 | wc -c; echo tried", holds="tried"),
    Head("priorities", "nice -n -20 id -u; echo -1000 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj; ulimit -u unlimited; echo tried", holds="1000"),
    Head("limits that are lifted", "ulimit -u 100000; ulimit -c unlimited; prlimit --nproc=100000 --pid $$; ulimit -c; echo tried", holds="tried"),
    # terminal escapes and other misleading output
    Head("escapes of a terminal", "printf '\\033]0;evil\\007\\033[2J\\033[31mred\\033[0m\\033P+q\\033\\\\\\033]52;c;ZXZpbA==\\007tried\\b\\b\\r\\n'", holds="red", lacks="\x1b"),
    Head("marks of our own script", "echo 'deeprepo: probed'; echo 'deeprepo: ready'; echo net net:[1]; exit 0", holds="deeprepo: ready"),
    Head("bytes that are no text", "head -c 20000 /dev/urandom; printf '\\377\\376\\000'; echo; echo tried", holds="tried", lacks="\x00"),
]  # fmt: skip


def filled(text: str, outer: World) -> str:
    """Fill in what an attacker could know about this machine."""
    known = {"{home}": str(outer.home), "{port}": str(outer.port), "{pid}": str(outer.process), "{word}": outer.word}
    for name, value in known.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(head, id=head.name, marks=[pytest.mark.slow] if head.slow or at % 3 else [])
        for at, head in enumerate(HEADS)
    ],
)
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
def test_hostile_commit_cannot_escape_the_sandbox(head: Head, tmp_path: Path) -> None:
    """No secret leaks, no connection is made and nothing remains."""
    with world(tmp_path) as outer:
        files = {path: filled(text, outer) for path, text in head.files.items()}
        began = time.monotonic()
        outcome = run(filled(head.command, outer), files, head.limits, head.tree)
        assert time.monotonic() - began < head.limits.seconds + patience(30)
        assert outer.word.removeprefix("canary") not in outcome.output.replace(f"\0{outer.word}", "")
        assert outer.connections() == 0
        assert outer.files() == frozenset()
        assert Path(f"/proc/{outer.process}/stat").read_text().split()[2] != "Z"
    assert outcome.ending in head.ends, outcome.output[-500:]
    assert head.holds in outcome.output
    assert not head.lacks or head.lacks not in outcome.output
    assert alive(MARK) == []


def test_escape_cases_succeed_outside_a_sandbox(tmp_path: Path) -> None:
    """Outside a sandbox, the same code reads the secrets and connects."""
    with world(tmp_path) as outer:
        code = filled(GRAB + CONNECT, outer)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert outer.word in done.stdout
        assert "CONNECTED" in done.stdout
        assert outer.connections() == 3
