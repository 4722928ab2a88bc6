"""Page ``sensitivity.md``: conclusions of the papers under the readings of their open choices.

    python configs/sensitivity.py [RESULTS]

``sensitivity.yml`` in the folder of a paper's configs holds its conclusions. A conclusion stands
with its place in the paper and the choices that are open: the paper does not state them, or the
available text lost them, or our value is another one beside the paper's. A reading takes these
choices. It names a claim, by its exact words, of the config that has the runs; the first is the
reading of the paper's own table or figure here. ``classes`` says on which data sets. ``untried``
says what else is open, and at which price it could be tried. The verdicts are taken from the
summaries of the reports in RESULTS.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from boostbench.experiments.configs.fields import Text
from boostbench.reports.overview import SENSITIVITY, Items, Paper, by_paper, write_overview
from boostbench.reports.text import listed, markdown, markdown_table, write_files
from boostbench.source import read_source
from boostbench.validation import Listed, Model

_HEAD = """\
# What the papers leave open, and what it does to their conclusions

<!-- Written by `python configs/sensitivity.py`; edits are lost. -->

A paper seldom says everything: how the thresholds of a tree are chosen, what a leaf answers, what
an exchanged label is; and the texts at hand lost some numbers. We tried several interpretations of
each unspecified detail. Here a conclusion of a paper is judged under each reading that was tried,
by the claim that the verdict leads to; the first reading is that of the paper's own tables and
figures here. The outcome goes by what is true in these runs; the verdicts say what is beyond
chance. A conclusion that is not true with all of them rests on more than what the paper says.
*Chance* is the probability, at most, that the best of so many readings is as clear where the
conclusion is false. Two classes stand apart, since losses that are made for them need one model
against the others of each class for more, which costs accuracy of its own.

"""
#: Headings of the tables, by `Conclusion.classes`.
_CLASSES = {
    "three or more": "Three or more classes",
    "two": "Two classes",
}
_COLUMNS = ("paper", "conclusion", "left open", "outcome", "verdicts by reading")
#: Words for one conclusion and for several conclusions of an outcome.
_OUTCOMES = {
    "all": ("is true with all readings", "are true with all readings"),
    "one": ("is true with one reading only", "are true with one reading only"),
    "some": ("depends on the reading", "depend on the reading"),
    "none": ("is false with all", "are false with all"),
    "open": ("is open", "are open"),
}
_BY_CHOICE = """
## By what is left open

Conclusions by their outcome; one in which several choices are open counts for each of them.
"""
_UNTRIED = """
## Not tried

