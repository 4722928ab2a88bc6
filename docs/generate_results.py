"""Write the measured numbers of pages from files that runs wrote: ``make docs``.

A block stands between ``<!-- result NAME -->`` and ``<!-- end -->``, where NAME may be followed by
folders of results/; a test holds it to this script. Other results, or another folder in the
page, and ``make docs`` renew all numbers.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from boostbench.data.catalog import find_entry
from boostbench.registry import boosters
from boostbench.reports.text import listed, markdown_table

DOCS = Path(__file__).parent
ROOT = DOCS.parent
RESULTS = ROOT / "results"
#: Methods in the tables of mean errors, as the CSV file names them.
METHODS = (
    "chimeraboost",
    "catboost(earlystopping)",
    "filteredrandom-forest",
    "random-forest",
    "sm-boost",
    "lightgbm(earlystopping)",
    "lightgbm",
    "splboost",
    "adaboost",
    "adaboost-mh",
)
BESIDE = (*METHODS, "catboost")
NOISES = {"clean": "none", "uniform-other 0.2": "20 %", "uniform-other 0.4": "40 %"}
CLASSES = {"≥ 3": "three or more", "2": "two"}
#: Measures in the table of performance, by how ``benchmarks.csv`` names them, and their data sets.
MEASURES = {
    "AdaBoost.MH fit, T=100 / LightGBM": "AdaBoost.MH, 100 rounds; time of LightGBM = 1",
    "12-leaf tree / LightGBM": "a tree of 12 leaves; LightGBM = 1",
    "staged scores": "scores after every round; LightGBM's prediction = 1",
    "AdaBoost.MH predicts a row, T=100 / LightGBM": "the label of one row; LightGBM = 1",
    "scikit-learn / SAMME fit": "scikit-learn's SAMME; ours = 1",
    "sm-boost fit, T=100 / AdaBoost.MH": "sm-boost; AdaBoost.MH = 1",
}
DATA_SETS = ("letter", "pendigits", "satimage", "dna", "mnist")
THREADED = ("adaboost-mh", "sm-boost", "samme", "logitboost")


def page(path: Path) -> str:
    """Return the text of a page with its blocks written anew."""
    pattern = re.compile(r"(<!-- result (\S+)((?: \S+)*) -->\n).*?(<!-- end -->)", re.S)
    return pattern.sub(
        lambda found: f"{found[1]}{BLOCKS[found[2]](*found[3].split())}\n{found[4]}",
        path.read_text(encoding="utf-8"),
    )


def study(folder: str) -> str:
    """Return the size of a study and the method that each kind of data should start with."""
    errors = _errors(folder)
    title = (RESULTS / folder / "standings.md").read_text(encoding="utf-8").partition("\n")[0]
    n_wrong = title.partition("labels: ")[2].count(", ")  # beside clean ones
    sets = {row["data_set"]: find_entry(row["data_set"]).n_classes for row in errors}
    n_two = sum(n == 2 for n in sets.values())
    answers = [
        f"with {_name(row['take'])} for {CLASSES[row['classes']]} classes"
        for row in _rows(RESULTS / folder / "recommended.csv")
        if row["wrong_labels"] == "unknown"
    ]
    return (
        f"**If nobody knows how many labels are wrong, start {listed(answers)}.**\n"
        f"{len(_methods(errors))} methods were compared on {n_two} data sets of two classes and "
        f"{len(sets) - n_two} of more, with clean labels and "
        f"{n_wrong} kinds and shares of wrong ones."
    )


def where_to_start(folder: str) -> str:
    """Return the recommended methods by classes and wrong labels, with their regret."""
    rows = []
    for row in _rows(RESULTS / folder / "recommended.csv"):
        beside = ", ".join(map(_name, row["nexttoit"].split(", ")))
        said = [CLASSES[row["classes"]], row["wrong_labels"], row["sets"]]
        rows.append([*said, _name(row["take"]), beside, row["error(%)"], row["regretelsewhere"]])
    head = ["classes", "wrong labels", "sets", "take", "within a point", "error (%)", "regret"]
    numbers = [False, False, True, False, False, True, True]
    return markdown_table(head, numbers, rows).strip()


def standings(folder: str) -> str:
    """Return the best methods over all data sets and noises, and their times."""
    rows = _rows(RESULTS / folder / "standings.csv")
    numbers = ["Elo", "95%interval", "meanerror(%)"]
    methods = {_name(row["method"]): row for row in rows}
    times = {
        _name(row.pop("method")): row for row in _rows(RESULTS / "benchmarks/method_times.csv")
    }
    first, *_, last = list(next(iter(times.values())))
    shown = [
        [name, *(row[key] for key in numbers), times[name][first], times[name][last]]
        for name, row in list(methods.items())[:8]
    ]
    head = ["Elo", "95 % interval", "error (%)", first, last]
    return markdown_table(["method", *head], [False] + [True] * len(head), shown).strip()


def beside(folder: str, other: str, *more: str) -> str:
    """Return the mean errors of a study, and those of another on the same data sets in brackets.

    ``more`` are methods of the other study alone.
    """
    tables = rows, others = _errors(folder), _errors(other)
    methods = _methods(rows)
    named = [{row["data_set"] for row in of} for of in tables]
    partial = {
        row["data_set"]
        for row in [*rows, *others]
        if not all(_number(row[method]) for method in methods if method in row)
    }
    sets = named[0] & named[1] - partial
    rows, others = ([row for row in of if row["data_set"] in sets] for of in tables)
    shown = []
    for method in (*(each for each in methods if each in BESIDE), *more):
        cells = [
            " ".join(
                text.format(_mean(of, method, noise))
                for of, text in ((rows, "{}"), (others, "({})"))
                if method in of[0]
            )
            for noise in NOISES
        ]
        shown.append([_name(method), *cells])
    head = [f"labels: {word}" for word in NOISES.values()]
    table = markdown_table(["method", *head], [False] + [True] * len(head), shown).strip()
    return f"{table}\n\nMeans over {len(sets)} data sets."


def mean_errors(folder: str) -> str:
    """Return the mean errors of some methods over the sets of two, and of more classes."""
    rows = [row for row in _errors(folder) if all(_number(row[method]) for method in METHODS)]
    whole = {
        row["data_set"]
        for row in rows
        if sum(other["data_set"] == row["data_set"] for other in rows) >= len(NOISES)
    }
    rows = [row for row in rows if row["data_set"] in whole]
    shown = [
        [_name(method)]
        + [_mean(rows, method, n, is_two=is_two) for is_two in (False, True) for n in NOISES]
        for method in METHODS
    ]
    clean, *noisy = NOISES.values()
    n_two = sum(find_entry(name).n_classes == 2 for name in whole)
    many = f"three or more classes ({len(whole) - n_two} sets): {clean}"
    head = ["method", many, *noisy, f"two classes ({n_two} sets): {clean}", *noisy]
    return markdown_table(head, [False] + [True] * 6, shown).strip()


def hypotheses(*folders: str) -> str:
    """Return the claims of reports by their verdicts, and what is true of how many data sets."""
    said: dict[str, list[str]] = {}
    for folder in folders:
        summary = json.loads((RESULTS / folder / "summary.json").read_text(encoding="utf-8"))
        for claim in summary["claims"]:
            what = claim["reasons"][0]
            found = re.findall(r"true in (\d+) of (\d+) cases", what)
            sets = [f"{listed([n for n, _ in found])} of {found[0][1]}"] if found else []
            sets += re.findall(r"^(\d+ of \d+) reproduced", what)
            count = f" ({sets[0]})" if sets else ""
            said.setdefault(claim["verdict"], []).append(claim["says"] + count)
    return "\n".join("\n  - ".join([f"- **{verdict}**", *of]) for verdict, of in said.items())


def minutes(what: str) -> str:
    """Return the time that the runs of a study, or of all papers without their readings, took."""
    rows = _rows(ROOT / "benchmarks/run_times.csv")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    readings = "".join(re.findall(r"^readings-\S+: .*\n(?:\t.*\n)+", makefile, re.M))
    left_out = re.findall(r"experiment,(\S+)\)", readings)
    prefixes = [name.replace("/", "-") + "-" for name in left_out] + ["noise-study"]
    chosen = [
        row
        for row in rows
        if row["experiment"].startswith(what)
        or (what == "papers" and not row["experiment"].startswith(tuple(prefixes)))
    ]
    runs, taken = (sum(float(row[key]) for row in chosen) for key in ("runs", "minutes"))
    what = "minutes of one core; metrics and records, which are not timed, come on top"
    return f"The {runs:,.0f} committed runs took {taken:,.0f} {what}."


def run_times() -> str:
    """Return the minutes of one core behind the published results, by paper."""
    rows = _rows(ROOT / "benchmarks/run_times.csv")
    numbers = [key for key in rows[0] if key != "experiment"]
    papers = sorted(each.name for each in (ROOT / "configs").iterdir() if each.is_dir())
    sums: dict[str, list[float]] = {}
    for row in rows:
        name = row["experiment"]
        paper = next((each for each in papers if name.startswith(each)), "softmax-boosting")
        for each in (paper, "together"):
            before = sums.pop(each, [0.0] * len(numbers))
            sums[each] = [a + float(row[key]) for a, key in zip(before, numbers, strict=True)]
    shown = [[paper, *(f"{number:,.0f}" for number in each)] for paper, each in sums.items()]
    share = 100 * sums["together"][numbers.index("fit")] / sums["together"][1]
    table = markdown_table(["paper", *numbers], [False] + [True] * len(numbers), shown).strip()
    return f"{table}\n\nFits are {share:.0f} % of what is timed."


def performance() -> str:
    """Return ratios of times by data set."""
    shown = []
    for measure, words in MEASURES.items():
        found = {row["data set"].split()[0]: row["ratio"] for row in _measured(measure)}
        if found:
            shown.append([words, *(found.get(each, "–") for each in DATA_SETS)])
    return markdown_table(["measure", *DATA_SETS], [False] + [True] * 5, shown).strip()


def threads() -> str:
    """Return how many times faster fits are with two threads."""
    shown = []
    for booster in THREADED:
        ratios = [row["ratio"] for row in _measured(f"{booster} fit") if "/ two" in row["measure"]]
        shown.append([f"`{booster}`", *ratios])
    return markdown_table(["booster", "letter", "mnist"], [False, True, True], shown).strip()


def _measured(measure: str) -> list[dict[str, str]]:
    rows = _rows(RESULTS / "benchmarks/benchmarks.csv")
    return [row for row in rows if row["measure"].startswith(measure)]


def _errors(folder: str) -> list[dict[str, str]]:
    """Return the rows of data sets in a table of errors."""
    below = ("mean rank", "wins/ties/losses")
    return [row for row in _rows(RESULTS / folder / "errors.csv") if row["data_set"] not in below]


def _methods(rows: list[dict[str, str]]) -> list[str]:
    return [key for key in rows[0] if f"{key} remarks" in rows[0]]


def _number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _mean(
    rows: list[dict[str, str]], method: str, noise: str, *, is_two: bool | None = None
) -> str:
    """Return a mean over data sets: over those of two or more classes, or all for None."""
    errors = [
        float(row[method])
        for row in rows
        if row["noise"] == noise and is_two in (None, find_entry(row["data_set"]).n_classes == 2)
    ]
    return f"{fmean(errors):.1f}"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _name(printed: str) -> str:
    """Return what a user types for a name in print, or the name if it is a label of the config."""
    for name, told in boosters.declarations.items():
        known = {name: told.printed, **{each: words[0] for each, words in told.variants.items()}}
        for typed, shown in known.items():
            if _folded(printed) in filter(None, (_folded(typed), _folded(shown))):
                return f"`{typed}`"
    spaced = re.sub(r"\(early ?stopping\)", " (early stopping)", printed).replace("  ", " ")
    return printed if printed == "–" else f"`{spaced}`"


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


BLOCKS = {
    "study": study,
    "where-to-start": where_to_start,
    "standings": standings,
    "beside": beside,
    "mean-errors": mean_errors,
    "hypotheses": hypotheses,
    "minutes": minutes,
    "run-times": run_times,
    "performance": performance,
    "threads": threads,
}


def pages() -> Iterator[Path]:
    """Yield the pages that have blocks."""
    for path in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))):
        if "<!-- result " in path.read_text(encoding="utf-8"):
            yield path


if __name__ == "__main__":
    for each in pages():
        each.write_text(page(each), encoding="utf-8")
