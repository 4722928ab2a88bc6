"""The documentation says what is there: commands, options, links, examples."""

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path

import jinja2
import pytest
import typer.main
import yaml
from packaging.requirements import Requirement

from boostbench import __version__, registry
from boostbench.cli.app import app
from boostbench.quantities import QUANTITIES
from boostbench.registry import boosters

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *(ROOT / "docs").glob("*.md")]
PAGES = sorted([*PAGES, *(ROOT / "docs/papers").glob("*.md")])  # what the build writes lies deeper
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
ROOT_COMMAND = typer.main.get_command(app)
#: Pages whose numbers of two digits or more are written by a script, or in a file that is named.
MEASURED = ("boosters", "choosing-a-booster", "label-noise", "noise-study")
MEASURED += ("performance", "reproducing")
NUMBER = r"\d{1,3}(?:,\d{3})+|\d+\.\d+|\d{2,}"


def generator(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMMANDS = dict(generator("generate_cli").commands(ROOT_COMMAND))


def typed_commands(page):
    """Return the command lines that a page shows; of the changelog, those of its first section."""
    text = page.read_text(encoding="utf-8").partition("\n## [")[0].replace("\\\n", " ")
    lines = re.findall(r"^\s*(?:\$ )?(boostbench [a-z].*)$|`(boostbench [a-z][^`]*)`", text, re.M)
    return [line or inline for line, inline in lines]


def test_what_scripts_write_is_up_to_date():
    commands, results = generator("generate_cli"), generator("generate_results")
    written = {page: results.page(page) for page in results.pages()}
    assert len(written) > 1
    for page, text in {commands.PAGE: commands.page(), **written}.items():
        assert page.read_text(encoding="utf-8") == text, "run `make docs`"


@pytest.mark.parametrize("page", MEASURED)
def test_a_measured_number_is_in_the_file_that_is_named(page):
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    left_out = r"```.*?```|`[^`]*`|<!-- result .*?<!-- end -->|^    .*?$|\]\([^)]*\)"
    left_out += r"|\([A-Z][^)]* \d{4}.*?\)|(?:Table|Fig\.) \d+"
    text = re.sub(left_out, "", text, flags=re.S | re.M)
    for paragraph in re.split("\n{2,}", text):
        named = re.match(r"<!-- from (.*) -->\n", paragraph)
        files = named[1].split() if named else []
        numbers = {
            float(number.replace(",", ""))
            for file in files
            for number in re.findall(NUMBER, (ROOT / file).read_text(encoding="utf-8"))
        }
        said = paragraph[named.end() :] if named else paragraph
        for shown in re.findall(rf"(?<![\w.])({NUMBER})(?![\w.]\w)", said):
            half = 0.5001 * 0.1 ** len(shown.partition(".")[2])
            value = float(shown.replace(",", ""))
            found = any(
                abs(scale * number - value) <= half for number in numbers for scale in (1, 100)
            )
            assert found, (shown, files)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name):
    text = COMMANDS[name].help
    summary = text.partition("\n")[0]
    assert summary.endswith(".")
    assert len(summary) <= 66, "the list of commands would cut it"
    examples = text.partition("Examples:\n")[2].strip().splitlines()
    assert examples
    assert all(example.strip().startswith(name) for example in examples)
    assert all(parameter.help for parameter in COMMANDS[name].params)


def test_every_link_leads_to_a_file_and_a_heading():
    """Links hold where the repository is read: none leads to what only `make docs` writes."""
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
            if not target.startswith(("http:", "https:", "mailto:")):
                path = (page.parent / target).resolve() if target else page
                assert path.exists(), (page, target)
                assert not path.is_relative_to(ROOT / "docs/reference"), (page, target)
                assert not anchor or path.suffix != ".md" or anchor in anchors(path), (page, anchor)


def anchors(page):
    """Return the anchors of the headings of a page, as code hosts name them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w -]", "", each).strip().lower().replace(" ", "-") for each in headings}


def test_every_command_line_shown_exists():
    shown = {line for page in PAGES for line in typed_commands(page)}
    for command in COMMANDS.values():
        shown.update(re.findall(r"^ +(boostbench .*)$", command.help, re.M))
    for line in sorted(shown):
        words = shlex.split(line.partition(" | ")[0].partition(" > ")[0], comments=True)
        command = ROOT_COMMAND
        while len(words) > 1 and hasattr(command, "commands") and words[1] != words[1].upper():
            words.pop(0)
            assert words[0] in command.commands, line
            command = command.commands[words[0]]
        options = {option for each in command.params for option in each.opts} | {"--help"}
        for word in words[1:]:
            assert not word.startswith("-") or word.partition("=")[0] in options, (line, word)


def test_the_page_on_configs_names_every_key():
    from boostbench.data.splits import Split
    from boostbench.experiments.configs.config import Config

    text = (ROOT / "docs/configs.md").read_text(encoding="utf-8")
    for key in Config.model_fields:
        assert key == "path" or f"`{key}`" in text, key
    for key in Split.model_fields:
        assert f"{key}:" in text or f"`{key}`" in text, key


@pytest.mark.parametrize("name", [name for name in boosters if not boosters.is_foreign(name)])
def test_a_booster_is_in_the_section_of_its_family(name):
    text = (ROOT / "docs/boosters.md").read_text(encoding="utf-8")
    _, *sections = re.split("^## (.*)$", text, flags=re.M)
    section = dict(zip(sections[::2], sections[1::2], strict=True))
    headings = {heading.lower().replace(" ", "-"): heading for heading in section}
    assert re.search(rf"`{name}[`:]", section[headings[boosters.declarations[name].family]])


def test_the_page_on_reproducibility_names_boosters_that_depend_on_the_order_of_classes():
    page = (ROOT / "docs/reproducibility.md").read_text(encoding="utf-8")
    # Baselines may need a package that is absent.
    ours = [n for n in boosters if boosters.module(n).startswith("boostbench.boosters")]
    ordered = [name for name in ours if boosters.get(name).class_order_matters]
    assert ordered
    assert names_lacking(ordered, [page]) == []


def test_the_gallery_has_every_kind_of_figure_and_a_config_with_it():
    kinds = {}
    for *_, cell in table_rows("gallery.md")[3:]:
        kind = re.search(r"`([\w.-]+\.py:\w+|[a-z-]+)", cell)[1]
        kinds[kind] = (ROOT / "docs" / re.search(r"\((../configs/[^)]*)\)", cell)[1]).read_text()
    assert {kind for kind, config in kinds.items() if f"  - {kind}" not in config} == set()
    assert {*own(registry.figures)} <= kinds.keys()


def own(kind):
    return [name for name in kind if kind.module(name).startswith("boostbench.")]


def table_rows(page):
    """Return the cells of each row of a page's tables; a heading is a row of one cell."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    return [line.strip("|").split("|") for line in lines if line.startswith(("|", "#"))]


