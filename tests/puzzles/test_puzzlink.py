"""Addresses: what published ones hold, there and back, and refusal of everything else."""

import json
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.grid import PuzzleError
from holdstill.lab.studies.tapa import small_board
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.layouts import grown, guillotine
from holdstill.puzzles.puzzlink import NUMBER16, decode, encode, read_number16, read_walls, write_number16, write_walls
from holdstill.puzzles.tapa import Tapa

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "boards.jsonl"
BOARD = "https://puzz.link/p?heyawake/6/6/lll155007rs12222j"


@pytest.fixture(scope="module")
def published():
    if not CORPUS.exists():
        pytest.skip("no ../shared/corpus/boards.jsonl: published addresses not tried")
    rows = [json.loads(line) for line in CORPUS.read_text().splitlines()]
    return [row for row in rows if row["puzzle"] in ("heyawake", "tapa")]


def test_published_addresses_come_back(published):
    for row in published:
        if row["unique"] is None and row["puzzle"] == "tapa":  # nonsense, to be refused
            with pytest.raises(PuzzleError, match="starts no clue"):
                decode(row["url"])
            continue
        board = decode(row["url"])
        assert encode(board) == "https://puzz.link/p?" + row["url"].partition("?")[2].removesuffix("/"), row["id"]
        if row["answer"]:
            assert board.is_valid(np.array(row["answer"], np.int8).ravel() + 1), row["id"]
    print(f"tried {len(published)} published addresses, {sum(bool(row['answer']) for row in published)} with an answer")


def test_a_small_board_by_hand():
    board = decode("https://puzz.link/p?heyawake/6/6/aa66aapv0fu0g2i3k")
    assert board.rooms == (
        (0, 0, 1, 1, 2, 2),
        (3, 3, 1, 1, 4, 4),
        (5, 5, 5, 6, 4, 4),
        (5, 5, 5, 6, 7, 7),
        (8, 8, 9, 9, 10, 10),
        (8, 8, 9, 9, 10, 10),
    )
    assert board.clues == (None, 2, None, None, None, 3, None, None, None, None, None)
    assert board.walls is None


@pytest.mark.parametrize(
    "address",
    [
        "http://puzz.link/p?heyawake/6/6/lll155007rs12222j",
        "puzz.link/p?heyawake/6/6/lll155007rs12222j",
        "https://pzv.jp/p.html?heyawake/6/6/lll155007rs12222j",
        "https://puzz.link/p.html?heyawake_edit/6/6/lll155007rs12222j",
        "https://pzprxs.vercel.app/p?heyawake/6/6/lll155007rs12222j/",
        "?heyawake/6/6/lll155007rs12222j",
        "heyawake/6/6/lll155007rs12222j",
        "https://puzz.link/p?heyawake/v:/6/6/lll155007rs12222j",
        "https://puzz.link/p?heyawake/d/6/6/lll155007rs12222j",
        "https://puzz.link/p?heyawake//6/6/lll155007rs12222j",
        " \n" + BOARD + "/ \r\n",
    ],
)
def test_ways_to_paste_one_board(address):
    assert decode(address) == decode(BOARD)
    assert encode(decode(address)) == BOARD