What else is open, and what trying it would cost."""


class Conclusion(Model):
    """A conclusion of a paper, and the claims that judge it under readings of open choices."""

    says: Text
    section: Text
    open: Annotated[Listed[Text], Field(min_length=1)]
    #: Numbers of classes of the data sets, of nearly all of them at least.
    classes: Literal["three or more", "two"] = "three or more"
    #: Statement of the claim by name of the config and reading.
    readings: dict[str, dict[str, str]]


class PaperConclusions(Model):
    """Conclusions of a paper, and its open choices that were not tried."""

    #: Name in ``about.yml`` of a study without a paper.
    study: str = ""
    conclusions: Listed[Conclusion]
    untried: Listed[Text] = ()


class LinkedVerdict(NamedTuple):
    """Verdict of a claim, with a link to its evidence."""

    verdict: str
    here: bool | None = None
    size: str = ""
    link: str = ""
    p: float = 1.0  # of "the claim is true"


class Row(NamedTuple):
    """Row of the table: a conclusion with its verdicts by reading."""

    paper: str
    conclusion: Conclusion
    verdicts: dict[str, LinkedVerdict]

    @property
    def outcome(self) -> tuple[str, str]:
        """The outcome, as a key and in words."""
        answers = {reading: each.here for reading, each in self.verdicts.items()}
        return outcome_of(answers, min((each.p for each in self.verdicts.values()), default=1.0))

    @property
    def cells(self) -> list[str]:
        """Cells of the row in Markdown."""
        says, section = map(markdown, (self.conclusion.says, self.conclusion.section))
        words = map(markdown, (", ".join(self.conclusion.open), self.outcome[1]))
        verdicts = [
            f"{markdown(reading)}: {f'[{verdict}]({link})' if link else verdict}"
            f"{' (size quick)' if size == 'quick' else ''}"
            for reading, (verdict, _, size, link, _) in self.verdicts.items()
        ]
        return [markdown(self.paper), f"{says} ({section})", *words, "<br>".join(verdicts)]


def conclusions_of_papers() -> dict[str, PaperConclusions]:
    """Return the content of ``sensitivity.yml`` by paper."""
    files = sorted(Path(__file__).parent.glob("*/sensitivity.yml"))
    return {
        file.parent.name: PaperConclusions.model_validate(read_source(file)[0].data)
        for file in files
    }


def sensitivity_page(papers: Mapping[str, tuple[Paper, Items]]) -> str:
    """Return the page in Markdown; empty if no paper has reports.

    Parameters
    ----------
    papers : mapping of str to (Paper, list)
        Reports by paper, with larger sizes of a config last.
    """
    rows: list[Row] = []
    untried: list[str] = []
    for paper, openness in conclusions_of_papers().items():
        described, items = papers.get(openness.study or paper, (None, ()))
        if described is None:
            continue
        rows += _rows(described.title, openness.conclusions, items)
        if openness.untried:
            untried.append(f"\n### {markdown(described.title)}\n")
            untried += [f"- {markdown(text)}" for text in openness.untried]
    if not rows:
        return ""
    parts = [f"{_HEAD}**{counted([row.outcome[0] for row in rows])}**"]
    for classes, heading in _CLASSES.items():
        of_classes = [row for row in rows if row.conclusion.classes == classes]
        if of_classes:
            parts += [f"\n## {heading}\n"]
            if len(of_classes) > 1:
                parts += [counted([row.outcome[0] for row in of_classes]), ""]
            cells = (row.cells for row in of_classes)
            parts.append(markdown_table(_COLUMNS, [False] * len(_COLUMNS), cells))
    parts += [_BY_CHOICE, _by_choice(rows), _UNTRIED, *untried]
    return "\n".join(parts) + "\n"


def _rows(title: str, conclusions: Iterable[Conclusion], items: Items) -> Iterator[Row]:
    """Yield the rows of a paper, with the verdicts of its reports."""
    judged = {
        (summary.config, claim.says): LinkedVerdict(
            claim.verdict, claim.here, summary.size, f"{folder}/claims.md#claim-{number}", claim.p
        )
        for folder, summary in items
        for number, claim in enumerate(summary.claims, start=1)
    }
    for conclusion in conclusions:
        verdicts = {
            reading: judged.get((config, claim), LinkedVerdict("not run"))
            for config, claims in conclusion.readings.items()
            for reading, claim in claims.items()
        }
        yield Row(title, conclusion, verdicts)


def _by_choice(rows: Sequence[Row]) -> str:
    """Return the table of outcomes by open choice."""
    choices = dict.fromkeys(choice for row in rows for choice in row.conclusion.open)
    cells = []
    for choice in choices:
        outcomes = [row.outcome[0] for row in rows if choice in row.conclusion.open]
        cells.append([markdown(choice), *(str(outcomes.count(key) or "") for key in _OUTCOMES)])
    header = ["left open", *(several for _, several in _OUTCOMES.values())]
    return markdown_table(header, [False, *(True for _ in _OUTCOMES)], cells)


def outcome_of(answers: Mapping[str, bool | None], p: float = 1.0) -> tuple[str, str]:
    """Return the outcome of a conclusion, as a key and in words.

    Parameters
    ----------
    answers : mapping of str to bool or None
        Truth in these runs by reading; None if unknown.
    p : float, default=1.0
        Smallest p-value of "it is true" of a reading.

    Examples
    --------
    >>> outcome_of({"stumps": True, "trees": False})
    ('one', 'true only with stumps, 1 of 2 readings')
    >>> outcome_of({"stumps": True, "trees": True}, 0.01)
    ('all', 'true with both readings tried (best of 2: chance 0.02)')
    >>> outcome_of({"stumps": True, "trees": None})
    ('open', 'open: true with 1 of 2 readings')
    """
    counts = Counter(answers.values())
    n_true, n_false, n = counts[True], counts[False], len(answers)
    # Chance that at least one of n true readings has such a p-value, at most.
    chance = f"{1 - (1 - p) ** n:.2g}" if p > 1e-3 / n else "below 0.001"
    beyond = f" (best of {n}: chance {chance})" if p < 1 else ""
    every = "both" if n == 2 else f"all {n}"
    if n_false == n:
        return "none", f"false with {every} readings tried"
    if n_true == n:
        return "all", f"true with {every} readings tried{beyond}"
    if n_true == 1 and n_false == n - 1:
        [only] = [reading for reading, answer in answers.items() if answer]
        return "one", f"true only with {only}, 1 of {n} readings{beyond}"
    parts = [f"true with {n_true}"] if n_true else []
    parts += [f"false with {n_false}"] if n_false else []
    numbers = f": {listed(parts)} of {n} readings{beyond}" if parts else ""
    if n_true and n_false:
        return "some", f"depends on the reading{numbers}"
    return "open", f"open{numbers}"


def counted(outcomes: Sequence[str]) -> str:
    """Return the numbers of conclusions by outcome, in words.

    Examples
    --------
    >>> counted(["open", "all", "open"])
    'Of 3 conclusions 1 is true with all readings and 2 are open.'
    """
    counts = Counter(outcomes)
    parts = [
        f"{counts[outcome]} {words[counts[outcome] > 1]}"
        for outcome, words in _OUTCOMES.items()
        if counts[outcome]
    ]
    return f"Of {len(outcomes)} conclusions {listed(parts)}."


def main() -> None:
    """Write the page into a results folder, with the overview that links to it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"))
    results = parser.parse_args().results
    page = sensitivity_page(by_paper(results))
    if page:
        print(*write_files(results, {SENSITIVITY: page}))
        print(write_overview(results))


if __name__ == "__main__":
    main()
