"""A paper's numbers are read with their digits, and every mistake in the file is named."""

import pytest

from boostbench.errors import ConfigError
from boostbench.reports.values.paper import read_paper_values

HEADER = "table,dataset,method,T,noise,error,std,unit,doubt\n"


def write(tmp_path, text):
    path = tmp_path / "values.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_digits_are_kept_as_printed(tmp_path):
    text = (
        HEADER
        + "t,dna,samme,10,0,6.10,,percent,\n"
        + 't,dna,samme,100,0,0.739,0.0016,fraction,"smudged, perhaps"\n'
    )
    values = read_paper_values(write(tmp_path, text))
    first = values.find(["dna"], ["samme"], 10, 0.0)
    second = values.find(["dna"], ["samme"], 100, 0.0)
    assert (first.text, first.error, first.doubt) == ("6.10", pytest.approx(0.061), "")
    assert (second.text, second.doubt) == ("73.9 ± 0.16", "smudged, perhaps")
    assert sum(map(len, values.values())) == 2


def test_labels_are_looked_up_before_names(tmp_path):
    text = (
        HEADER + "t,dna,sm-boost (random),10,0.2,5,,percent,\nt,dna,sm-boost,10,0.2,6,,percent,\n"
    )
    values = read_paper_values(write(tmp_path, text))
    found = values.find(["my dna", "dna"], ["sm-boost (random)", "sm-boost"], 10, 0.1 + 0.1)
    assert found.text == "5"
    assert values.find(["dna"], ["sm-boost (best)", "sm-boost"], 10, 0.2).text == "6"
    assert values.find(["dna"], ["sm-boost"], 10, 0.0) is None


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "values.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        read_paper_values(path)
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_paper_values(tmp_path / "absent.csv")


def test_a_cell_without_a_number_and_accuracies(tmp_path):
    text = HEADER + "t,dna,samme,50,0,,,percent,a dash\nt,dna,mh,50,0,27.15,0.20,percent,\n"
    values = read_paper_values(write(tmp_path, text))
    dash, value = (values.find(["dna"], [name], 50, 0.0) for name in ("samme", "mh"))
    assert (dash.error, dash.text, dash.accuracy_text, dash.doubt) == (None, "–", "–", "a dash")
    assert (value.text, value.accuracy_text) == ("27.15 ± 0.20", "72.85 ± 0.20")


def test_the_last_number_of_a_row(tmp_path):
    rows = ["dna,mh,10,0,6", "dna,mh,50,0,5", "dna,mh,90,0.2,4", "dna,samme,70,0,3"]
    text = HEADER + "".join(f"t,{row},,percent,\n" for row in rows)
    values = read_paper_values(write(tmp_path, text))
    assert values.find(["my dna", "dna"], ["mh (mine)", "mh"], None, 0.0).rounds == 50
    assert values.find(["dna"], ["sm-boost"], None, 0.0) is None
