from nominee.cli.bench_scenarios import SCENARIOS as KNOWN
from nominee.cli.bench_volumes import VOLUMES
from tools.bench_table import SCENARIOS, row


def test_a_measurement_is_a_row_of_the_table() -> None:
    figures = {
        "scenario": "basic",
        "nodes": 5000,
        "pods": 10000,
        "placed": 9999,
        "pods_per_s": 12345.6,
        "us_per_pod": 81.04,
        "peak_mib": 49.7,
    }
    assert row(figures) == "| basic | 5,000 | 10,000 | 9,999 | 12,346 | 81.0 | 50 |"


def test_every_scenario_is_measured() -> None:
    assert set(SCENARIOS) == {*KNOWN, VOLUMES.name}