def names_lacking(names, rows):
    text = "\n".join(rows)
    return [name for name in names if f"`{name}`" not in text and f"## {name}" not in text.lower()]


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        (registry.tables, "reports.md"),
        (registry.claims, "adding-a-claim.md"),
        (registry.noise_models, "label-noise.md"),
        (registry.weak_learners, "boosters.md"),
    ],
)
def test_every_registered_kind_has_its_row(kind, page):
    is_list = page in ("reports.md", "adding-a-claim.md")  # others list names by their use
    rows = [cells[0] if is_list else " ".join(cells) for cells in table_rows(page)]
    assert names_lacking(own(kind), rows) == []


def test_every_quantity_has_its_row():
    asked = {"metrics": [], "record": [], "": []}
    for name, each in QUANTITIES.items():
        setting, word = each.asked or ("", name)
        if each.asked or each.kept == "rounds":
            asked[setting].append(word)
    configs, reports = table_rows("configs.md"), table_rows("reports.md")
    assert names_lacking(asked["metrics"], [cells[0] for cells in configs]) == []
    (value,) = (" ".join(cells) for cells in reports if cells[0].strip() == "`value`")
    assert names_lacking(asked[""], [value]) == []


def test_experiments_of_the_makefile_have_their_sizes():
    def sizes(path):
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        inherited = sizes(path.parent / config["extends"]) if "extends" in config else {}
        return inherited | config.get("sizes", {})

    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    names = re.findall(r"call experiment,([\w./-]+)\)", makefile)
    known = {name: sizes(ROOT / f"configs/{name}.yaml") for name in names}
    assert [name for name in names if not known[name].keys() >= {"quick", "standard"}] == []


def test_every_paper_has_a_page():
    papers = {path.parent.name for path in (ROOT / "configs").glob("*/*.yaml")}
    papers -= {"noise-study", "theorems"}  # of our own
    pages = {page.stem for page in (ROOT / "docs/papers").glob("*.md")}
    assert papers == pages - {"index"}


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert re.search('^version = "(.*)"$', PROJECT, re.M)[1] == __version__
    heading = f"## [{__version__}] - {citation['date-released']}\n"
    assert heading in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_conda_recipe_needs_what_the_project_needs():
    pyproject = tomllib.loads(PROJECT)
    template = jinja2.Template((ROOT / "conda/meta.yaml").read_text(encoding="utf-8"))
    recipe = yaml.safe_load(template.render(load_file_data=lambda path, **_: pyproject))
    assert recipe["package"] == {"name": "boostbench", "version": __version__}
    _, *needed = recipe["requirements"]["run"]
    assert needed == pyproject["project"]["dependencies"]


def test_workflows_have_few_rights_and_pinned_actions_and_the_image_a_user_and_all_files():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
        assert re.findall("uses: .*@(?![0-9a-f]{40}  # v).*", text) == []
        assert text.count("actions/checkout@") == text.count("persist-credentials: false")
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"--constraint /src/constraints\.txt .*\n(.*\n)*USER boostbench\n", image)
    # numba keeps kernels beside the package only for users who may write there
    assert image.index("NUMBA_CACHE_DIR=") < image.index("RUN boostbench run")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    wheel = tomllib.loads(PROJECT)["tool"]["hatch"]["build"]["targets"]["wheel"]
    for path in wheel["force-include"]:
        assert f"!{path}" in ignored or path.partition("/")[0] not in ignored


def test_the_tested_versions_are_allowed_and_complete():
    lines = (ROOT / "constraints.txt").read_text().splitlines()[1:]
    tested = {name.casefold(): version for name, version in (line.split("==") for line in lines)}
    for needed in map(Requirement, tomllib.loads(PROJECT)["project"]["dependencies"]):
        assert tested[needed.name.casefold()] in needed.specifier
