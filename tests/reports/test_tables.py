"""What a table says: values, best, gaps, marks, doubts, tolerance, ranks."""

import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.entries import DataSet
from boostbench.experiments.runs import BoosterSpec, Data
from boostbench.reports.tables.error_table import build_table
from boostbench.reports.values.paper import read_paper_values

from .synthetic import CLEAN, EXCHANGE, make_config, study_of

HEADER = "dataset,method,T,noise,error,unit,doubt\n"


def cell(table, group, row="", column=0):
    for its in table.rows:
        if [*its.labels] == [label for label in (group, row) if label]:
            return its.cells[column]
    raise AssertionError(f"no row {group}/{row}")


def counts(**by_booster):
    return lambda run: [by_booster[run.booster.name.replace("-", "_")]] * run.rounds


def test_the_best_of_a_data_set_and_round_are_marked_ties_included(tmp_path):
    config = make_config(tmp_path, datasets=["dna"])
    table = build_table(study_of(config, counts(adaboost_mh=50, samme=50, sm_boost=51)))
    best = [cell(table, "dna", b).best for b in ("adaboost-mh", "samme", "sm-boost")]
    assert best == [True, True, False]
    assert table.answer[0].startswith("adaboost-mh and samme have the lowest test error on dna")


def test_the_answer_tells_wrong_labels_from_true_ones(tmp_path):
    def errors(run):
        best = "sm-boost" if run.noise.rate and run.dataset == "dna" else "samme"
        return [40 if run.booster.name == best else 50] * run.rounds

    table = build_table(study_of(make_config(tmp_path, noise=[CLEAN, EXCHANGE]), errors))
    assert "With wrong labels that is 1 of 2, with clean ones 2 of 2." in table.answer


def test_the_answer_names_all_that_share_the_lead_and_nobody_if_they_are_many(tmp_path):
    def answer(errors, boosters=("adaboost-mh", "samme", "sm-boost", "adaboost-mr")):
        specs = [BoosterSpec(name) for name in boosters]
        study = study_of(
            make_config(tmp_path, datasets=["dna", "letter", "segment", "vowel"], boosters=specs),
            lambda run: [errors[run.booster.name][ORDER.index(run.dataset)]] * run.rounds,
        )
        return build_table(study).answer

    ORDER = ["dna", "letter", "segment", "vowel"]
    errors = {"adaboost-mh": (1, 1, 1, 9), "samme": (1, 1, 1, 9), "sm-boost": (2, 2, 2, 1)}
    shared, then = answer(errors, tuple(errors))
    assert shared.startswith("adaboost-mh and samme have the lowest test error on 3 of 4 data sets")
    assert (", each" in shared, then) == (True, "Then sm-boost on 1; ties count for each.")
    errors = {
        name: [1 + (place != of) for of in range(4)]
        for place, name in enumerate(("adaboost-mh", "samme", "sm-boost", "adaboost-mr"))
    }
    assert answer(errors) == (
        "No booster has the lowest test error on more than 1 of 4 data sets after 100 rounds.",
    )


def test_variants_of_one_printed_method_do_not_lead_in_the_paper(tmp_path):
    paper = tmp_path / "paper.csv"
    boosters = [BoosterSpec("sm-boost", label=f"sm-boost ({s})") for s in ("best", "random")]
    for names in (["samme", "sm-boost"], boosters):
        rows = [f"dna,{name},10,0,{n}.5,percent,\n" for n, name in enumerate(["samme", "sm-boost"])]
        paper.write_text(HEADER + "".join(rows))
        study = study_of(make_config(tmp_path, datasets=["dna"], boosters=names))
        answer = " ".join(build_table(study, at=10, paper=read_paper_values(paper)).answer)
        assert ("In the paper" in answer) == (names != boosters)


def test_mean_and_standard_deviation_over_seeds(tmp_path):
    config = make_config(tmp_path, datasets=["vowel"], boosters=["samme"], seeds=3)
    table = build_table(study_of(config, lambda run: [100 + 10 * run.seed] * run.rounds))
    assert cell(table, "vowel", "samme").text == "23.81 ± 2.16"  # 110 / 462, 10 / 462
    assert "mean ± standard deviation of 3 runs" in table.footers[0]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("failed", "ValueError: no"),
        ("timeout", "exceeded 30 s"),
        ("skipped", "there is no dna.csv"),
        ("stale", "the code changed"),
        ("missing", ""),
    ],
)
def test_a_cell_without_a_result_says_why(tmp_path, status, reason):
    study = study_of(make_config(tmp_path), broken={"dna/samme/clean/seed-0": (status, reason)})
    table = build_table(study)
    its = cell(table, "dna", "samme")
    assert (its.text, its.value, its.best) == (status, "", False)
    assert its.notes == (f"{status}: {reason}",) * bool(reason)


