"""`sensitivity.md`: which conclusions of the papers survive every reading of what they leave open.

The conclusions stand in ``sensitivity.yaml``, each with the claims that judge it; their verdicts
are those of the summaries of the reports in a results folder. Nothing is judged here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from boostbench.experiments.configs.fields import Text
from boostbench.reports.summary import Items
from boostbench.reports.text import listed, markdown, markdown_table
from boostbench.source import read_source
from boostbench.validation import Listed, Model

SENSITIVITY = "sensitivity.md"
_HEAD = """\
# What the papers leave open, and what it does to their conclusions

<!-- Written by `boostbench reproduce`; edits are lost. -->

A paper seldom says everything: how the thresholds of a tree are chosen, what a leaf answers, what
an exchanged label is; and the texts at hand lost some numbers. What is open has readings. Here a
conclusion of a paper is judged under each reading that was tried, by the claim that the verdict
leads to; the first reading is that of the paper's own tables and figures here. A conclusion that
does not survive all of them rests on more than what the paper says.

"""
_COLUMNS = ("paper", "conclusion", "left open", "outcome", "verdicts by reading")
#: One conclusion of this outcome, and several.
_OUTCOMES = {
    "survives": ("survives all readings", "survive all readings"),
    "one": ("holds with one reading only", "hold with one reading only"),
    "some": ("depends on the reading", "depend on the reading"),
    "fails": ("fails with all", "fail with all"),
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
    """A conclusion of a paper, and the claims that judge it by the reading of an open choice."""

    says: Text
    section: Text
    open: Annotated[Listed[Text], Field(min_length=1)]
    #: By the name of a config and the reading, what the claim says.
    readings: dict[str, dict[str, str]]


class Openness(Model):
    """Conclusions of a paper, and what it leaves open that was not tried."""

    conclusions: Listed[Conclusion]
    untried: Listed[Text]


class Judged(NamedTuple):
    """The verdict of a claim, and where its evidence stands."""

    verdict: str
    size: str = ""
    link: str = ""


class Line(NamedTuple):
    """A line of the table: a conclusion with its verdicts by reading."""

    paper: str
    conclusion: Conclusion
    verdicts: dict[str, Judged]

    @property
    def outcome(self) -> tuple[str, str]:
        """The outcome, as a key and in words."""
        return outcome_of({reading: judged.verdict for reading, judged in self.verdicts.items()})

    @property
    def cells(self) -> list[str]:
        """The line in Markdown."""
        says, section = map(markdown, (self.conclusion.says, self.conclusion.section))
        words = map(markdown, (", ".join(self.conclusion.open), self.outcome[1]))
        verdicts = [
            f"{markdown(reading)}: {f'[{verdict}]({link})' if link else verdict}"
            f"{' (size quick)' if size == 'quick' else ''}"
            for reading, (verdict, size, link) in self.verdicts.items()
        ]
        return [markdown(self.paper), f"{says} ({section})", *words, "<br>".join(verdicts)]


@cache
def conclusions_of_papers() -> Mapping[str, Openness]:
    """Return what ``sensitivity.yaml`` holds, by paper."""
    source, _ = read_source(Path(__file__).with_suffix(".yaml"))
    return {paper: Openness.model_validate(value) for paper, value in source.data.items()}


def sensitivity_page(papers: Mapping[str, Items], titles: Mapping[str, str]) -> str:
    """Return the page in Markdown; empty if there are reports of none of the papers.

    Parameters
    ----------
    papers : mapping of str to sequence of (str, mapping)
        Folders and summaries by paper, the larger sizes of a config last.
    titles : mapping of str to str
        Of the papers.
    """
    known = {paper: found for paper, found in conclusions_of_papers().items() if paper in papers}
    if not known:
        return ""
    titles = {paper: titles[paper].partition(" (")[0] for paper in known}
    lines = [
        line
        for paper, found in known.items()
        for line in _lines(titles[paper], found.conclusions, papers[paper])
    ]
    untried = [
        text
        for paper, found in known.items()
        for text in (
            f"\n### {markdown(titles[paper])}\n",
            *(f"- {markdown(u)}" for u in found.untried),
        )
    ]
    parts = [
        f"{_HEAD}**{counted([line.outcome[0] for line in lines])}**\n",
        markdown_table(_COLUMNS, [False] * len(_COLUMNS), (line.cells for line in lines)),
        _BY_CHOICE,
        _by_choice(lines),
        _UNTRIED,
        *untried,
    ]
    return "\n".join(parts) + "\n"


def _lines(title: str, conclusions: Iterable[Conclusion], items: Items) -> Iterator[Line]:
    judged = {
        (summary.config, claim.says): Judged(
            claim.verdict, summary.size, f"{folder}/claims.md#claim-{number}"
        )
        for folder, summary in items
        for number, claim in enumerate(summary.claims, start=1)
    }
    for conclusion in conclusions:
        verdicts = {
            reading: judged.get((config, claim), Judged("not run"))
            for config, claims in conclusion.readings.items()
            for reading, claim in claims.items()
        }
        yield Line(title, conclusion, verdicts)


def _by_choice(lines: Sequence[Line]) -> str:
    """Return the table of outcomes by the choice that is open."""
    choices = dict.fromkeys(choice for line in lines for choice in line.conclusion.open)
    rows = []
    for choice in choices:
        found = [line.outcome[0] for line in lines if choice in line.conclusion.open]
        rows.append([markdown(choice), *(str(found.count(key) or "") for key in _OUTCOMES)])
    header = ["left open", *(several for _, several in _OUTCOMES.values())]
    return markdown_table(header, [False, *(True for _ in _OUTCOMES)], rows)


def outcome_of(verdicts: Mapping[str, str]) -> tuple[str, str]:
    """Return the outcome of a conclusion, as a key and in words.

    Examples
    --------
    >>> outcome_of({"stumps": "reproduced", "trees": "not reproduced"})
    ('one', 'holds only with stumps')
    >>> outcome_of({"stumps": "reproduced", "trees": "undecided"})
    ('open', 'open: holds with 1 of 2 readings')
    """
    counts = Counter(verdicts.values())
    held, failed, n = counts["reproduced"], counts["not reproduced"], len(verdicts)
    if failed == n:
        return "fails", "fails with all readings tried"
    if held == n:
        return "survives", "survives all readings tried"
    if held == 1 and failed == n - 1:
        [only] = [reading for reading, verdict in verdicts.items() if verdict == "reproduced"]
        return "one", f"holds only with {only}"
    told = [f"holds with {held}"] if held else []
    told += [f"fails with {failed}"] if failed else []
    found = f": {listed(told)} of {n} readings" if told else ""
    return (
        ("some", f"depends on the reading{found}") if held and failed else ("open", f"open{found}")
    )


def counted(outcomes: Sequence[str]) -> str:
    """Return how many conclusions have each outcome, in words.

    Examples
    --------
    >>> counted(["open", "survives", "open"])
    'Of 3 conclusions 1 survives all readings and 2 are open.'
    """
    counts = Counter(outcomes)
    parts = [
        f"{counts[outcome]} {words[counts[outcome] > 1]}"
        for outcome, words in _OUTCOMES.items()
        if counts[outcome]
    ]
    return f"Of {len(outcomes)} conclusions {listed(parts)}."
