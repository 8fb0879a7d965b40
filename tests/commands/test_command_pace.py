import pytest

from bot.commands import carrying
from bot.commands.carrying import CommandAllowance


@pytest.mark.parametrize(
    ("earlier", "found"),
    [
        ([], CommandAllowance(free=True)),
        ([900.0, 950.0], CommandAllowance(free=True)),
        ([100.0, 900.0, 950.0], CommandAllowance(free=False, minutes=45)),
        ([950.0, 100.0, 900.0, 990.0], CommandAllowance(free=False, minutes=59, was_told=True)),
        ([-2_600.0, 900.0, 950.0], CommandAllowance(free=True)),
        ([-2_599.0, 900.0, 950.0], CommandAllowance(free=False, minutes=1)),
        ([100.0, 900.0, 5_000.0], CommandAllowance(free=True)),
    ],
)
def test_a_person_has_so_many_commands_in_an_hour(earlier: list[float], found: CommandAllowance) -> None:
    """At second 1000 with three in an hour: who goes on is told once, and waits until enough of them are an hour old."""
    assert carrying.judge(earlier, 1_000.0, 3) == found
