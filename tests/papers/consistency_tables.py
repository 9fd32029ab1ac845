"""Tables 1, 6, 8 and 9 of `fluri2024`, as printed: shares in percent above .05, .1, .25, .5, .75 and 1."""

TABLE_1 = """
boards 20.2 6.1 0.6 0.09 0.02 <0.01
recommended 19.5 2.6 0.2 0.03 0.01 <0.01
forced 6.3 0.4 0.05 0.01 <0.01 <0.01
mirror 0.4 0.07 0.01 <0.01 0 0
"""
TABLE_6 = """
1 53.9 32.9 11.2 3.2 1.2 0.5
100 31.5 7.7 0.5 0.07 0.03 0.01
200 26.8 4.7 0.3 0.04 0.02 <0.01
400 19.5 2.6 0.2 0.03 0.01 <0.01
800 12.8 1.5 0.1 0.02 <0.01 <0.01
1600 10.5 1.0 0.06 <0.01 0 0
3200 6.5 0.5 0.03 <0.01 0 0
"""
TABLE_8 = """
recommended 25.6 15.8 5.1 1.1 0.3 0.02
mirror 25.0 15.3 4.7 0.9 0.2 0.01
forced 11.1 7.3 2.8 0.8 0.3 0.02
boards 7.5 5.6 3.6 1.8 0.8 <0.01
"""
TABLE_9 = """
recommended 17.0 8.5 1.6 0.2 0.06 <0.01
mirror 16.4 7.9 1.4 0.2 0.03 <0.01
forced 15.6 8.1 1.7 0.4 0.1 <0.01
boards 3.7 2.5 1.2 0.4 0.2 0
"""


def shares(table: str) -> dict[str, list[float | None]]:
    """Rows by their name, as rates; None where only a bound is printed."""
    rows = (line.split() for line in table.strip().splitlines())
    return {name: [None if entry.startswith("<") else float(entry) / 100 for entry in entries] for name, *entries in rows}
