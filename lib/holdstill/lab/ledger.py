"""The ledger: every figure of the texts beside ours, with a verdict that is computed.

A notebook hands `record` what it measured. Under a batch the records of a notebook are one CSV file of results; a
record whose id is no claim's is a further measurement, which an explanation can cite as `[id]`.
"""

import csv
import math
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from holdstill.core.grid import PuzzleError
from holdstill.lab.intervals import share
from holdstill.lab.paths import project

KINDS = ("exact", "measured", "bound", "timing", "curve", "example", "definition")
CLAIM_COLUMNS = ("id", "seed", "quantity", "published", "unit", "sample", "kind", "note", "notebook")
RECORD_COLUMNS = ("id", "value", "n", "low", "high", "timed", "fitted", "explanation")
NUMBER = r"\d+(?:\.\d+)?(?:e-?\d+)?"
CITED = re.compile(r"\[([^\]\s]+)\]")


class Claim(NamedTuple):
    """One published figure: a row of data/claims.csv, and the notebook that owns it."""

    id: str
    seed: str
    quantity: str
    published: str
    unit: str
    sample: str
    kind: str
    note: str
    notebook: str


class Record(NamedTuple):
    """What a notebook measured under an id. `value` is text, so that any integer survives; None where not known."""

    id: str
    value: str
    n: int | None = None
    low: float | None = None
    high: float | None = None
    timed: bool = False
    fitted: bool = False
    explanation: str = ""
    notebook: str = ""


class Row(NamedTuple):
    """A claim with its verdict."""

    id: str
    published: str
    measured: str | None
    n: int | None
    low: float | None
    high: float | None
    verdict: str
    explanation: str
    notebook: str


