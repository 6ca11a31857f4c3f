"""The paper's figures, and what each of our cells is called.

Misra et al. (2018), Tables 2 and 3 and §5.2.
"""

from __future__ import annotations

from typing import Final

PUBLISHED: Final = {
    "mml": ("Maximum marginal likelihood", 33.2, 32.5),
    "meritocratic_0": ("Meritocratic (β = 0)", 27.1, 28.1),
    "meritocratic_0.5": ("Meritocratic (β = 0.5)", 28.3, 28.7),
    "meritocratic_inf": ("Meritocratic (β = ∞)", 39.3, 41.6),
    "reinforce": ("REINFORCE", 10.2, 11.8),
    "off_policy": ("Off-policy policy gradient", 36.6, 38.6),
    "mmr": ("MMR", 38.4, 40.7),
    "maver": ("MAVER", 39.6, 44.1),
}
"""Table 2 of Misra et al. (2018): dev without and with shaping."""
MIXES: Final = {
    "mmr_w_mml_q": ("MMR", "MML", 41.9),
    "off_policy_w_mmr_q": ("off-policy", "MMR", 37.0),
    "mml_w_maver_q": ("MML", "MAVER", None),
    "off_policy_w_maver_q": ("off-policy", "MAVER", None),
}
"""Table 3: w, q and the paper's dev figure; those without one are mixes of our own."""
MODEL_SHAPING: Final = 37.1
STABILITY: Final = {"mmr": 0.9, "maver": 0.57}
EXPLAINED: Final = {
    "maver_model": ("MAVER, the critique in the score (model shaping)", "table2", "maver"),
    "maver_score": ("MAVER, y* by score alone", "table2", "maver"),
    "mml_explore": ("MML, K = EXPLORE alone", "table2", "mml"),
    "reinforce_rivals": ("REINFORCE, K = RIVALS alone", "table2", "reinforce"),
}
"""What each cell that explains another is, and the one it is compared with."""
ABLATED: Final = {
    "maver_no_surface": "no surface features",
    "maver_no_bias": "no bias of actions without an argument",
    "maver_dynsp": "DynSP's language: no OR, no FOLLOW-UP CELL",
    "maver_plain_numbers": "only bare numbers read in cells",
    "maver_eta1": "η = 1 in place of 5: less confidence in the critique",
    "maver_beam": "a beam of 15 in place of exact search",
}
PUT_RIGHT: Final = {
    "maver_early_start": (
        "MAVER: >= and <= start from DynSP's words",
        "early versions' words",
        "maver",
    ),
    "maver_learnt_vector": (
        "MAVER: SAME AS PREVIOUS compares the two questions",
        "a learnt vector",
        "maver",
    ),
    "maver_vacuous": (
        "MAVER: no condition that keeps every row is y* or in u",
        "such conditions too",
        "maver",
    ),
    "maver_paper_lexicon": (
        'MAVER: the critique hears phrases, "at least" for one',
        "40 pairs of single words",
        "maver",
    ),
    "maver_stems": (
        "MAVER: the critique matches words as they stand",
        "in either number (not the paper's)",
        "maver",
    ),
    "off_policy_sample": (
        "Off-policy: ŷ is the top of u",
        "a draw from u",
        "off_policy",
    ),
    "off_policy_w_mmr_q_sample": (
        "Off-policy w with MMR q: ŷ is the top of u",
        "a draw from u",
        "off_policy_w_mmr_q",
    ),
}
"""What was put right, what was there before (or is the other choice), and the row it changes."""
HEADLINE: Final = (
    ("MML", "dynsp++", "of words", "table2", "mml"),
    ("MML", "dynsp++", "blank", "headline", "mml_blank"),
    ("MMR", "dynsp++", "of words", "table2", "mmr"),
    ("MMR", "dynsp++", "blank", "headline", "mmr_blank"),
    ("MAVER", "dynsp++", "of words", "table2", "maver"),
    ("MAVER", "dynsp++", "blank", "headline", "maver_blank"),
    ("MAVER", "extended", "of words", "headline", "maver_extended"),
    ("MAVER", "extended", "blank", "headline", "maver_extended_blank"),
    ("MAVER, grounded critique", "extended", "blank", "headline", "maver_extended_blank_grounded"),
)
"""When shaping pays: algorithm, language, start, table and row."""
UNSHAPED: Final = {"maver_extended_blank_grounded": "maver_extended_blank"}
"""Rows that differ from another by their critique alone: without shaping they are that one."""