@pytest.mark.parametrize(
    "address, told",
    [
        ("", "is not an address"),
        ("hello", "not of 'hello'"),
        ("see https://puzz.link/p?heyawake/6/6/lll155007rs12222j", "is not an address"),
        ("https://puzz.link/p?heyawacky/6/6/lll155007rs12222j", "not of 'heyawacky'"),
        ("https://puzz.link/p?slither/6/6/abc", "not of 'slither'"),
        ("https://puzz.link/p?heyawake", "size is missing"),
        ("https://puzz.link/p?heyawake/6", "size is missing"),
        ("https://puzz.link/p?heyawake/6/x/lll155007rs12222j", "the size is COLS/ROWS"),
        ("https://puzz.link/p?heyawake/-6/6/lll155007rs12222j", "the size is COLS/ROWS"),
        ("https://puzz.link/p?heyawake/٦/6/lll155007rs12222j", "the size is COLS/ROWS"),
        ("https://puzz.link/p?heyawake/0/6/lll155007rs12222j", "the size is COLS/ROWS"),
        ("https://puzz.link/p?heyawake/65/6/lll", "1 to 64 rows and columns, not 6x65"),
        ("https://puzz.link/p?heyawake/6/6", "vertical walls take 6 characters, but the address ends after 0"),
        ("https://puzz.link/p?heyawake/6/6/", "vertical walls take 6 characters"),
        ("https://puzz.link/p?heyawake/6/6/lll155", "horizontal walls take 6 characters"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs1", "8 places for numbers, but the address ends after 0"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs12222jj", "goes past the last"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs12222k", "goes past the last"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs12222i", "8 places for numbers, but the address ends after 7"),
        ("https://puzz.link/p?heyawake/6/6/lwl155007rs12222j", "'w', character 2 after the size, is not a digit"),
        ("https://puzz.link/p?heyawake/6/6/Lll155007rs12222j", "'L', character 1"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs1222-j", "'-', character 16 after the size, starts no number"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs12222j#x", "'#', character 18"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs12222j//", "'/', character 18"),
        ("https://puzz.link/p?heyawake/2/2/11gg", "'1', character 1 after the size, sets vertical walls past"),
        ("https://puzz.link/p?heyawake/6/6/lll155007rs12922j", "room"),
        (b"heyawake/1/1/g", "an address is text"),
    ],
)
def test_refused_in_one_line(address, told):
    with pytest.raises(PuzzleError, match=told) as caught:
        decode(address)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_a_million_characters_are_refused_at_once():
    start = time.perf_counter()
    for text in ("a" * 10**6, "https://puzz.link/p?heyawake/6/6/" + "z" * 10**6, " " * 10**6):
        with pytest.raises(PuzzleError, match="at most"):
            decode(text)
    assert time.perf_counter() - start < 1


def test_a_question_mark_is_no_number():
    assert decode("heyawake/1/1/.").clues == (None,)


def random_board(seed: int) -> Heyawake:
    rng = np.random.default_rng(seed)
    rows, cols = (64, 64) if seed % 50 == 0 else rng.integers(1, 13, 2).tolist()
    cutter = [guillotine, grown, lambda rows, cols, rng: grown(rows, cols, rng, largest=4000)][seed % 3]
    labels = cutter(rows, cols, rng)
    most = np.bincount(labels.ravel()) // 2
    clues = [int(rng.integers(0, n + 1)) if rng.random() < 0.6 else None for n in most]
    cell = np.arange(rows * cols).reshape(rows, cols)
    beside = np.stack([cell[:, :-1].ravel(), cell[:, 1:].ravel()], 1)
    walls = beside[rng.random(len(beside)) < 0.1].tolist() if seed % 2 else None
    return Heyawake(rows, cols, labels.tolist(), clues, walls)


def test_random_boards_come_back():
    large, blind, cut = 0, 0, 0
    for seed in range(400):
        board = random_board(seed)
        try:
            address = encode(board)
        except PuzzleError as error:
            assert board.walls and "is cut in two by its walls" in str(error)
            cut += 1
            continue
        assert decode(address) == board and encode(decode(address)) == address
        large += max(clue or 0 for clue in board.clues) > 255
        blind += board.walls is not None
    print(f"400 boards, {large} with a number above 255, {blind} with blind walls, {cut} with rooms cut in two")
    assert large >= 2 and blind >= 50


def test_a_room_cut_in_two_has_no_address():
    with pytest.raises(PuzzleError, match="room 1 is cut in two"):
        encode(Heyawake(1, 3, [[0, 1, 1]], [None, 1], [(1, 2)]))


def test_rooms_labelled_in_another_order():
    board = Heyawake(1, 3, [[2, 0, 1]], [None, 1, 0])
    assert encode(board) == "https://puzz.link/p?heyawake/3/1/o0g1"
    assert decode(encode(board)) == Heyawake(1, 3, [[0, 1, 2]], [0, None, 1])


places = st.one_of(st.none(), st.just("?"), st.integers(0, 80_000))


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.lists(places, max_size=90))
def test_number16_comes_back(values):
    assert read_number16("ab" + write_number16(values), 2, len(values)) == values


def test_number16_takes_every_form_from_end_to_end():
    for _, digits, base in NUMBER16:
        for value in (base, base + 16**digits - 1):
            assert read_number16(write_number16([value]), 0, 1) == [value]
    assert read_number16("-1f+10a=000%000*0000$00000", 0, 6) == [31, 266, 4096, 8192, 12240, 77776]


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.randoms(use_true_random=False))
def test_walls_come_back(rows, cols, random):
    right = np.array([random.random() < 0.5 for _ in range(rows * (cols - 1))], bool).reshape(rows, cols - 1)
    below = np.array([random.random() < 0.5 for _ in range((rows - 1) * cols)], bool).reshape(rows - 1, cols)
    text = write_walls(right, below)
    read_right, read_below, start = read_walls(text + "rest", rows, cols)
    assert (read_right == right).all() and (read_below == below).all() and start == len(text)


