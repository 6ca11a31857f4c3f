"""TensorBoard files of a run, where they are asked for (`train.tensorboard`)."""

from __future__ import annotations

from pathlib import Path

from denota.errors import TrainingError
from denota.learning.trainer import Epoch


class Board:
    """Writes what each epoch came to into RUN/tensorboard."""

    def __init__(self, out: Path, epoch: int) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise TrainingError(
                "train.tensorboard needs the package tensorboard: pip install tensorboard"
            ) from None
        self.writer = SummaryWriter(str(out / "tensorboard"), purge_step=epoch + 1)

    def write(self, done: Epoch) -> None:
        """Add the points of an epoch."""
        for name in ("loss", "dev_accuracy", "dev_sequence_accuracy", "questions_per_s"):
            value = getattr(done, name)
            if value is not None:
                self.writer.add_scalar(name, value, done.epoch)
        self.writer.flush()
