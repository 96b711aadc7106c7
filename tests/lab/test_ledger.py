import pytest

from holdstill.core.grid import PuzzleError
from holdstill.lab import ledger
from holdstill.lab.ledger import Claim, Record


def claim(published, kind="measured", unit="%", sample="", note=""):
    return Claim("x", "text", "quantity", published, unit, sample, kind, note, "notebook")


VERDICTS = [
    (claim("0", "exact"), Record("x", "0"), "exact"),
    (claim("0", "exact"), Record("x", "1"), "wrong"),
    (claim("1, 2, 6", "exact"), Record("x", "1, 2, 6"), "exact"),
    (claim("1, 2, 6", "exact"), Record("x", "1, 2, 7"), "wrong"),
    (claim("19719299768123456789", "exact"), Record("x", "19719299768123456789"), "exact"),
    (claim("19719299768123456789", "exact"), Record("x", "19719299768123456788"), "wrong"),
    (claim("30"), Record("x", "28", 10, 25, 29.5), "reproduced"),
    (claim("30"), Record("x", "28", 10, 25, 29.4), "differs"),
    (claim("30"), Record("x", "28", 10, 25, 31, fitted=True), "calibrated"),
    (claim("30"), Record("x", "20", 10, 19, 21, fitted=True), "differs"),
    (claim("3.30"), Record("x", "3.31", 10, 3.306, 3.32), "differs"),
    (claim("3.3"), Record("x", "3.31", 10, 3.306, 3.32), "reproduced"),
    (claim("10-13"), Record("x", "14", 10, 13.4, 15), "reproduced"),
    (claim("10-13"), Record("x", "14", 10, 13.6, 15), "differs"),
    (claim("under 50"), Record("x", "48", 10, 45, 51), "reproduced"),
    (claim("under 50"), Record("x", "55", 10, 51, 60), "differs"),
    (claim("846", unit="positions", sample="900 positions"), Record("x", "865", 900, 862, 870), "reproduced"),
    (claim("846", unit="positions", sample="900 positions"), Record("x", "870", 900, 866, 880), "differs"),
    (claim("5", "bound"), Record("x", "5"), "within"),
    (claim("5", "bound"), Record("x", "6"), "beyond"),
    (claim("10", "bound", note="an order of magnitude"), Record("x", "12"), "within"),
    (claim("1.9", "timing"), Record("x", "0.005"), "ratio"),
    (claim("", "curve"), Record("x", "3"), "shown"),
    (claim("30"), None, "unjudged"),
]


@pytest.mark.parametrize(("one", "record", "expected"), VERDICTS)
def test_the_verdict_is_computed(one, record, expected):
    assert ledger.verdict(one, record) == expected


def test_every_claim_of_the_project_parses():
    claims = ledger.claims()
    assert len(claims) == 154
    for one in claims.values():
        assert bool(one.published.strip()) == bool(ledger.numbers(one.published))
        assert one.notebook


def test_a_record_survives_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDSTILL_RESULTS", str(tmp_path))
    monkeypatch.setenv("HOLDSTILL_NOTEBOOK", "some")
    monkeypatch.setattr(ledger, "_recorded", {})
    assert ledger.record("further.figure", 3546545075986984198328715750838554116235343894) == "measured"
    assert ledger.record("heyawake.counters.agree", 0, 2000) == "exact"
    ledger.record("heyawake.reach.spans.4x4", 15.0, 200, 9.6, 22.6, "see [further.figure]")
    first = (tmp_path / "some.csv").read_bytes()
    found = ledger.records(tmp_path)
    assert found["further.figure"].value == "3546545075986984198328715750838554116235343894"
    rows = ledger.judge(ledger.claims(), found)
    assert ledger.unexplained(rows, found) == []
    assert ledger.unexplained(rows, {name: one for name, one in found.items() if name != "further.figure"})
    ledger.write(tmp_path / "some.csv", found.values())
    assert (tmp_path / "some.csv").read_bytes() == first


def test_big_integers_are_strings_in_json():
    row = ledger.Row("x", "9007199254740993", "3", 1, None, None, "wrong", "", "n")
    assert ledger.as_json([row])[0]["published"] == "9007199254740993"
    assert ledger.as_json([row])[0]["measured"] == 3


def test_moved_names_untimed_figures_only():
    old = {"a": Record("a", "1"), "t": Record("t", "1", timed=True), "gone": Record("gone", "1")}
    new = {"a": Record("a", "2"), "t": Record("t", "2", timed=True), "new": Record("new", "1")}
    assert ledger.moved(new, old) == ["a: 1 -> 2 (n None -> None)", "gone: gone", "new: new"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,value\nx,1\n", "line 1"),
        (",".join(ledger.RECORD_COLUMNS) + "\nx,1\n", "line 2"),
        (",".join(ledger.RECORD_COLUMNS) + "\nx,many,,,,0,0,\n", "line 2"),
        (",".join(ledger.RECORD_COLUMNS) + "\nx,1,,,,0,0,\nx,2,,,,0,0,\n", "line 3"),
    ],
)
def test_a_bad_results_file_is_named_by_line(tmp_path, text, message):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(PuzzleError, match=rf"bad\.csv: {message}"):
        ledger.records(tmp_path)


def test_a_bad_claims_file_is_named(tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text(",".join(ledger.CLAIM_COLUMNS) + "\na,t,q,1,%,,guess,,n\n")
    with pytest.raises(PuzzleError, match=r"claims\.csv: line 2 has the kind 'guess'"):
        ledger.claims(path)
    with pytest.raises(PuzzleError, match="cannot be read"):
        ledger.claims(tmp_path / "none.csv")
