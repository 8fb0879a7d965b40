import pytest

from bot.commands import carrying


@pytest.mark.parametrize(
    ("earlier", "found"),
    [
        ([], None),
        ([900.0, 950.0], None),
        ([100.0, 900.0, 950.0], (45, False)),
        ([950.0, 100.0, 900.0, 990.0], (59, True)),
        ([-2_600.0, 900.0, 950.0], None),
        ([-2_599.0, 900.0, 950.0], (1, False)),
        ([100.0, 900.0, 5_000.0], None),
    ],
)
def test_a_person_has_so_many_commands_in_an_hour(earlier: list[float], found: tuple[int, bool] | None) -> None:
    """At second 1000 with three in an hour: who goes on is told once, and waits until enough of them are an hour old."""
    assert carrying.judge(earlier, 1_000.0, 3) == found
