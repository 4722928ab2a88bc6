"""The pages of the documentation, followed from top to bottom in an empty folder.

A ``console`` block is typed; below a command may be what it prints, with ``...`` for what is left
out, and line breaks of one's own; the same holds for the outputs of a notebook. A block of Python,
YAML or text is saved as the file that the paragraph before it names, if it names one; other Python
is executed. A ``pycon`` block is a doctest. Commands in indented blocks are typed in the checkout,
except for those in ``NOT_TYPED``; of targets of make, it is only tried that they are there.
"""

import ast
import contextlib
import doctest
import io
import json
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import yaml

from boostbench.experiments.configs.file import load_config

DOCS = Path(__file__).resolve().parents[2] / "docs"
SUFFIXES = {"python": ".py", "yaml": ".yaml", "text": ".csv"}
#: Pages with files and commands, and files that are there in the end.
PAGES = {
    "../README.md": [],
    "getting-started.md": [
        f"results/{name}/report.html" for name in ("quickstart", "first-try", "my-booster")
    ],
    "questions.md": ["results/tuned/selected.md"],
    "reproducing.md": ["results/noise20-quick/claims.md"],
    "adding-a-data-set.md": ["datasets/mushrooms.yaml"],
    "adding-a-generator.md": ["results/runs"],
    "adding-a-noise-model.md": ["results/runs"],
    "adding-a-figure.md": ["results/edges/edges.png"],
    "choosing-a-booster.md": ["noisy.html"],
    "from-a-csv-file-to-a-served-model.md": ["predicted.csv", "suspicious.csv"],
    "label-noise.md": ["suspicious.csv", "results/wrong-labels/noise.png"],
    "adding-a-booster.md": ["results/mada/report.html"],
    "python-api.ipynb": ["results/quickstart/report.html"],
    "adding-a-metric.md": ["results/runs"],
    "models.md": [],
    "theory.md": [],
}
#: Beginnings of the commands in indented blocks that no test types, and why.
NOT_TYPED = {
    "boostbench data fetch": "needs a network",
    "pip install": "needs a network",
    "boostbench run noise20 --executor": "needs a Dask cluster; `make dask` makes one",
    "boostbench run noise20": "needs data; with --only segment it is in reproducing.md",
    "boostbench report noise20 --open": "needs the runs of the command before",
    "boostbench report noise20 --size quick --open": "needs the runs of the command before",
    "boostbench report --all": "takes minutes; tests/cli/test_report_all.py does it with few",
    "boostbench reproduce": "takes hours",
    "boostbench run noise-study/": "takes hours; `run quickstart` is typed",
    "boostbench report noise-study/": "would replace what is published; test_site.py has its own",
    "boostbench report my-study.yaml": "stands for a config of the reader",
    "boostbench verify my-study.yaml": "stands for a config of the reader",
    "boostbench status noise20 --watch": "waits for the runs of others",
    "sbatch": "needs Slurm",
    "python -m benchmarks": "takes minutes; tests/test_benchmarks.py: with little data",
    "python -m checks.bits": "takes minutes, in .ci/run",
}
#: Packages whose blocks are left out where they are not installed.
OPTIONAL = {"onnx", "onnxruntime", "skops"}
SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def read(page):
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page):
    """Yield the paragraph before each block of a page, its language and its text."""
    text = read(page)
    if str(page).endswith(".ipynb"):
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                outputs = [
                    each.get("text") or each["data"]["text/plain"] for each in cell["outputs"]
                ]
                source = re.sub(r"^%.*\n", "", "".join(cell["source"]), flags=re.M)
                yield "".join(map("".join, outputs)), "cell", source
        return
    *parts, _ = re.split(r"^```(\w+)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    for prose, language, block in zip(*[iter(parts)] * 3, strict=True):
        yield prose.strip().rpartition("\n\n")[2], language, block


@pytest.fixture
def segment(tmp_path, monkeypatch):
    """Put rows that are drawn in the place of those of the data set segment."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "data"
    folder.mkdir()
    labels = np.arange(2310) % 7
    table = rng.normal(labels[:, None], 2.0, (2310, 19))
    with (folder / "segment.csv").open("w") as file:
        print(*(f"x{j}" for j in range(19)), "target", "split", sep=",", file=file)
        for i, row in enumerate(table):
            part = "train" if i < 210 else "test"
            print(*row.round(2), labels[i], part, sep=",", file=file)
    monkeypatch.setenv("BOOSTBENCH_DATA", str(folder))


def test_every_page_with_commands_is_followed():
    """But for that of the command line: its examples stand for files and data of the reader."""
    pages = [
        path for path in shown_pages() if re.search("^```(console|(ba|z)?sh)$", read(path), re.M)
    ]
    followed = {(DOCS / page).resolve() for page in PAGES} | {DOCS / "cli.md"}
    assert {*pages} - followed == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_followed(boostbench, in_this_process, segment, tmp_path, page):
    if "boostbench fit" in read(page):
        pytest.importorskip("skops", reason="models need pip install 'boostbench[serve]'")
    names = {}
    followed = 0
    for before, language, block in blocks(page):
        named = re.findall(r"`([\w-]+(?:\.\w+))`", before)
        saved = [name for name in named if name.endswith(SUFFIXES.get(language, "-"))]
        if saved:
            (tmp_path / saved[-1]).write_text(block, encoding="utf-8")
        elif language == "python" and all(map(find_spec, OPTIONAL & {*re.findall(r"\w+", block)})):
            exec(block, names)
            followed += 1
        elif language == "cell":
            check_shown(before, outputs_of(block, names), block)
            followed += 1
        elif language == "pycon":
            session = doctest.DocTestParser().get_doctest(block, names, page, None, None)
            assert not doctest.DocTestRunner().run(session, clear_globs=False).failed
            names.update(session.globs)
            followed += 1
        for typed in re.split(r"^\$ ", block, flags=re.M)[1:] if language == "console" else ():
            type_command(boostbench, *typed.split("\n", 1), tmp_path)
            followed += 1
    assert followed
    missing = [name for name in PAGES[page] if not (tmp_path / name).exists()]
    assert not missing


def check_shown(shown, printed, command):
    same = not shown.strip() or doctest.OutputChecker().check_output(shown, printed, SHOWN)
    assert same, f"{command} prints\n{printed}"


def outputs_of(cell, names):
    """Execute a cell of a notebook; return what it prints and its last value."""
    lines = ast.parse(cell).body
    last = lines.pop() if isinstance(lines[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(lines, []), "<cell>", "exec"), names)
        value = eval(ast.unparse(last), names) if last else None
        print("" if value is None else repr(value))
    return printed.getvalue()


def type_command(boostbench, command, shown, folder):
    program, *arguments = shlex.split(command, comments=True)
    if program == "python":
        subprocess.run([sys.executable, *arguments], cwd=folder, check=True)
    elif program == "boostbench":
        outcome = boostbench(*arguments)
        # Claims are judged on one data set, which leaves them open: that is exit code 1.
        allowed = (0, 1) if arguments[0] == "verify" else (0,)
        assert outcome.code in allowed, f"{command}: {outcome.err}"
        check_shown(shown, outcome.out, command)
    else:
        assert program in ("python3", "pip"), command  # the installation


def shown_pages():
    root = DOCS.parent
    folders = (DOCS.glob("*.md"), DOCS.glob("papers/*.md"), root.glob("*.md"), root.glob("*/*.md"))
    return {page for each in folders for page in each} - {root / "CHANGELOG.md"}


def indented_commands():
    """Return the commands in the indented blocks of all pages but that of the command line."""
    found = set()
    for page in shown_pages() - {DOCS / "cli.md"}:
        text = re.sub(r"^```.*?^```$", "", read(page), flags=re.S | re.M)
        lines = re.findall(r"^    (\S.*)$", text.replace("\\\n", ""), re.M)
        programs = ("boostbench ", "make ", "pip ", "python ", "sbatch ")
        found |= {line.partition("  #")[0].strip() for line in lines if line.startswith(programs)}
    return found


@pytest.mark.parametrize(
    "command",
    sorted(each for each in indented_commands() if not each.startswith(tuple(NOT_TYPED))),
)
def test_a_command_can_be_typed_in_the_checkout(boostbench, tmp_path, monkeypatch, command):
    monkeypatch.chdir(DOCS.parent)
    program, *arguments = shlex.split(command.partition(" >")[0].replace("DIR", str(tmp_path)))
    if program == "make":
        subprocess.run(["make", "--dry-run", *arguments], check=True, capture_output=True)
    else:
        outcome = boostbench(*arguments)
        assert outcome.code in (0, 1), outcome.err
        assert outcome.out


def test_commands_that_are_not_typed_are_shown():
    shown = indented_commands()
    assert [each for each in NOT_TYPED if not any(line.startswith(each) for line in shown)] == []


def test_the_data_set_of_the_page_is_described_as_shown(boostbench, tmp_path):
    (_, _, table), _, (_, _, description), *_ = blocks("adding-a-data-set.md")
    (tmp_path / "mushrooms.csv").write_text(table)
    boostbench("data", "add", "mushrooms.csv", "--target", "edible", "--to", "datasets")
    written = (tmp_path / "datasets/mushrooms.yaml").read_text()
    assert yaml.safe_load(written) == yaml.safe_load(description)


def whole_configs():
    """Return every config that a page shows whole."""
    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
    return [
        pytest.param(block, id=f"{page.stem}-{yaml.safe_load(block)['name']}")
        for page in pages
        for _, language, block in blocks(page)
        if language == "yaml" and re.search("^name:", block, re.M) and "extends:" not in block
    ]


@pytest.mark.parametrize("config", whole_configs())
def test_a_config_that_is_shown_is_valid(tmp_path, config):
    for plugin in re.findall(r"^plugins: (.*)$", config, re.M):
        pages = ((page, *block) for page in PAGES for block in blocks(page))
        source = next(text for _, before, _, text in pages if f"`{plugin}`" in before)
        (tmp_path / plugin).write_text(source)
    path = tmp_path / "shown.yaml"
    path.write_text(config, encoding="utf-8")
    assert load_config(path).datasets
