"""A repository that configures a program wherever git allows it. The program records each start in a file."""

import re
import subprocess
from pathlib import Path

from fakes import Repository

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit", "post-index-change",
    "post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit",
    "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout", "reference-transaction",
    "sendemail-validate", "update",
)  # fmt: skip
# Keys of programs that `git help --config` omits, and those of newer versions.
MORE = (
    "filter.<driver>.process", "core.hooksPath", "core.alternateRefsCommand", "trailer.<name>.command", "trailer.<name>.cmd",
    "sendemail.smtpServer", "sendemail.<identity>.tocmd", "sendemail.headerCmd", "instaweb.httpd", "credential.<url>.helper",
    "gpg.ssh.program", "gpg.openpgp.program", "gpg.x509.program", "remote.<name>.vcs", "receive.procReceiveRefs", "uploadpack.packObjectsHook",
    "hook.<name>.command", "submodule.<name>.update", "bundle.<id>.uri", "diff.<driver>.process", "web.browser", "imap.tunnel", "imap.host",
)  # fmt: skip
PROGRAM = re.compile(
    r"command|cmd|program|helper|path|editor|pager|proxy|hook|exec|driver|filter|textconv|clean|smudge|process|tool|askpass|external"
    r"|monitor|vcs|pack$|insteadof|alias|include|update|browser|tunnel|server|template|transaction|uri",
    re.IGNORECASE,
)
NAME = re.compile(r"[a-zA-Z0-9-]+(\..*)?\.[a-zA-Z][a-zA-Z0-9-]*")  # valid configuration keys
ATTRIBUTES = "* filter=evil diff=evil merge=evil\nuser.py -filter\n"
KEPT = re.compile(r"extensions\.|core\.(repositoryformatversion|bare|worktree|abbrev)|.*fsck\..*", re.IGNORECASE)
# Settings that make git run the programs above.
TOGGLES = {
    "log.showSignature": "true", "merge.verifySignatures": "true", "filter.evil.required": "true", "remote.evil.promisor": "true",
    "remote.evil.partialclonefilter": "blob:none", "protocol.allow": "always", "protocol.ext.allow": "always", "protocol.file.allow": "always",
    "pager.log": "true", "submodule.recurse": "true", "status.submoduleSummary": "true", "gpg.format": "openpgp", "maintenance.auto": "true",
    "gc.auto": "1", "core.untrackedCache": "true", "core.repositoryformatversion": "1", "extensions.partialClone": "evil",
    "extensions.worktreeConfig": "true",
}  # fmt: skip


def keys() -> list[str]:
    """Return all keys that this version of git knows, with names for their placeholders."""
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout.split()
    filled = {re.sub(r"<[^>]+>|\*", "evil", key) for key in (*listed, *MORE) if "." in key}
    return sorted(key for key in filled if not KEPT.match(key) and NAME.fullmatch(key))


def programs() -> list[str]:
    """Return the keys that may name a program."""
    return [key for key in keys() if PROGRAM.search(key)]


def setting(key: str, value: str) -> str:
    """Format one setting as text of a configuration file."""
    section, _, rest = key.partition(".")
    sub, dot, name = rest.rpartition(".")
    return f'[{section} "{sub}"]\n\t{name} = {value}\n' if dot else f"[{section}]\n\t{name} = {value}\n"


class Planted:
    """A repository with a change and the program that must not be started."""

    def __init__(self, folder: Path) -> None:
        self.witness = folder / "started"
        self.program = folder / "program"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{self.witness}"\nexit 0\n')
        self.program.chmod(0o755)
        self.repository = Repository(folder / "repository")
        self.git_dir = self.repository.folder / ".git"
        self.before = self._change()
        self.clean = (self.git_dir / "config").read_text()

    def _change(self) -> str:
        repository = self.repository
        module = Repository(repository.folder / "module")
        module.commit({"m.py": "x = 1\n"})
        repository.git("update-index", "--add", "--cacheinfo", f"160000,{module.git('rev-parse', 'HEAD')},module")
        base = repository.commit(
            {"a.py": "def f(a):\n    return a\n", ".gitattributes": ATTRIBUTES, "gone.py": "y = 1\n"}
        )
        repository.git("checkout", "-qb", "feature")
        repository.commit({"a.py": "def f(a, b):\n    return a\n", "b.py": "from a import f\n\nprint(f(1))\n"})
        self._sign()
        repository.write({"a.py": "def f(a, b, c):\n    return a\n", "staged.py": "z = 1\n"})
        repository.git("add", "staged.py")
        repository.write(
            {
                "new.py": "from a import f\n\nf(1)\n",
                "b.py": "from a import f\n\nprint(f(2))\n",
                "gone.py": None,
                "user.py": "from a import f\n\nf(3)\n",
            }
        )
        (module.folder / "m.py").write_text("x = 2\n")
        self._config(module.folder / ".git", ["core.fsmonitor", "filter.evil.clean"])
        (module.folder / ".git" / "info" / "attributes").write_text("* filter=evil\n")
        return base

    def _sign(self) -> None:
        """Sign the newest commit, so that a program would have to check the signature."""
        git = self.repository.git
        head, _, message = git("cat-file", "commit", "HEAD").partition("\n\n")
        signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----"
        made = git("hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{head}\n{signature}\n\n{message}\n".encode())
        git("update-ref", "HEAD", made)

    def plant(self, names: list[str]) -> None:
        """Set these keys to the program in all of the repository's config files, and install all hooks."""
        self._config(self.git_dir, names)
        self._config(self.git_dir, names, "config.worktree", fresh=True)
        self._config(self.git_dir, names, "included", fresh=True)
        with (self.git_dir / "config").open("a") as file:
            file.write(f"[include]\n\tpath = {self.git_dir / 'included'}\n")
        (self.git_dir / "info").mkdir(exist_ok=True)
        (self.git_dir / "info" / "attributes").write_text(ATTRIBUTES)
        for folder in (self.git_dir / "hooks", self.repository.folder / "hooks"):
            folder.mkdir(exist_ok=True)
            for hook in HOOKS:
                (folder / hook).unlink(missing_ok=True)
                (folder / hook).symlink_to(self.program)

    def _config(self, git_dir: Path, names: list[str], file: str = "config", *, fresh: bool = False) -> None:
        hooks = self.repository.folder / "hooks"
        values = {key: str(hooks if key.lower() == "core.hookspath" else self.program) for key in names}
        text = "".join(setting(key, value) for key, value in (values | TOGGLES).items())
        old = (
            ""
            if fresh
            else self.clean
            if git_dir == self.git_dir and hasattr(self, "clean")
            else (git_dir / file).read_text()
        )
        (git_dir / file).write_text(old + text)

    def started(self) -> str:
        """Return the recorded starts since the last call."""
        said = self.witness.read_text() if self.witness.exists() else ""
        self.witness.unlink(missing_ok=True)
        return said
