"""The first process of every sandbox: it probes, waits for the tree, unpacks it, and runs the command.

Nothing inside can end it: the kernel keeps signals of a sandbox from its first process. When it ends, everything in there does.
Nothing of the repository is in the sandbox until the probe's report was read and found good: the tree comes through the pipe after it.
Only a POSIX shell, `tar` and what every system has beside them are used, so any image will do; `command -p` finds the system's own, because
folders of the tree come first in PATH.
"""

REPORTED, READY = "deeprepo: probed", "deeprepo: ready"  # lines that end the report, and all that is not the command's
SETUP = 125  # the exit status of a sandbox whose tree could not be unpacked

PROBE = r"""
echo "net $(readlink /proc/self/ns/net)"
echo "pid $(readlink /proc/self/ns/pid)"
echo "uid $(id -u)"
while read -r row; do case "$row" in *:*) echo "interface ${row%%:*}";; esac; done < /proc/net/dev
env | while IFS='=' read -r name _; do echo "variable $name"; done
count=0; for one in /proc/[0-9]*; do count=$((count + 1)); done; echo "processes $count"
for place in $PLACES; do echo "place $(stat -c %d:%i "$place" 2>/dev/null) $place"; done
for folder in / /usr /etc /dev /proc/sys/kernel /sys; do
  ( : > "$folder/.deeprepo-probe" ) 2>/dev/null && echo "writes $folder"
done
while read -r name value; do case "$name" in CapEff:|CapBnd:|NoNewPrivs:|Seccomp:) echo "$name $value";; esac; done < /proc/self/status
if command -v bash >/dev/null 2>&1; then
  bash -c ": < /dev/tcp/127.0.0.1/$PORT" 2>/dev/null && echo "connects 127.0.0.1:$PORT"
fi
"""

SCRIPT = rf"""
umask 022
ulimit -c 0
ulimit -t unlimited 2>/dev/null
ulimit -d unlimited 2>/dev/null
ulimit -u "$PROCESSES" 2>/dev/null || ulimit -p "$PROCESSES" 2>/dev/null
echo 1000 2>/dev/null > /proc/self/oom_score_adj
cd {{box}} && mkdir -p work home tmp || exit {SETUP}
{PROBE}
unset PLACES PORT
echo "{REPORTED}"
tar -x -o -f - -C {{box}} || exit {SETUP}
unset PROCESSES KEEP OLDPWD
cd {{work}} || exit {SETUP}
echo "{READY}"
command -p nice -n 5 /bin/sh -c "$1" </dev/null 2>&1
exit $?
"""

# The same, and what the command leaves goes to standard output: what it prints goes to standard error.
KEEPING = SCRIPT.replace(
    'command -p nice -n 5 /bin/sh -c "$1" </dev/null 2>&1\nexit $?',
    'command -p nice -n 5 /bin/sh -c "$1" </dev/null >&2 2>&1 || exit $?\ncommand -p tar -c -f - -C {box} work home',
)


def script(*, box: str, work: str, keep: bool) -> str:
    """Return the script for the folders of a sandbox."""
    return (KEEPING if keep else SCRIPT).replace("{box}", box).replace("{work}", work)