def _rows(path: Path, columns: tuple[str, ...]) -> Iterable[tuple[int, dict]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            if tuple(reader.fieldnames or ()) != columns:
                raise PuzzleError(f"{path.name}: line 1 must name the columns {','.join(columns)}")
            for row in reader:
                if None in row or None in row.values():
                    raise PuzzleError(f"{path.name}: line {reader.line_num} does not have {len(columns)} columns")
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PuzzleError(f"{path.name} cannot be read: {error}") from None


def claims(path: Path | None = None) -> dict[str, Claim]:
    """Every claim by its id, in the file's order.

    Raises PuzzleError for an unreadable file, a kind that is none, a figure without a number, an id that stands twice.
    """
    path = path or project().claims
    found: dict[str, Claim] = {}
    for line, row in _rows(path, CLAIM_COLUMNS):
        claim = Claim(**row)
        if claim.kind not in KINDS:
            raise PuzzleError(f"{path.name}: line {line} has the kind {claim.kind!r}, not one of {', '.join(KINDS)}")
        if claim.kind in ("exact", "measured", "bound", "timing") and not re.search(r"\d", claim.published):
            raise PuzzleError(f"{path.name}: line {line} publishes no number: {claim.published!r}")
        if claim.id in found:
            raise PuzzleError(f"{path.name}: line {line} repeats {claim.id}")
        found[claim.id] = claim
    return found


def records(folder: Path) -> dict[str, Record]:
    """Every record below a results folder, by id; empty where there is no folder.

    Raises PuzzleError for an unreadable file, a bad number, an id that two notebooks record.
    """
    found: dict[str, Record] = {}
    for path in sorted(folder.glob("*.csv")):
        for line, row in _rows(path, RECORD_COLUMNS):
            try:
                record = Record(
                    row["id"],
                    row["value"],
                    int(row["n"]) if row["n"] else None,
                    float(row["low"]) if row["low"] else None,
                    float(row["high"]) if row["high"] else None,
                    row["timed"] == "1",
                    row["fitted"] == "1",
                    row["explanation"],
                    path.stem,
                )
                numbers(record.value)
            except ValueError as error:
                raise PuzzleError(f"{path.name}: line {line}: {error}") from None
            if record.id in found:
                raise PuzzleError(f"{path.name}: line {line} repeats {record.id}")
            found[record.id] = record
    return found


def numbers(text: str) -> list[float | int]:
    """The numbers of a figure as printed; integers exact.

    >>> numbers("10-13"), numbers("under 50"), numbers("1, 2, 6"), numbers("3.30"), numbers("")
    ([10, 13], [50], [1, 2, 6], [3.3], [])
    """
    span = re.fullmatch(rf"({NUMBER})-({NUMBER})", text.strip())
    found = list(span.groups()) if span else re.findall(rf"-?{NUMBER}", text)
    if text.strip() and not found:
        raise ValueError(f"{text!r} holds no number")
    return [int(one) if one.lstrip("-").isdigit() else float(one) for one in found]


def _half_digit(text: str) -> float:
    """Half a unit of the last digit that a figure prints."""
    decimals = re.search(r"\.(\d+)", text)
    return 0.5 * 10 ** -(len(decimals.group(1)) if decimals else 0)


def _own_interval(claim: Claim, value: float) -> tuple[float, float]:
    """The published figure's own 99% interval, where it is a share of a known sample; otherwise the value alone.

    A count of boards or positions out of N drawn, or a percentage of those that were drawn, is binomial (Wilson's
    interval, which has a width at 0 and at N too). A percentage of something else than what was drawn (of the pairs on
    72 boards, say) has an error that the text does not let us know.
    """
    sample = re.match(r"(\d+) (\w+)(?!.* over all)", claim.sample)
    if sample is None:
        return value, value
    n, drawn = int(sample[1]), sample[2]
    if claim.unit == "%" and drawn in claim.quantity:
        _, _, low, high = share(value * n / 100, n)
        return low, high
    if claim.unit.split(" ")[0] in ("boards", "positions") and 0 <= value <= n:
        _, _, low, high = share(value, n)
        return low * n / 100, high * n / 100
    return value, value


def verdict(claim: Claim, record: Record | None) -> str:
    """The verdict on a claim, from its kind alone.

    exact: `exact` or `wrong`. measured: `reproduced` where the published value, widened by half its last digit and by
    its own sampling error, meets our 99% interval (`calibrated` where the protocol was fitted to it), or `differs`.
    "under 50" is met by an interval that reaches below 50, "10-13" by one that meets the range. bound: `within` where
    ours is at most the published value ("an order of magnitude": at least), or `beyond`. timing: `ratio`. curve,
    example, definition: `shown`. Without a record: `unjudged`.
    """
    if record is None:
        return "unjudged"
    if claim.kind in ("curve", "example", "definition"):
        return "shown"
    published, ours = numbers(claim.published), numbers(record.value)
    if claim.kind == "timing":
        return "ratio"
    if claim.kind == "exact":
        return "exact" if ours == published else "wrong"
    if claim.kind == "bound":
        at_least = "order of magnitude" in claim.note
        return "within" if (ours[0] >= published[0] if at_least else ours[0] <= published[0]) else "beyond"
    slack = _half_digit(claim.published)
    bottom = _own_interval(claim, published[0])[0] - slack
    top = _own_interval(claim, published[-1])[1] + slack
    if claim.published.startswith("under"):
        bottom, top = -math.inf, published[0]
    low = ours[0] if record.low is None else record.low
    high = ours[0] if record.high is None else record.high
    if low <= top and high >= bottom:
        return "calibrated" if record.fitted else "reproduced"
    return "differs"


def judge(claimed: dict[str, Claim], measured: dict[str, Record]) -> list[Row]:
    """Every claim with its verdict, in the claims' order."""
    rows = []
    for claim in claimed.values():
        record = measured.get(claim.id)
        known = record or Record(claim.id, "")
        rows.append(
            Row(
                claim.id,
                claim.published,
                known.value if record else None,
                known.n,
                known.low,
                known.high,
                verdict(claim, record),
                known.explanation,
                claim.notebook,
            )
        )
    return rows


def unexplained(rows: list[Row], measured: dict[str, Record]) -> list[str]:
    """The ids of claims that differ without an explanation citing a second measured value."""
    return [
        row.id
        for row in rows
        if row.verdict == "differs"
        and not any(cited in measured and cited != row.id for cited in CITED.findall(row.explanation))
    ]


def results_folder() -> Path:
    """Where results are read: the running batch's, or the committed ones of `published`."""
    fresh = os.environ.get("HOLDSTILL_RESULTS")
    return Path(fresh) if fresh else project().results("published")


_recorded: dict[str, Record] = {}


def record(
    claim_id: str,
    value,
    n: int | None = None,
    low: float | None = None,
    high: float | None = None,
    explanation: str | None = None,
    *,
    fitted: bool = False,
    timed: bool = False,
) -> str:
    """Keep what was measured under an id, and get the verdict ("measured" where the id is no claim's).

    `value` is a number or a list of numbers, low and high its 99% interval. `fitted` says that the protocol was fitted
    to the published value, `timed` that the value is a time. `explanation` cites other records as `[id]`. Only a batch
    (HOLDSTILL_RESULTS, HOLDSTILL_NOTEBOOK) writes it to a file; recording an id again replaces it.

    Raises PuzzleError for a value without a number (NaN is none), which the ledger could not judge.
    """
    claim = claims().get(claim_id)
    one = Record(
        claim_id,
        ", ".join(map(_text, value)) if isinstance(value, (list, tuple)) else _text(value),
        None if n is None else int(n),
        None if low is None else float(low),
        None if high is None else float(high),
        timed or (claim is not None and claim.kind == "timing"),
        fitted,
        explanation or "",
        os.environ.get("HOLDSTILL_NOTEBOOK", ""),
    )
    if not re.search(r"\d", one.value):
        raise PuzzleError(f"{claim_id}: {one.value!r} holds no number")
    _recorded[claim_id] = one
    folder = os.environ.get("HOLDSTILL_RESULTS")
    if folder and one.notebook:
        write(Path(folder) / f"{one.notebook}.csv", _recorded.values())
    return "measured" if claim is None else verdict(claim, one)


def recorded(prefix: str) -> list[Row]:
    """The claims under a prefix with what this notebook has recorded of them."""
    return [row for row in judge(claims(), _recorded) if row.id.startswith(prefix) and row.measured is not None]


def _text(value) -> str:
    if isinstance(value, str):
        return value
    as_float = float(value)
    return str(int(value)) if as_float.is_integer() else f"{as_float:.10g}"


def write(path: Path, kept: Iterable[Record]) -> None:
    """Records as a CSV file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    with temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(RECORD_COLUMNS)
        for one in kept:
            bounds = ("" if bound is None else f"{bound:.10g}" for bound in (one.low, one.high))
            n = "" if one.n is None else one.n
            writer.writerow([one.id, one.value, n, *bounds, int(one.timed), int(one.fitted), one.explanation])
    os.replace(temporary, path)


def moved(fresh: dict[str, Record], committed: dict[str, Record]) -> list[str]:
    """One line for each untimed figure that differs between two sets of records, or stands in one only."""
    lines = []
    for name in sorted(fresh.keys() | committed.keys()):
        new, old = fresh.get(name), committed.get(name)
        if (new or old).timed:
            continue
        if old is None or new is None:
            lines.append(f"{name}: {'new' if old is None else 'gone'}")
        elif new[1:5] != old[1:5]:
            lines.append(f"{name}: {old.value} -> {new.value} (n {old.n} -> {new.n})")
    return lines


def as_json(rows: list[Row]) -> list[dict]:
    """Rows for `ledger --json`: numbers as numbers, integers past 2^53 as strings, lists as they are printed."""

    def plain(text: str | None):
        if text is None or not text.strip():
            return None
        if re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text):
            number = numbers(text)[0]
            return text if isinstance(number, int) and abs(number) > 2**53 else number
        return text

    return [{**row._asdict(), "published": plain(row.published), "measured": plain(row.measured)} for row in rows]


def markdown(rows: list[Row]) -> str:
    """The judged claims as a Markdown table, with a line of totals: what the README shows."""
    lines = ["| claim | published | measured | 99% interval | n | verdict |", "|---|---|---|---|---|---|"]
    for row in rows:
        if row.verdict != "unjudged":
            measured = f"{numbers(row.measured)[0]:.4g}" if len(numbers(row.measured)) == 1 else row.measured
            interval = "" if row.low is None else f"{row.low:.4g} to {row.high:.4g}"
            n = "" if row.n is None else f"{row.n:,}"
            lines.append(f"| `{row.id}` | {row.published} | {measured} | {interval} | {n} | {row.verdict} |")
    return "\n".join([*lines, "", totals(rows) + ".", ""])


def totals(rows: list[Row]) -> str:
    """How many claims have each verdict, in words."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.verdict] = counts.get(row.verdict, 0) + 1
    return "; ".join(f"{count} {name}" for name, count in counts.items())


def print_table(rows: list[Row], file=None) -> None:
    """The ledger for a terminal: a line a judged claim, then the totals by verdict."""
    file = file or sys.stdout
    for row in rows:
        if row.verdict != "unjudged":
            interval = "" if row.low is None else f"[{row.low:.4g}, {row.high:.4g}]"
            size = "" if row.n is None else f"n={row.n}"
            figure = f"{row.published[:24] or '-':>24} {row.measured[:24]:>24} {interval:>20} {size:>10}"
            print(f"{row.id:<38}{figure}  {row.verdict}", file=file)
    print(totals(rows), file=file)
