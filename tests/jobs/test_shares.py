"""Who has the next place for commands."""

from dataclasses import dataclass

from bot.jobs.shares import Shares


@dataclass(frozen=True)
class Row:
    """What the choice looks at."""

    id: str
    installation: int
    person: str
    priority: int = 10
    created_at: float = 0


def begun(waiting: list[Row], running: list[Row], places: int = 8) -> list[str]:
    """The commands that get the free places, in order; they run from then on."""
    names = []
    while (name := Shares("commands", places).choose(waiting, running, places - len(running))) is not None:
        row = next(row for row in waiting if row.id == name)
        waiting.remove(row)
        running.append(row)
        names.append(name)
    return names


def test_what_nobody_waits_for_has_a_share() -> None:
    """Of two hundred jobs of one installation that name no person two run; its maintainer and another installation begin at once."""
    waiting = [Row(f"tidy{n}", 1, "", 20, n) for n in range(200)]
    running: list[Row] = []
    assert len(begun(waiting, running)) == 2
    waiting += [Row("team", 1, "maintainer", 10, 500), Row("other", 2, "guest", 10, 501)]
    assert sorted(begun(waiting, running)) == ["other", "team"]


def test_what_nobody_waits_for_is_not_left_for_ever() -> None:
    """With as many places as a person who asks without end, it has its turn when one of them is free."""
    waiting = [Row(f"ask{n}", 1, "ann", 10, n) for n in range(50)] + [Row("tidy", 1, "", 20, 99)]
    assert "tidy" in begun(waiting, [])


def test_the_last_quarter_is_for_installations_that_have_no_place() -> None:
    """Ten installations with nothing but tidying leave places that a newcomer gets at once."""
    running = [Row(f"run{n}", n // 2, "") for n in range(6)]
    assert begun([Row("more", 0, ""), Row("new", 9, "ann", 10, 7)], running) == ["new"]