def test_equal_reasons_share_a_note_without_what_was_tried_where(tmp_path):
    broken = {
        f"dna/{b}/clean/seed-0": ("skipped", "there is no dna.csv: looked in a, b")
        for b in ("adaboost-mh", "samme", "sm-boost")
    }
    table = build_table(study_of(make_config(tmp_path), broken=broken))
    assert table.notes == ("skipped: there is no dna.csv",)


def test_rounds_beyond_those_of_a_data_set_are_left_open(tmp_path):
    short = DataSet(data=Data("letter", label="letter"), rounds=50)
    config = make_config(tmp_path)
    config = config.model_copy(update={"datasets": (config.datasets[0], short)})
    table = build_table(study_of(config))
    assert cell(table, "letter", "samme", 0).value != ""
    assert cell(table, "letter", "samme", 1).text == "–"
    assert "– beyond the rounds made." in table.footers


def test_the_paper_s_values_stand_beside_ours(tmp_path):
    paper = tmp_path / "paper.csv"
    paper.write_text(
        HEADER
        + "dna,samme,10,0,20.1,percent,\n"
        + "dna,adaboost-mh,10,0,1.0,percent,smudged\n"
        + "dna,sm-boost,10,0,20,percent,\n"
        + "letter,samme,10,0.2,9,percent,\n"  # another noise: belongs to no cell
    )
    study = study_of(make_config(tmp_path), counts(adaboost_mh=50, samme=240, sm_boost=30))
    table = build_table(study, paper=read_paper_values(paper))
    assert table.with_paper == (True, False)
    near, far = cell(table, "dna", "samme"), cell(table, "dna", "adaboost-mh")
    assert (near.text, near.paper, near.marks) == ("20.24", "20.1", "")
    assert (far.text, far.paper, far.marks) == ("4.22", "1.0", "¶")
    assert far.paper_notes == ("paper's value doubtful: smudged",)
    by_chance = "0.5 would agree with another column of the table by chance"
    off = "ours is better for 1, worse for 1."
    assert f"1 of 3 printed numbers agree ({by_chance}), {off}" in table.footers
    marks = "§ better, ¶ worse than printed: outside the 95 % prediction interval."
    assert marks in table.footers
    assert (
        "By booster: adaboost-mh 0 of 1 (0.0 by chance), samme 1 of 1 (0.0 by chance), "
        "sm-boost 0 of 1 (0.5 by chance)." in table.footers
    )


def test_variants_of_a_booster_share_the_paper_s_value(tmp_path):
    paper = tmp_path / "paper.csv"
    paper.write_text(HEADER + "dna,sm-boost,10,0,4.5,percent,\n")
    boosters = [BoosterSpec("sm-boost", label=f"sm-boost ({s})") for s in ("best", "random")]
    study = study_of(make_config(tmp_path, boosters=boosters))
    table = build_table(study, paper=read_paper_values(paper))
    assert [cell(table, "dna", booster.label).paper for booster in boosters] == ["4.5", "4.5"]
    assert [*table.held] == [("paper, sm-boost", f"tiny: {booster.label}") for booster in boosters]
    assert all([*numbers] == ["dna, T = 10, noise 0"] for numbers in table.held.values())


def test_a_paper_without_any_fitting_value_is_said(tmp_path):
    paper = tmp_path / "paper.csv"
    paper.write_text(HEADER + "mnist,samme,10,0,4.5,percent,\n")
    table = build_table(study_of(make_config(tmp_path)), paper=read_paper_values(paper))
    assert "No cell has both a value of ours and one of the paper." in table.footers


def test_ranks_wins_ties_and_losses(tmp_path):
    def errors(run):
        table = {"dna": (10, 20, 20), "letter": (20, 10, 30), "segment": (10, 10, 30)}
        place = ("adaboost-mh", "samme", "sm-boost").index(run.booster.name)
        return [table[run.dataset][place]] * run.rounds

    table = build_table(
        study_of(make_config(tmp_path, datasets=["dna", "letter", "segment"]), errors)
    )
    rows = ["adaboost-mh", "samme", "sm-boost"]
    assert [cell(table, "mean rank", row).text for row in rows] == ["1.50", "1.67", "2.83"]
    records = [cell(table, "wins/ties/losses", row).text for row in rows]
    assert records == ["1/1/1", "1/1/1", "0/0/3"]


