"""The mean of two parsers' weights: the one that training began with, and the one it ended with.

    python benchmarks/mean_of.py BEFORE AFTER --share 0.5 --out FILE

What lies between the two often answers new kinds of questions better than either: AFTER has learnt
more of its data, BEFORE has forgotten less. `denota package` makes a small file of it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from denota.app.paths import model_path
from denota.model.compact import expanded
from denota.model.saved import checksum, read_saved


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("before")
    arguments.add_argument("after")
    arguments.add_argument("--share", type=float, default=0.5, help="of AFTER in the mean")
    arguments.add_argument("--out", type=Path, required=True)
    given = arguments.parse_args()
    before, after = (read_saved(model_path(name)) for name in (given.before, given.after))
    one, other = expanded(before.weights), expanded(after.weights)
    if {k: v.shape for k, v in one.items()} != {k: v.shape for k, v in other.items()}:
        arguments.error("the two are not of one shape")
    mean = {
        name: np.asarray((1 - given.share) * one[name] + given.share * weight, weight.dtype)
        if np.issubdtype(weight.dtype, np.floating)
        else weight
        for name, weight in other.items()
    }
    facts = {name: told for name, told in after.facts.items() if name != "calibration"}
    facts["sha256"] = checksum(mean, facts)
    save_file(mean, given.out, facts)


if __name__ == "__main__":
    main()
