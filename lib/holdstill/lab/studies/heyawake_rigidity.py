"""The rows of the rigidity study: how many answers a Heyawake board has once one of its rules is switched off."""

import numpy as np

from holdstill.core import brute
from holdstill.core.grid import SHADED
from holdstill.core.search import search
from holdstill.lab.intervals import Estimate, mean, median, share
from holdstill.lab.studies.heyawake import made_by
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.heyawake_dense import numbered

RULES = tuple(Heyawake.RULES)

# The board maker's choices that the text leaves open, as departures from the protocol: who carves, how the answer is
# drawn, where the carve stops, how the rooms are cut.
CHOICES = {
    "spans_carved": {},
    "probe_carved": {"rung": "probe"},
    "search_carved": {"rung": None},
    "numbered_30": {"keep": 0.3},
    "numbered_40": {"keep": 0.4},
    "shade_0.2": {"shade": 0.2},
    "random_cell_order": {"noise": 1000.0},
    "one_answer_a_layout": {"answers": 1},
    "longer_side": {"axis": "longer"},
    "may_keep_10": {"may_keep": 10},
    "probe_carved_numbered_30": {"rung": "probe", "keep": 0.3},
    "probe_carved_shade_0.2": {"rung": "probe", "shade": 0.2},
    "probe_carved_shade_0.2_longer_side": {"rung": "probe", "shade": 0.2, "axis": "longer"},
}


def without(rule: str) -> tuple[str, ...]:
    """All the rules but one.

    >>> without("spans")
    ('touching', 'rooms', 'white')
    """
    return tuple(name for name in RULES if name != rule)


def ablation_row(rng: np.random.Generator, size: int, cap: int, off: list[str], **choices) -> dict:
    """One board with one answer: for each rule in `off`, how many answers it has without it, counted up to `cap`.

    `RULE_full` is the same with every number printed. `choices` are those of `heyawake.made_by`.
    """
    made = made_by(rng, size, **choices)
    full = numbered(np.array(made.board.rooms), made.answer)
    row = {"rooms_cut": len(made.board.clues), "numbers": sum(clue is not None for clue in made.board.clues)}
    for rule in off:
        row[rule] = search(made.board, cap, rules=without(rule), store=0).count
        row[f"{rule}_full"] = search(full, cap, rules=without(rule), store=0).count
    return row


def one_number(rows: int, cols: int) -> dict[tuple[int, int, int, int, int], int]:
    """Answers without spans of a board that prints a single number, by where: (top, left, tall, wide, number).

    Every rectangle that the room may be, and every number that leaves an answer. The other rooms print nothing, so
    without spans their walls say nothing. By brute force and the judge.

    >>> sorted(one_number(1, 2).items())[:4]
    [((0, 0, 1, 1, 0), 2), ((0, 0, 1, 1, 1), 1), ((0, 0, 1, 2, 0), 1), ((0, 0, 1, 2, 1), 2)]
    """
    blank = Heyawake(rows, cols, [[0] * cols] * rows, [None])
    shaded = (brute.answers(blank, without("spans")) == SHADED).reshape(-1, rows, cols)
    left = {}
    for top, x in np.ndindex(rows, cols):
        for tall, wide in np.ndindex(rows - top, cols - x):
            held = shaded[:, top : top + tall + 1, x : x + wide + 1].sum(axis=(1, 2))
            for number, answers in enumerate(np.bincount(held).tolist()):
                if answers:
                    left[top, x, tall + 1, wide + 1, number] = answers
    return left


def of_sixty(counts, statistic, times: int, rng: np.random.Generator) -> np.ndarray:
    """A statistic of 60 boards, `times` times over: float64 (times,).

    Each time 60 of `counts` are drawn with replacement; `statistic` takes them along axis 1. Right for the middle of
    the counts (median, mean), not for their ends: a sample holds no board that the pool does not hold.

    >>> of_sixty([1, 1, 1], np.median, 2, np.random.default_rng(0)).tolist()
    [1.0, 1.0]
    """
    counts = np.asarray(counts)
    return np.asarray(statistic(counts[rng.integers(0, len(counts), (times, 60))], axis=1), float)


def figures(counts) -> dict[str, Estimate]:
    """What the text reports of its 60 boards, by the claims' names: unique ones (per 60), median, mean and worst.

    >>> {name: one.value for name, one in figures([1, 1, 3, 7]).items()}
    {'still_unique': 30.0, 'median': 2.0, 'mean': 3.0, 'worst': 7}
    """
    n = len(counts)
    unique = share(int((np.asarray(counts) == 1).sum()), n)
    return {
        "still_unique": Estimate(0.6 * unique.value, n, 0.6 * unique.low, 0.6 * unique.high),
        "median": median(counts),
        "mean": mean(counts),
        "worst": Estimate(int(max(counts)), n, None, None),
    }


def places(counts, published: dict[str, float], samples: int, rng: np.random.Generator) -> dict[str, Estimate]:
    """Where published figures of 60 boards lie among ours, in percent, by claim and question.

    `median_side`, `mean_side`: 60-board samples on the rarer side of the published value, itself included.
    `worst_reached`: the chance that one of 60 boards reaches the published worst, `worst_exactly`: the share of boards
    that have that very number, both with the interval that the size of the pool allows.

    >>> counts = np.arange(1, 101)
    >>> found = places(counts, {"median": 90, "mean": 50, "worst": 200}, 100, np.random.default_rng(0))
    >>> {name: round(one.value, 1) for name, one in found.items()}
    {'median_side': 0.0, 'mean_side': 46.0, 'worst_reached': 0.0, 'worst_exactly': 0.0}
    """
    counts, found = np.asarray(counts), {}
    for name, statistic in (("median", np.median), ("mean", np.mean)):
        drawn = of_sixty(counts, statistic, samples, rng)
        side = min((drawn <= published[name]).mean(), (drawn >= published[name]).mean())
        found[f"{name}_side"] = Estimate(100 * float(side), samples, None, None)
    reached = share(int((counts >= published["worst"]).sum()), len(counts))
    value, low, high = (100 * (1 - (1 - part / 100) ** 60) for part in (reached.value, reached.low, reached.high))
    found["worst_reached"] = Estimate(value, len(counts), low, high)
    found["worst_exactly"] = share(int((counts == published["worst"]).sum()), len(counts))
    return found


def median_text(counts, cap: int) -> str:
    """The median in print: "at least", where a count that stopped at the cap decides it.

    >>> median_text([3, 7, 9, 9], 9), median_text([3, 7, 8, 9], 9), median_text([300, 400, 501, 999], 999)
    ('at least 8', '7.5', '450')
    """
    value = float(np.median(counts))
    shown = f"{value:,.0f}" if value >= 100 or value.is_integer() else f"{value:.1f}"
    return f"at least {shown}" if sorted(counts)[len(counts) // 2] >= cap else shown
