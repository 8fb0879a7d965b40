# mypy: ignore-errors
# The built-in orchestration program: what runs in the REPL where no root model does. It uses the names that a root model
# gets, and the REPL's own dialect of Python, so it is also the example to learn them from. It is never imported.

QUESTION = "What is wrong with this change, and whom does it break?"


def folder(path):
    return path.rpartition("/")[0]


# 1. Map: the units of one folder are one question; all questions go out at once, the riskiest folder first.
groups = {}
for unit in units:
    groups.setdefault(folder(unit["path"]), []).append(unit["id"])
replies = ask_batch([(ids, QUESTION) for ids in groups.values()])

# 2. What did not come back is asked once more, unit by unit, so that one failure does not hide its neighbours.
left = coverage()["unread"]
if left:
    replies = replies + ask_batch([([unit_id], QUESTION) for unit_id in left])

# 3. Reduce: report() looks every quote up in the tree and refuses what is not there, or is there twice.
refused = []
for reply in replies:
    for finding in reply["findings"]:
        said = report(**finding)
        if said.startswith("refused"):
            refused.append(f"{finding['path']}: {said}")

# 4. Say what was done.
seen = coverage()
found = findings()
paths = []
for finding in found:
    if finding["path"] not in paths:
        paths.append(finding["path"])
errors = []
for reply in replies:
    if reply["error"] and reply["error"] not in errors:
        errors.append(reply["error"])

print(f"{len(groups)} questions, {len(found)} findings, {len(refused)} refused, {len(seen['unread'])} units unread")
for line in refused + errors:
    print(line)

if found:
    answer["content"] = (
        f"{len(found)} problem{'s' if len(found) > 1 else ''} in {', '.join(paths[:8])}{' and more' if len(paths) > 8 else ''}."
    )
else:
    answer["content"] = f"Nothing found in {seen['reviewed']} of {seen['units']} units."
answer["ready"] = True