@st.composite
def addresses(draw):
    """A canonical address and its board's walls or numbers: any walls, blind ones too, any clue in any cell."""
    kind, rng = (
        draw(st.sampled_from(["heyawake", "tapa", "araf"])),
        np.random.default_rng(draw(st.integers(0, 1 << 30))),
    )
    rows, cols = (int(side) for side in rng.integers(1, 9, 2))
    share, cells = rng.choice([0.0, 0.2, 0.7]), rows * cols
    if kind == "heyawake":
        right, below = rng.random((rows, cols - 1)) < share, rng.random((rows - 1, cols)) < share
        places = len(np.unique(pieces_between(right, below)))
        few = 2 * places < cells
        numbers = [int(rng.integers(0, 2)) if few and rng.random() < 0.3 else None for _ in range(places)]
        return f"https://puzz.link/p?heyawake/{cols}/{rows}/{write_walls(right, below)}{write_number16(numbers)}"
    if kind == "tapa":
        clues = ["?", 0] if rows == 1 or cols == 1 else ["?", 0, 1, 2]
        numbers = [clues[rng.integers(len(clues))] if rng.random() < share else None for _ in range(cells)]
    else:
        numbers = [None] * cells
        for cell in rng.permutation(cells)[: 2 * int(rng.integers(0, cells // 2 + 1))].tolist():
            numbers[cell] = "?" if rng.random() < 0.2 else int(rng.integers(0, 4098) >> int(rng.integers(0, 12)))
    return f"https://puzz.link/p?{kind}/{cols}/{rows}/{write_number16(numbers)}"


def pieces_between(right, below):
    """The rooms that walls make, by joining cells where there is none."""
    cell = np.arange((len(below) + 1) * below.shape[1]).reshape(len(below) + 1, -1)
    label = cell.ravel().copy()
    pairs = [*zip(cell[:, :-1][~right], cell[:, 1:][~right], strict=True)]
    for a, b in pairs + [*zip(cell[:-1][~below], cell[1:][~below], strict=True)]:
        label[label == label[b]] = label[a]
    return label


@settings(derandomize=True, max_examples=400, deadline=None)
@given(addresses())
def test_a_canonical_address_comes_back(address):
    try:
        board = decode(address)
    except PuzzleError as error:  # more than 4,097 in one room, or an odd count of numbers, is not drawn; a size may be
        assert address.startswith("https://puzz.link/p?araf") and "numbers" in str(error)
        return
    assert encode(board) == address
    if isinstance(board, Heyawake):
        right, below, _ = read_walls(address.split("/")[-1], board.rows, board.cols)
        assert (board.wall_right == right).all() and (board.wall_below == below).all()


@settings(derandomize=True, max_examples=150, deadline=None)
@given(addresses())
def test_an_address_is_never_half_read(address):
    """No shorter address is read, nor one with another character at the end."""
    start = address.index("?") + 1
    for end in range(start, len(address)):
        with pytest.raises(PuzzleError):
            decode(address[:end])
    for more in "0g.-+%z#&?":
        with pytest.raises(PuzzleError):
            decode(address + more)


NEARLY = st.from_regex(r"(heyawake|tapa|araf)/[0-9a-z:/]{0,4}/?[1-9]/[1-9]/[0-9a-z.+-]{0,40}")


@settings(derandomize=True, max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=60), NEARLY))
def test_junk_is_a_board_or_refused_in_one_line(text):
    try:
        board = decode(text)
    except PuzzleError as error:
        assert "\n" not in str(error) and len(str(error)) < 200
    else:
        assert decode(encode(board)) == board


TAPA = "https://puzz.link/p?tapa/4/3/3h.b99ai5a6h0"


def test_a_tapa_board_by_hand():
    # b9 is 405 = 396 + 0b00_10_01, base 4; ai is 378 = 360 + 3 * 6; a6 is 366 = 360 + 1 * 6
    board = decode(TAPA)
    assert board.clues == (
        ((3,), None, None, ("?",)),
        (("?", 2, 1), (1, 1, 1, 1), (3, "?"), (5,)),
        ((1, "?"), None, None, (0,)),
    )
    assert encode(board) == TAPA and decode("tapa/d:/4/3/3h.b9d7ai5a6h0/") == board


def test_every_tapa_clue_comes_back():
    every = [clue for n in range(1, 5) for clue in product([*range(9), "?"], repeat=n)]
    texts = set()
    for clue in every:
        try:
            board = Tapa(3, 3, [[None] * 3, [None, clue, None], [None] * 3])
        except PuzzleError:
            continue
        texts.add(encode(board))
        assert decode(encode(board)) == board
    numbers = [360 + n for n in range(36)] + [396 + n for n in range(64)] + [460 + n for n in range(15)]
    read = {address for address in (f"https://puzz.link/p?tapa/3/3/j{base36(n)}j" for n in numbers) if is_read(address)}
    assert read == {text for text in texts if len(text.split("/")[-1]) == 4}
    assert len(texts) == len(read) + 11  # 0 to 8, 9 and a full stop


def base36(number: int) -> str:
    return "0123456789abcdefghijklmnopqrstuvwxyz"[number // 36] + "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]


def is_read(address: str) -> bool:
    try:
        decode(address)
    except PuzzleError as error:
        assert "r2c2 has the clue" in str(error)
        return False
    return True


def test_random_tapa_boards_come_back():
    for seed in range(200):
        rng = np.random.default_rng([91, seed])
        rows, cols = rng.integers(1, 65, 2).tolist() if seed % 20 == 0 else rng.integers(1, 9, 2).tolist()
        board = (
            small_board(rng)
            if seed % 2
            else Tapa(rows, cols, [[["?"] if x > y else None for x in range(cols)] for y in range(rows)])
        )
        if board.positive:
            with pytest.raises(PuzzleError, match=r"lone .* has no address"):
                encode(board)
        else:
            assert decode(encode(board)) == board


@pytest.mark.parametrize(
    "body, told",
    [
        ("", "9 places for numbers, but the address ends after 0"),
        ("3j3", "ends after 6"),
        ("3j3j", "goes past the last"),
        ("zj", "goes past the last"),
        ("jfzj", "'f', character 2 after the size, starts no clue"),
        ("jd8j", "'d', character 2 after the size, starts no clue"),
        ("ja", "'a', character 2 after the size, starts no clue"),
        ("ja-j", "'a', character 2 after the size, starts no clue"),
        ("ja٣j", "'a', character 2 after the size, starts no clue"),
        ("j-12j", "'-', character 2 after the size, starts no clue"),
        ("jA1j", "'A', character 2"),
        ("jarj", "r2c2 has the clue 4 3, which no ring of 8 cells meets"),
        ("4n", "r1c1 has the clue 4, which adds up to 4, in a ring of 3"),
    ],
)
def test_bad_tapa_addresses_are_refused_in_one_line(body, told):
    with pytest.raises(PuzzleError, match=told) as caught:
        decode(f"https://puzz.link/p?tapa/3/3/{body}")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_araf_addresses():
    board = decode("https://puzz.link/p?araf/4/3/+100-10j.i0g")
    assert board.numbers == ((256, 16, None, None), (None, None, "?", None), (None, None, 0, None))
    assert encode(board) == "https://puzz.link/p?araf/4/3/+100-10j.i0g"
    rng = np.random.default_rng(4)
    for _ in range(200):
        rows, cols = (int(side) for side in rng.integers(2, 20, 2))
        flat = [None] * (rows * cols)
        for cell in rng.permutation(rows * cols)[: 2 * int(rng.integers(1, rows * cols // 2 + 1))].tolist():
            flat[cell] = "?" if rng.random() < 0.1 else int(rng.integers(0, 4098) >> int(rng.integers(0, 12)))
        board = Araf(rows, cols, [flat[start : start + cols] for start in range(0, rows * cols, cols)])
        assert decode(encode(board)) == board


def test_published_araf_addresses_come_back():
    if not CORPUS.exists():
        pytest.skip("no ../shared/corpus/boards.jsonl: published addresses not tried")
    rows = [row for row in map(json.loads, CORPUS.read_text().splitlines()) if row["puzzle"] == "araf"]
    for row in rows:
        assert encode(decode(row["url"])) == "https://puzz.link/p?" + row["url"].partition("?")[2], row["id"]
    assert len(rows) >= 10


@pytest.mark.parametrize(
    "body, told",
    [
        ("2/2/13", "4 places for numbers, but the address ends after 2"),
        ("2/2/13g", "4 places for numbers, but the address ends after 3"),
        ("2/2/13131", "goes past the last"),
        ("2/2/131g", "has 3 in all"),
        ("2/2/13!1", "'!', character 3"),
        ("2/2/13-1", "'-', character 3 after the size, starts no number"),
        ("2/2/13$000001", "r2c1 is 77776, neither 0 to 4097"),
        ("65/2/13", "1 to 64"),
    ],
)
def test_bad_araf_addresses(body, told):
    with pytest.raises(PuzzleError, match=told):
        decode("araf/" + body)
