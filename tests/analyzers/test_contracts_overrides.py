"""Overrides whose base method's signature changed, in every language in which a class names its base."""

from collections.abc import Mapping

import pytest
from contract_findings import look
from fakes import Repository

Files = Mapping[str, str]
# language -> files before the change, changed files, overrides that still have the old signature
LEFT: dict[str, tuple[Files, Files, list[tuple[str, int]]]] = {
    "python": (
        {
            "base.py": "class Job:\n    def run(self, name):\n        raise NotImplementedError\n",
            "mail.py": "from base import Job\n\n\nclass Mail(Job):\n    def run(self, name):\n        return name\n",
        },
        {"base.py": "class Job:\n    def run(self, name, when):\n        raise NotImplementedError\n"},
        [("mail.py", 5)],
    ),
    "typescript": (
        {
            "base.ts": "export abstract class Job {\n  abstract run(name: string, when: number): void\n}\n",
            "mail.ts": "import { Job } from './base'\nexport class Mail extends Job {\n  run(name: string, when: number) {}\n}\n",
        },
        {"base.ts": "export abstract class Job {\n  abstract run(name: string): void\n}\n"},
        [("mail.ts", 3)],
    ),
    "java interface": (
        {
            "src/a/Job.java": "package a;\npublic interface Job {\n  void run(String name);\n}\n",
            "src/b/Mail.java": "package b;\nimport a.Job;\nclass Mail implements Job {\n  public void run(String name) {}\n}\n",
        },
        {"src/a/Job.java": "package a;\npublic interface Job {\n  void run(String name, int when);\n}\n"},
        [("src/b/Mail.java", 4)],
    ),
    "kotlin": (
        {
            "src/a/Job.kt": "package a\n\ninterface Job {\n    fun run(name: String)\n}\n",
            "src/a/Mail.kt": "package a\n\nclass Mail : Job {\n    override fun run(name: String) {}\n}\n",
        },
        {"src/a/Job.kt": "package a\n\ninterface Job {\n    fun run(name: String, time: Int)\n}\n"},
        [("src/a/Mail.kt", 4)],
    ),
    "csharp": (
        {
            "Job.cs": "namespace A;\npublic interface IJob {\n  void Run(string name);\n}\n",
            "Mail.cs": "namespace A;\nclass Mail : IJob {\n  public void Run(string name) { }\n}\n",
        },
        {"Job.cs": "namespace A;\npublic interface IJob {\n  void Run(string name, int when);\n}\n"},
        [("Mail.cs", 3)],
    ),
    "php": (
        {
            "composer.json": '{"autoload": {"psr-4": {"A\\\\": "src/"}}}',
            "src/Job.php": "<?php\nnamespace A;\nabstract class Job {\n    abstract function run($name);\n}\n",
            "src/Mail.php": "<?php\nnamespace A;\nclass Mail extends Job {\n    function run($name) {}\n}\n",
        },
        {"src/Job.php": "<?php\nnamespace A;\nabstract class Job {\n    abstract function run($name, $when);\n}\n"},
        [("src/Mail.php", 4)],
    ),
    "ruby": (
        {
            "job.rb": "class Job\n  def run(name)\n  end\nend\n",
            "mail.rb": "require_relative 'job'\n\nclass Mail < Job\n  def run(name)\n    name\n  end\nend\n",
        },
        {"job.rb": "class Job\n  def run(name, time)\n  end\nend\n"},
        [("mail.rb", 4)],
    ),
    "c++ with the namespace of the base": (
        {
            "shop/job.h": "namespace shop::jobs {\nclass Job {\n public:\n  virtual void run(int name) = 0;\n};\n}\n",
            "mail.cc": '#include "shop/job.h"\n\nclass Mail : public shop::jobs::Job {\n public:\n  void run(int name) override {}\n};\n',
        },
        {
            "shop/job.h": "namespace shop::jobs {\nclass Job {\n public:\n  virtual void run(int name, int time) = 0;\n};\n}\n"
        },
        [("mail.cc", 5)],
    ),
    "c++": (
        {
            "job.h": "class Job {\n public:\n  virtual void run(int name) = 0;\n};\n",
            "mail.cc": '#include "job.h"\n\nclass Mail : public Job {\n public:\n  void run(int name) override {}\n};\n',
        },
        {"job.h": "class Job {\n public:\n  virtual void run(int name, int time) = 0;\n};\n"},
        [("mail.cc", 5)],
    ),
    # below a class that has a base itself, which doesn't have the method
    "java below a base": (
        {
            "src/a/Named.java": "package a;\npublic interface Named {\n  String name();\n}\n",
            "src/a/Job.java": "package a;\npublic class Job implements Named {\n  public void run(String name) {}\n}\n",
            "src/a/Mail.java": "package a;\nclass Mail extends Job {\n  @Override public void run(String name) {}\n}\n",
        },
        {
            "src/a/Job.java": "package a;\npublic class Job implements Named {\n  public void run(String name, int time) {}\n}\n"
        },
        [("src/a/Mail.java", 3)],
    ),
    "kotlin below a base": (
        {
            "src/a/Named.kt": 'package a\n\ninterface Named {\n    val label: String get() = "x"\n}\n',
            "src/a/Job.kt": "package a\n\nopen class Job : Named {\n    open fun run(name: String) {}\n}\n",
            "src/a/Mail.kt": "package a\n\nclass Mail : Job() {\n    override fun run(name: String) {}\n}\n",
        },
        {"src/a/Job.kt": "package a\n\nopen class Job : Named {\n    open fun run(name: String, time: Int) {}\n}\n"},
        [("src/a/Mail.kt", 4)],
    ),
    "csharp below a base whose method changes, too": (
        {
            "IJob.cs": "namespace A;\npublic interface IJob {\n  void Run(string name);\n}\n",
            "Job.cs": "namespace A;\npublic class Job : IJob {\n  public virtual void Run(string name) { }\n}\n",
            "Mail.cs": "namespace A;\nclass Mail : Job {\n  public override void Run(string name) { }\n}\n",
        },
        {
            "IJob.cs": "namespace A;\npublic interface IJob {\n  void Run(string name, int time);\n}\n",
            "Job.cs": "namespace A;\npublic class Job : IJob {\n  public virtual void Run(string name, int time) { }\n}\n",
        },
        [("Mail.cs", 3)],
    ),
    "swift below a base": (
        {
            "Job.swift": 'protocol Named { var label: String { get } }\nclass Job: Named {\n  var label = "x"\n  func run(name: String) {}\n}\n',
            "Mail.swift": "class Mail: Job {\n  override func run(name: String) {}\n}\n",
        },
        {
            "Job.swift": 'protocol Named { var label: String { get } }\nclass Job: Named {\n  var label = "x"\n  func run(name: String, time: Int) {}\n}\n'
        },
        [("Mail.swift", 2)],
    ),
}
PYTHON = "class Job:\n    def run(self, name): ...\n"
CHANGED = {"base.py": "class Job:\n    def run(self, name, when): ...\n"}
# why there is no finding -> files before the change, changed files
SILENT: dict[str, tuple[Files, Files]] = {
    "the override was updated": (
        {"base.py": PYTHON, "m.py": "from base import Job\n\n\nclass M(Job):\n    def run(self, name): ...\n"},
        {**CHANGED, "m.py": "from base import Job\n\n\nclass M(Job):\n    def run(self, name, when): ...\n"},
    ),
    "it takes anything": (
        {"base.py": PYTHON, "m.py": "from base import Job\n\n\nclass M(Job):\n    def run(self, *args): ...\n"},
        CHANGED,
    ),
    "the new parameter is optional": (
        {"base.py": PYTHON, "m.py": "from base import Job\n\n\nclass M(Job):\n    def run(self, name): ...\n"},
        {"base.py": "class Job:\n    def run(self, name, when=None): ...\n"},
    ),
    "another class of that name": (
        {"base.py": PYTHON, "m.py": "from other import Job\n\n\nclass M(Job):\n    def run(self, name): ...\n"},
        CHANGED,
    ),
    "a constructor is nobody's override": (
        {
            "base.py": "class Job:\n    def __init__(self, name): ...\n",
            "m.py": "from base import Job\n\n\nclass M(Job):\n    def __init__(self, name): ...\n",
        },
        {"base.py": "class Job:\n    def __init__(self, name, when): ...\n"},
    ),
    "typescript takes an override that asks for less": (
        {
            "base.ts": "export abstract class Job {\n  abstract run(name: string): void\n}\n",
            "mail.ts": "import { Job } from './base'\nexport class Mail extends Job {\n  run(name: string) {}\n}\n",
        },
        {"base.ts": "export abstract class Job {\n  abstract run(name: string, when: number): void\n}\n"},
    ),
    "a class of the same name in another namespace of C++": (
        {
            "shop/job.h": "namespace shop::jobs {\nclass Job {\n public:\n  virtual void run(int name) = 0;\n};\n}\n",
            "mail.cc": '#include <other/job.h>\n#include "shop/job.h"\n\nclass Mail : public other::Job {\n public:\n  void run(int name) override {}\n};\n',
        },
        {
            "shop/job.h": "namespace shop::jobs {\nclass Job {\n public:\n  virtual void run(int name, int time) = 0;\n};\n}\n"
        },
    ),
    "a method of an interface of C# that made way for another one": (
        {
            "Job.cs": "namespace A;\npublic interface IJob {\n  int Prime();\n  int Update(string name, int when);\n}\n",
            "Mail.cs": "namespace A;\nclass Mail : IJob {\n  public int Prime() { return 1; }\n  public int Update(string name, int when) { return when; }\n}\n",
        },
        {
            "Job.cs": "namespace A;\npublic interface IJob {\n  int Prime();\n  int Reset();\n}\n",
            "Mail.cs": 'namespace A;\nclass Mail : IJob {\n  public int Prime() { return Update("", 1); }\n  public int Reset() { return 2; }\n  public int Update(string name, int when) { return when; }\n}\n',
        },
    ),
    "a base of the class still has the former method": (
        {
            "Top.cs": "namespace A;\npublic class Top {\n  public virtual void Run(string name) { }\n}\n",
            "Job.cs": "namespace A;\npublic class Job : Top {\n  public override void Run(string name) { }\n}\n",
            "Mail.cs": "namespace A;\nclass Mail : Job {\n  public override void Run(string name) { }\n}\n",
        },
        {"Job.cs": "namespace A;\npublic class Job : Top {\n  public virtual void Run(string name, int time) { }\n}\n"},
    ),
    "a base that is unknown may have the former method": (
        {
            "src/a/Job.java": "package a;\nimport org.jobs.Top;\npublic class Job extends Top {\n  public void run(String name) {}\n}\n",
            "src/a/Mail.java": "package a;\nclass Mail extends Job {\n  @Override public void run(String name) {}\n}\n",
        },
        {
            "src/a/Job.java": "package a;\nimport org.jobs.Top;\npublic class Job extends Top {\n  public void run(String name, int time) {}\n}\n"
        },
    ),
    "an overload of java takes the call": (
        {
            "src/a/Job.java": "package a;\npublic class Job {\n  void run(String name) {}\n}\n",
            "src/a/Mail.java": "package a;\nclass Mail extends Job {\n  void run(String name) {}\n  void run(String name, int when) {}\n}\n",
        },
        {"src/a/Job.java": "package a;\npublic class Job {\n  void run(String name, int when) {}\n}\n"},
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_outdated_override_is_reported(name: str, repository: Repository) -> None:
    """The finding is at the override and quotes the base method before and after the change."""
    before, after, places = LEFT[name]
    found = [item for item in look(repository.change(dict(before), dict(after))) if item.rule == "override"]
    assert [(item.path, item.start) for item in found] == places
    assert [item.side for item in found[0].evidence] == ["base", "head"]


@pytest.mark.parametrize("name", SILENT)
def test_matching_override_is_not_reported(name: str, repository: Repository) -> None:
    """Overrides that match or may match, and methods that never were overrides, are not reported."""
    before, after = SILENT[name]
    assert [item.title for item in look(repository.change(dict(before), dict(after))) if item.rule == "override"] == []


# language -> the base method's parameters before the change, and with a new parameter added in front
MIDDLE = {
    "java interface": ("String name", "int when, String name"),
    "kotlin": ("name: String", "time: Int, name: String"),
    "csharp": ("string name", "int when, string name"),
    "php": ("$name", "$when, $name"),
    "python": ("self, name", "self, when, name"),
}
