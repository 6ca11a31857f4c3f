"""The least that a training step on 64 questions costs with torch's own operators.

    python benchmarks/floor.py

LSTMs, products with values, word vectors and dropout, on one thread. Prints one JSON object:
milliseconds forward and backward.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

import torch
from torch.nn.utils.rnn import pack_padded_sequence

BATCH, LONGEST, VALUES, WORDS, SIZE, HIDDEN = 64, 20, 137, 3916, 100, 50
"""The sizes of a usual batch of split-1 train."""


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    lengths = torch.randint(3, 14, (BATCH,))
    lengths[0] = LONGEST
    question = torch.randn(BATCH, LONGEST, SIZE, requires_grad=True)
    values = torch.randn(BATCH, VALUES, SIZE, requires_grad=True)
    vectors = torch.randn(WORDS, SIZE, requires_grad=True)
    places = torch.randint(0, WORDS, (BATCH * VALUES,))
    lstms = [torch.nn.LSTM(SIZE, HIDDEN, batch_first=True, bidirectional=True) for _ in range(2)]
    dropout = torch.nn.Dropout(0.5)

    def read() -> torch.Tensor:
        packed = pack_padded_sequence(question, lengths, batch_first=True, enforce_sorted=False)
        return torch.stack([lstm(packed)[1][0].sum() for lstm in lstms]).sum()

    parts: dict[str, Callable[[], torch.Tensor]] = {
        "both LSTMs": read,
        "values with words": lambda: (values @ question.transpose(1, 2)).amax(dim=2).sum(),
        "vectors of values": lambda: torch.nn.functional.embedding(places, vectors).sum(),
        "dropout": lambda: dropout(question).sum(),
    }
    times = {name: median_ms(part) for name, part in parts.items()}
    matrix = torch.randn(512, 200)
    other = torch.randn(200, 512)
    rate = 2 * 512 * 200 * 512 / median_ms(lambda: matrix @ other, backward=False) / 1e6
    # the fewest multiplications: four gates of two directions, both questions, three passes
    words = 2 * float(lengths.sum())
    least = 3 * words * 2 * 2 * 4 * HIDDEN * (SIZE + HIDDEN)
    print(
        json.dumps(
            {
                "milliseconds": {name: round(ms, 2) for name, ms in times.items()},
                "matrix_gflops": round(rate, 1),
                "lstm_gflop_a_batch": round(least / 1e9, 3),
                "lstm_floor_ms": round(1000 * least / 1e9 / rate, 2),
            }
        )
    )


def median_ms(work: Callable[[], torch.Tensor], backward: bool = True) -> float:
    times = []
    for _ in range(30):
        start = time.perf_counter()
        result = work()
        if backward:
            torch.autograd.backward(result)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


if __name__ == "__main__":
    main()
