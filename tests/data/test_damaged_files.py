"""Every way we know a data file to be broken, and the one line the user gets."""

import bz2
import gzip

import pytest

from boostbench.data import load
from boostbench.errors import DataError

HEADER = "split,a,b,target\n"
ROWS = ["train,1,2,x", "train,3,4,y", "train,5,6,x", "train,7,8,y", "test,1,3,x", "test,2,4,y"]
GOOD = HEADER + "\n".join(ROWS) + "\n"


def rows(**changes):
    """The good file with row n (from 1) replaced."""
    lines = list(ROWS)
    for number, line in changes.items():
        lines[int(number[3:]) - 1] = line
    return HEADER + "\n".join(lines) + "\n"


ARFF = "@relation toy\n@attribute a numeric\n@attribute b real\n@attribute class {x,y}\n@data\n"

DAMAGED = {
    "truncated gzip": (
        "toy.csv.gz",
        gzip.compress(GOOD.encode(), mtime=0)[:-12],
        "toy.csv.gz: the gzip file is damaged or cut short",
    ),
    "gzip that is not one": ("toy.csv.gz", GOOD.encode(), "the name says gzip, but the file does"),
    "truncated bzip2": (
        "toy.libsvm.bz2",
        bz2.compress(b"1 1:2\n")[:-4],
        "toy.libsvm.bz2: the bzip2 file is damaged or cut short",
    ),
    "empty": ("toy.csv", "", "toy.csv: the file is empty; a header row and data rows are expected"),
    "blank": ("toy.csv", "\n \n", "toy.csv: the file is empty"),
    "header only": ("toy.csv", HEADER, "toy.csv: there is a header but no data row"),
    "binary": ("toy.csv", b"\x89PNG\0\0\1", "toy.csv: this is binary data, not text"),
    "wrong encoding": (
        "toy.csv",
        rows(row2="train,3,4,caf\xe9").encode("latin-1"),
        "toy.csv:3: byte 0xe9 is not UTF-8; save the file as UTF-8",
    ),
    "short row": (
        "toy.csv",
        rows(row3="train,5,x"),
        "toy.csv:4: the row has 3 cells, the header has 4",
    ),
    "long row": (
        "toy.csv",
        rows(row3="train,5,6,x,9"),
        "toy.csv:4: the row has 5 cells, the header has 4",
    ),
    "long rows throughout": (
        "toy.csv",
        HEADER + "".join(f"{row},9\n" for row in ROWS),
        "toy.csv:2: the row has 5 cells, the header has 4",
    ),
    "first row long": (
        "toy.csv",
        rows(row1="train,1,2,x,9"),
        "toy.csv:2: the row has 5 cells, the header has 4",
    ),
    "no target": (
        "toy.csv",
        GOOD.replace("target", "c"),
        "toy.csv:1: there is no column 'target' for the labels; the columns are: split, a, b, c",
    ),
    "no header": ("toy.csv", "1,2,x\n3,4,y\n", "toy.csv:1: there is no column 'target'"),
    "spaces": (
        "toy.csv",
        GOOD.replace(",", " "),
        "the columns are: split a b target; are they separated by commas, semicolons, tabs or",
    ),
    "text in a number": (
        "toy.csv",
        rows(row4="train,7,8.0.1,y"),
        "toy.csv:5: column 'b' holds '8.0.1', which is not a number; the catalog expects only "
        "numbers for 'toy'",
    ),
    "one class too many": (
        "toy.csv",
        rows(row4="train,7,8,z"),
        "classes: 3 found (x, y, z), 2 expected",
    ),
    "rows missing": (
        "toy.csv",
        HEADER + "\n".join(ROWS[:4] + ROWS[5:]),
        "rows: 5 (4 train, 1 test) found, 6 (4 train, 2 test) expected",
    ),
    "division moved": (
        "toy.csv",
        rows(row4="test,7,8,y"),
        "rows: 6 (3 train, 3 test) found, 6 (4 train, 2 test) expected",
    ),
    "a feature too many": (
        "toy.csv",
        "split,a,b,c,target\n" + "".join(row.replace(",", ",0,", 1) + "\n" for row in ROWS),
        "features: 3 found, 2 expected",
    ),
    "unknown part": (
        "toy.csv",
        rows(row5="valid,1,3,x"),
        "toy.csv:6: column 'split' holds 'valid'; it must be 'train' or 'test'",
    ),
    "part missing": (
        "toy.csv",
        rows(row5=",1,3,x"),
        "toy.csv:6: column 'split' is empty; it must be 'train' or 'test'",
    ),
    "label missing": (
        "toy.csv",
        rows(row2="train,3,4,"),
        "toy.csv:3: the label (column 'target') is missing; every row needs one",
    ),
    "column twice": (
        "toy.csv",
        GOOD.replace("a,b", "a,a"),
        "toy.csv:1: column 'a' occurs twice in the header; names must differ",
    ),
    "infinite": (
        "toy.csv",
        rows(row6="test,2,-inf,y"),
        "toy.csv:7: column 'b' holds -inf; a value must be a finite number",
    ),
    "too large": ("toy.csv", rows(row6="test,2,1e999,y"), "toy.csv:7: column 'b' holds inf"),
    "one class": (
        "toy.csv",
        GOOD.replace(",y", ",x"),
        "toy.csv: all 6 rows have the one label 'x'; at least 2 classes are needed",
    ),
    "only labels": ("toy.csv", "target\nx\ny\n", "toy.csv: there is no feature column"),
    "open quote": ("toy.csv", rows(row2='train,3,"4,y'), "toy.csv:"),
    "libsvm pair": (
        "toy.libsvm",
        "1 1:2 2:3\n0 1:2 2=3\n",
        "toy.libsvm:2: '2=3' is not INDEX:VALUE, e.g. 3:0.5",
    ),
    "libsvm value": ("toy.libsvm", "1 1:2\n\n0 1:two\n", "toy.libsvm:3: '1:two' is not INDEX"),
    "libsvm label": ("toy.libsvm", "one 1:2\n", "toy.libsvm:1: the label 'one' is not a number"),
    "libsvm order": (
        "toy.libsvm",
        "1 2:2 1:3\n",
        "toy.libsvm:1: index 1 follows 2; indices must rise within a line",
    ),
    "libsvm infinite": (
        "toy.libsvm",
        "# made by hand\n1 1:2\n0 1:inf\n",
        "toy.libsvm:3: column 'x1' holds inf",
    ),
    "libsvm width": ("toy.libsvm", "1 1:2\n0 9:1\n", "features: 9 found, 2 expected"),
    "arff without data": ("toy.arff", "@relation r\n", "toy.arff: there is no line '@data'"),
    "arff attribute": (
        "toy.arff",
        "@relation r\n@attribute a\n@data\n",
        "toy.arff:2: '@attribute a' is not '@attribute NAME TYPE'",
    ),
    "arff text": (
        "toy.arff",
        ARFF + "1,2,x\n% comment\none,2,y\n",
        "toy.arff:8: column 'a' holds 'one', which is not a number",
    ),
    "arff width": (
        "toy.arff",
        ARFF + "1,2,x\n1,y\n",
        "toy.arff:7: the row has 2 cells, the header has 3",
    ),
    "arff sparse": ("toy.arff", ARFF + "{0 1, 3 x}\n", "toy.arff:6: '3 x' is not 'INDEX VALUE'"),
    "arff weights": ("toy.arff", ARFF + "1,2,x, {5}\n", "toy.arff:6: instance weights are not"),
    "arff relation": (
        "toy.arff",
        "@relation r\n@attribute a relational\n@data\n",
        "toy.arff:2: attributes of type 'relational' are not read",
    ),
    "arff empty": ("toy.arff", ARFF, "toy.arff: there is a header but no data row"),
    "parquet": ("toy.parquet", b"PAR1 and nothing else", "toy.parquet: this is not a readable par"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_file_is_named_with_what_was_found(case, folder):
    name, content, message = DAMAGED[case]
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as caught:
        load("toy", None, [folder])
    assert message in str(caught.value)
    assert str(folder / name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_undamaged_file_loads(put):
    data = load("toy", None, [put("toy.csv", GOOD)])
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [1, 3], [2, 4]]
    assert data.classes == ("x", "y")
    assert [part.tolist() for part in data.official] == [[0, 1, 2, 3], [4, 5]]


def test_a_mismatch_names_the_catalog_entry(put, folder):
    with pytest.raises(DataError, match=r"not the data set 'toy' of the catalog .*toy\.yaml:1"):
        load("toy", None, [put("toy.csv", GOOD + "test,1,1,x\n")])


def test_a_libsvm_training_file_without_its_test_part(put):
    with pytest.raises(DataError, match=r"vowel: the test part 'vowel\.t' .* is missing"):
        load("vowel", None, [put("vowel", "1 1:2\n")])


def test_the_most_nearly_numeric_of_several_text_columns_is_the_suspect(put, folder):
    (folder / "mixed.yaml").write_text("mixed: {n_categorical: 1}\n")
    put("mixed.csv", "colour,size,target\nred,1,x\nblue,2,y\nred,3 m,x\n")
    with pytest.raises(DataError, match=r"mixed\.csv:4: column 'size' holds '3 m'"):
        load("mixed", None, [folder])
