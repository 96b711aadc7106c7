"""Rows for the tests of studies, in a module of their own so that workers and subprocesses can import them."""

import os
import time

import numpy as np


def mixed(rng: np.random.Generator, top: int = 100) -> dict:
    """Every type a row may hold, with None in each column that can have it."""
    number = int(rng.integers(top))
    return {
        "number": number,
        "real": rng.random(),
        "text": f"row {number}",
        "flag": bool(number % 2),
        "maybe_number": number if number > top // 2 else None,
        "maybe_flag": bool(number % 2) if number > top // 3 else None,
        "maybe_text": "high" if number > top // 2 else None,
        "cells": [number, number + 1],
        "nothing": None,
        "large": 2**62 + number,
    }


def logged(rng: np.random.Generator, log: str, nap: float = 0.0) -> dict:
    """A row that leaves a line in a log each time it is computed."""
    number = int(rng.integers(2**62))
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{number} {os.getpid()}\n")
    time.sleep(nap)
    return {"number": number}
