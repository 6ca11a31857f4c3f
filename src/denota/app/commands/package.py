"""`denota package`: a run's parser as one small file that needs nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from denota.app.paths import load_run, load_run_and_facts
from denota.errors import ConfigError, TrainingError
from denota.model.compact import BITS
from denota.model.saved import save_parser


def package_run(
    run: str | Path, out: Path, confidence: str | Path | None = None, bits: int = 8
) -> int:
    """Write a run's best parser in less room and return how many bytes that is.

    What is packaged is trained further without the teacher it had, which does not come with it.

    Args:
        run: its folder, or a saved parser.
        out: the file to write.
        confidence: a calibrated run of the same recipe, whose calibration is taken.
        bits: of a weight: 8, or 4.
    """
    if bits not in BITS:
        raise ConfigError(f"weights are packed in 8 or 4 bits, not {bits}")
    parser, facts = load_run_and_facts(run)
    if confidence is not None:
        other = load_run(confidence)
        if other.calibration is None:
            raise TrainingError(f"{confidence} is not calibrated; run `denota calibrate` first")
        parser.calibration = other.calibration
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {(error.strerror or '').lower()}") from None
    parser.config = replace(parser.config, train=replace(parser.config.train, teacher=""))
    save_parser(out, parser, facts={"epoch": facts.get("epoch", "0")}, bits=bits)
    return out.stat().st_size
