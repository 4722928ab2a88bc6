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
    assert len(values) == 2


def test_labels_are_looked_up_before_names(tmp_path):
    text = (
        HEADER + "t,dna,sm-boost (random),10,0.2,5,,percent,\nt,dna,sm-boost,10,0.2,6,,percent,\n"
    )
    values = read_paper_values(write(tmp_path, text))
    found = values.find(["my dna", "dna"], ["sm-boost (random)", "sm-boost"], 10, 0.1 + 0.1)
    assert found.text == "5"
    assert values.find(["dna"], ["sm-boost (best)", "sm-boost"], 10, 0.2).text == "6"
    assert values.find(["dna"], ["sm-boost"], 10, 0.0) is None


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (
            "t,dna,samme,10,0,6.1,,per cent,",
            ":2: unit must be percent or fraction, found 'per cent'",
        ),
        ("t,dna,samme,ten,0,6.1,,percent,", ":2: T must be a number, found 'ten'"),
        ("t,dna,samme,0,0,6.1,,percent,", ":2: T must be a whole number of rounds from 1"),
        ("t,dna,samme,10,20,6.1,,percent,", ":2: noise must be a rate from 0 to 1, found '20'"),
        ("t,dna,samme,10,0,262,,percent,", ":2: error must be 0 to 100 percent, found '262'"),
        ("t,dna,samme,10,0,6.1,,fraction,", ":2: error must be 0 to 100 percent, found '6.1'"),
        ("t,dna,samme,10,0,nan,,percent,", ":2: error must be a number, found 'nan'"),
        ("t,dna,samme,10,0,6.1,x,percent,", ":2: std must be a number, found 'x'"),
        ("t,,samme,10,0,6.1,,percent,", ":2: dataset is empty"),
        ("t,dna,samme,10,0,6.1,,percent", ":2: has more or fewer fields than the header"),
        ("t,dna,samme,10,0,6,1,,percent,", ":2: has more or fewer fields than the header"),
        ("", "holds no value below its header"),
    ],
)
def test_a_wrong_row_is_named_by_line(tmp_path, row, complaint):
    path = write(tmp_path, HEADER + row + "\n" * bool(row))
    with pytest.raises(ConfigError) as caught:
        read_paper_values(path)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_all_wrong_rows_are_named_at_once(tmp_path):
    rows = "t,dna,samme,10,0,x,,percent,\n" * 2 + "t,dna,samme,10,0,1,,percent,\n" * 2
    with pytest.raises(ConfigError) as caught:
        read_paper_values(write(tmp_path, HEADER + rows))
    lines = str(caught.value).splitlines()
    assert [":2:" in lines[0], ":3:" in lines[1], ":5:" in lines[2]] == [True] * 3
    assert "a second value for dna, samme, T = 10, noise 0" in lines[2]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty; the first line must name the columns"),
        ("dataset,method,T,noise,errors,unit\n", "has no column 'error'; is it 'errors'?"),
        ("a,b\n1,2\n", "has no column 'dataset'; it has a, b"),
    ],
)
def test_a_wrong_header_is_named(tmp_path, text, complaint):
    with pytest.raises(ConfigError) as caught:
        read_paper_values(write(tmp_path, text))
    assert complaint in str(caught.value)


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "values.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="is not a UTF-8 text file"):
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