def test_one_data_set_or_one_booster_is_no_contest(tmp_path):
    for options in ({"datasets": ["dna"]}, {"boosters": ["samme"]}):
        table = build_table(study_of(make_config(tmp_path, **options)))
        assert not any(row.is_summary for row in table.rows)


def test_boosters_as_columns(tmp_path):
    study = study_of(make_config(tmp_path))
    wide, long = build_table(study, columns="booster", at=100), build_table(study)
    assert wide.columns == ("adaboost-mh", "samme", "sm-boost")
    assert wide.names == ("data set",)
    assert cell(wide, "dna", column=1) == cell(long, "dna", "samme", column=1)


def test_a_table_says_what_it_shows(tmp_path):
    study = study_of(make_config(tmp_path, title="Three boosters"))
    assert build_table(study).title == "Three boosters"
    assert build_table(study).footers[0].startswith("Test error in percent. Bold:")
    other = build_table(study, value="train_error")
    assert other.title == "Three boosters: training error (labels as seen)"
    assert build_table(study, title="Mine").title == "Mine"


def test_printed_test_errors_are_not_compared_with_other_values(tmp_path):
    with pytest.raises(BoostbenchError, match="'paper' holds test errors"):
        build_table(study_of(make_config(tmp_path)), value="train_error", paper="x.csv")


def test_the_last_round_has_its_own_column(tmp_path):
    config = make_config(
        tmp_path, boosters=["samme", BoosterSpec("sm-boost", label="sm-boost", rounds=20)]
    )
    long = DataSet(data=Data("letter", label="letter"), rounds=150)
    config = config.model_copy(update={"datasets": (config.datasets[0], long)})
    paper = tmp_path / "paper.csv"
    rows = ["dna,samme,100,0,10,percent,", "letter,samme,100,0,10,percent,"]
    paper.write_text(HEADER + "\n".join([*rows, "dna,sm-boost,20,0,10,percent,"]))
    study = study_of(config, lambda run: [118] * (run.rounds - 1) + [run.rounds])
    table = build_table(study, columns="booster", at="end", paper=read_paper_values(paper))
    assert [cell(table, "dna", "", column).text for column in (0, 1)] == ["8.43", "1.69"]
    assert cell(table, "letter").text == "3.00"
    assert [cell(table, "dna", "", column).paper for column in (0, 1)] == ["10", "10"]
    assert cell(table, "letter").paper == ""  # of another T
    assert "T is the last round: 100 (dna), 20 (sm-boost), 150 (letter)." in table.footers
    assert next(row.labels for row in table.rows if row.is_summary) == ("mean rank",)
    (only,) = build_table(study.only(boosters=["sm-boost"]), at="end").columns
    assert only == "last round"


def test_accuracies_are_errors_shown_the_other_way_round(tmp_path):
    config = make_config(
        tmp_path, datasets=["dna"], boosters=["samme", "sm-boost"], checkpoints=[100], seeds=2
    )
    paper = tmp_path / "paper.csv"
    paper.write_text(
        HEADER
        + "dna,samme,100,0,27.15,percent,smudged\n"
        + "dna,sm-boost,100,0,,percent,a dash in the paper\n"
    )
    study = study_of(config, lambda run: [47 + 10 * run.seed] * 100)
    errors = build_table(study, columns="booster", paper=read_paper_values(paper))
    table = build_table(
        study, columns="booster", value="test_accuracy", paper=read_paper_values(paper)
    )
    its = cell(table, "dna")
    assert (its.text, its.paper, its.marks) == ("95.62 ± 0.60", "72.85", "§")
    assert [cell(errors, "dna", "", column).paper for column in (0, 1)] == ["27.15", "–"]
    assert its.best == cell(errors, "dna").best
    assert cell(table, "dna", "", 1).paper == "–"
    assert table.footers[0].startswith("Test accuracy in percent, mean")
    assert table.footers[0].endswith("Bold: the highest of a data set, noise and T.")
    assert table.footers[1].startswith("0 of 1 printed numbers agree, ours is better for 1.")
    assert table.notes == (
        "paper's value doubtful: smudged",
        "paper has no value: a dash in the paper",
    )
    assert table.title == errors.title
