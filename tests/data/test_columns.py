"""Cells, labels, headers and files as users write them, each with its right reading."""

import csv
import io
from datetime import date

import numpy as np
import pytest

from boostbench.data import load
from boostbench.errors import DataError

N = np.nan


def day(text):
    """Return the number of a date, and of a time of day as its share."""
    moment, _, time = text.partition(" ")
    hours, minutes, seconds = (*map(float, time.split(":")), 0, 0)[:3] if time else (0, 0, 0)
    return (date.fromisoformat(moment) - date(1970, 1, 1)).days + (
        hours / 24 + minutes / 1440 + seconds / 86400
    )


def days(*texts):
    return [N if text is None else day(text) for text in texts]


NUMBERS = [
    # plain
    ("1|2|3", [1, 2, 3]),
    ("1.5|-2.25|+3", [1.5, -2.25, 3]),
    (".5|5.|-.5", [0.5, 5, -0.5]),
    ("1e3|2E-2|-3e+1", [1000, 0.02, -30]),
    ("0|0.0|-0", [0, 0, 0]),
    ("0.1|0.30000000000000004|2.2250738585072014e-308", [0.1, 0.1 + 0.2, 2.0**-1022]),
    ("9007199254740993|1|2", [2**53, 1, 2]),
    ("123456789012345678901234567890|1|2", [123456789012345678901234567890.0, 1, 2]),
    (" 1 |\t2|3  ", [1, 2, 3]),
    ("\u00a01|2\u00a0|\u20093", [1, 2, 3]),
    ("\u22125|\u22121.5|2", [-5, -1.5, 2]),
    # missing cells
    ("1||3", [1, N, 3]),
    ("1|?|3", [1, N, 3]),
    ("1|NA|3", [1, N, 3]),
    ("1|N/A|3", [1, N, 3]),
    ("1|n/a|3", [1, N, 3]),
    ("1|NaN|3", [1, N, 3]),
    ("1|nan|3", [1, N, 3]),
    ("1|NULL|3", [1, N, 3]),
    ("1|null|3", [1, N, 3]),
    ("1|<NA>|3", [1, N, 3]),
    ("1|#N/A|3", [1, N, 3]),
    ("1|-|3", [1, N, 3]),
    ("1|--|3", [1, N, 3]),
    ("1|.|3", [1, N, 3]),
    ("1|*|3", [1, N, 3]),
    ("1|None|3", [1, N, 3]),
    ("1|none|3", [1, N, 3]),
    ("1|missing|3", [1, N, 3]),
    ("1|Unknown|3", [1, N, 3]),
    ("1|n.a.|3", [1, N, 3]),
    ("1|#DIV/0!|3", [1, N, 3]),
    ("1|#VALUE!|#REF!", [1, N, N]),
    ("1|#NAME?|#NUM!", [1, N, N]),
    ("-|N/A|7", [N, N, 7]),
    ("||", [N, N, N]),
    ("NA|?|", [N, N, N]),
    # thousands and decimal marks
    ("1,234|5,678|12", [1234, 5678, 12]),
    ("1,234.5|5,678.25|12", [1234.5, 5678.25, 12]),
    ("1,234,567|2|3", [1234567, 2, 3]),
    ("12,34,567|2|3", [1234567, 2, 3]),
    ("-1,234|+5,678|0", [-1234, 5678, 0]),
    ("3,5|2,25|1", [3.5, 2.25, 1]),
    ("0,5|-0,25|1,125", [0.5, -0.25, 1.125]),
    ("1.234,5|2.345.678,9|1", [1234.5, 2345678.9, 1]),
    ("1.234.567|2.345.678|1", [1234567, 2345678, 1]),
    ("1 234,5|2 345 678,9|1", [1234.5, 2345678.9, 1]),
    ("1 234.5|2 345|1", [1234.5, 2345, 1]),
    ("1\u00a0234|2\u202f345|1", [1234, 2345, 1]),
    ("1'234.5|2'345|1", [1234.5, 2345, 1]),
    ("1\u2019234|2\u2019345,5|1", [1234, 2345.5, 1]),
    ("1,5e3|2,5E-1|1", [1500, 0.25, 1]),
    ("3,5|NA|-", [3.5, N, N]),
    # per cent, currencies and units
    ("12%|7.5%|-3%", [12, 7.5, -3]),
    ("12 %|7,5 %|3 %", [12, 7.5, 3]),
    ("$5|$1,234.50|-$3", [5, 1234.5, -3]),
    ("$ 5|$ 7|$-3", [5, 7, -3]),
    ("5 €|1.234,50 €|3 €", [5, 1234.5, 3]),
    ("€5|€7|€9", [5, 7, 9]),
    ("£1,000|£2|?", [1000, 2, N]),
    ("(5.5)|(1,234)|7", [-5.5, -1234, 7]),
    ("5 kg|7.5 kg|6 kg", [5, 7.5, 6]),
    ("5kg|7kg|6kg", [5, 7, 6]),
    ("21.5 °C|-3 °C|0 °C", [21.5, -3, 0]),
    ("1,5 cm|2 cm|", [1.5, 2, N]),
    ("10 mg/l|7 mg/l|-", [10, 7, N]),
]

DATES = [
    ("2020-01-02|2019-12-31|2019-06-15", days("2020-01-02", "2019-12-31", "2019-06-15")),
    ("2020-1-2|2019-12-31|", days("2020-01-02", "2019-12-31", None)),
    ("2020-01|2019-12|2019-06", days("2020-01-01", "2019-12-01", "2019-06-01")),
    ("2020-01-02 12:00|2019-12-31 06:00|NA", days("2020-01-02 12:00", "2019-12-31 06:00", None)),
    ("2020-01-02T12:00:00Z|2020-01-02T14:00:00+02:00|-", [*days(*["2020-01-02 12:00"] * 2), N]),
    (
        "2020-01-02 12:00:00.5|2019-01-01 00:00:00|",
        [*days("2020-01-02 12:00:0.5", "2019-01-01"), N],
    ),
    ("1969-12-31|1970-01-01|9999-12-31", [-1, 0, 2932896]),
    ("0001-01-01|2262-04-12|1677-09-20", [-719162, 106752, -106753]),
    ("2020/01/02|2019/12/31|", days("2020-01-02", "2019-12-31", None)),
    ("02/01/2020|31/12/2019|15/06/2019", days("2020-01-02", "2019-12-31", "2019-06-15")),
    ("01/02/2020|12/31/2019|06/15/2019", days("2020-01-02", "2019-12-31", "2019-06-15")),
    ("02.01.2020|31.12.2019|1.6.2019", days("2020-01-02", "2019-12-31", "2019-06-01")),
    ("02.01.2020|03.02.2020|", days("2020-01-02", "2020-02-03", None)),
    ("02-01-2020|31-12-2019|", days("2020-01-02", "2019-12-31", None)),
    ("02/01/20|31/12/19|15/06/19", days("2020-01-02", "2019-12-31", "2019-06-15")),
    ("02.01.20|31.12.19|15.06.19", days("2020-01-02", "2019-12-31", "2019-06-15")),
    ("12/31/19|01/02/20|", days("2019-12-31", "2020-01-02", None)),
    ("01-Jun-2022|24-May-2022|", days("2022-06-01", "2022-05-24", None)),
    ("1-Jan-99|24-MAY-05|", days("1999-01-01", "2005-05-24", None)),
    ("2 Jan 2020|31 Dec 2019|", days("2020-01-02", "2019-12-31", None)),
    ("2 January 2020|31 December 2019|", days("2020-01-02", "2019-12-31", None)),
    ("Jan 2, 2020|Dec 31, 2019|", days("2020-01-02", "2019-12-31", None)),
    ("January 2, 2020|December 31, 2019|", days("2020-01-02", "2019-12-31", None)),
    ("12.01.2017 17:18|01.02.2017 11:12|", days("2017-01-12 17:18", "2017-02-01 11:12", None)),
    ("3/13/2018 9:05 PM|12/1/2018 12:00 AM|", days("2018-03-13 21:05", "2018-12-01", None)),
    (
        "14/09/2018 14:09:00|03/09/2018 12:02:00|",
        days("2018-09-14 14:09", "2018-09-03 12:02", None),
    ),
    ("05/05/2020|06/06/2020|", days("2020-05-05", "2020-06-06", None)),
]

DURATIONS = [
    ("1 day|10 days|2 days", [86400, 864000, 172800]),
    ("1 days|10 days|", [86400, 864000, N]),
    ("1 days 02:00:00|0 days 00:30:00|", [93600, 1800, N]),
    ("-1 days +02:00:00|1 days|", [-79200, 86400, N]),
    ("12:30|9:05|23:59", [45000, 32700, 86340]),
    ("1:02:03|0:00:01.5|", [3723, 1.5, N]),
    ("100:00:00|1:00:00|", [360000, 3600, N]),
    ("3 h|90 min|10 s", [10800, 5400, 10]),
    ("1h|30min|", [3600, 1800, N]),
    ("1 hour|2 hours|30 minutes", [3600, 7200, 1800]),
    ("PT1H|P1D|PT30M", [3600, 86400, 1800]),
    ("250 ms|1 s|", [0.25, 1, N]),
]

CATEGORIES = [
    ("red|blue|red", [1, 0, 1], ("blue", "red")),
    ("red||blue", [1, N, 0], ("blue", "red")),
    ("red|NA|blue", [1, N, 0], ("blue", "red")),
    ("none|NA|blue", [1, N, 0], ("blue", "none")),
    ("dark red| dark  red |blue", [1, 1, 0], ("blue", "dark red")),
    ("dark\nred|dark red|blue", [1, 1, 0], ("blue", "dark red")),
    ("a\u3000b|a b|c", [0, 0, 1], ("a b", "c")),
    ("caf\u00e9|cafe\u0301|tea", [0, 0, 1], ("caf\u00e9", "tea")),
    ("Red|red|RED", [1, 2, 0], ("RED", "Red", "red")),
    ("true|false|true", [1, 0, 1], ("False", "True")),
    ("True|FALSE|", [1, 0, N], ("False", "True")),
    ("True|false|TRUE|-", [2, 3, 1, 0], ("-", "TRUE", "True", "false")),
    ("yes|no|yes", [1, 0, 1], ("no", "yes")),
    ("t|f|t", [1, 0, 1], ("f", "t")),
    ("x|1|y", [1, 0, 2], ("1", "x", "y")),
    ("007|012|100", [0, 1, 2], ("007", "012", "100")),
    ("01234|90210|01234", [0, 1, 0], ("01234", "90210")),
    ("10-19|20-29|5-9", [0, 1, 2], ("10-19", "20-29", "5-9")),
    ("1st|2nd|3rd", [0, 1, 2], ("1st", "2nd", "3rd")),
    ("<5|5-10|>10", [1, 0, 2], ("5-10", "<5", ">10")),
    ("A1|A2|B1", [0, 1, 2], ("A1", "A2", "B1")),
    ("1_000|2_000|x", [0, 1, 2], ("1_000", "2_000", "x")),
    ("0x1F|0x2A|zz", [0, 1, 2], ("0x1F", "0x2A", "zz")),
    ("1.2.3|1.2.4|1.10.0", [1, 2, 0], ("1.10.0", "1.2.3", "1.2.4")),
    ("192.168.0.1|10.0.0.1|x", [1, 0, 2], ("10.0.0.1", "192.168.0.1", "x")),
    ("it's|don't|", [1, 0, N], ("don't", "it's")),
    ('say ""hi""|a|b', [2, 0, 1], ("a", "b", 'say ""hi""')),
    ("a;b|c,d|e", [0, 1, 2], ("a;b", "c,d", "e")),
    ("\u65e5\u672c|\u4e2d\u56fd|", [1, 0, N], ("\u4e2d\u56fd", "\u65e5\u672c")),
    ("\U0001f600|\U0001f4a9|", [1, 0, N], ("\U0001f4a9", "\U0001f600")),
    ("%d|{x}|<b>", [0, 2, 1], ("%d", "<b>", "{x}")),
    ("Mon|Tue|Wed", [0, 1, 2], ("Mon", "Tue", "Wed")),
    ("s|h|d", [2, 1, 0], ("d", "h", "s")),
    ("2020Q1|2020Q2|2019Q4", [1, 2, 0], ("2019Q4", "2020Q1", "2020Q2")),
    ("0101|1101|0011", [1, 2, 0], ("0011", "0101", "1101")),
]

REFUSED_CELLS = [
    ("1|2|x", "f.csv:4: column 'f' holds 2 numbers, but also 'x'; mend them"),
    ("1|2|see note|x", "also 'see note' and 'x' (5)"),
    ("4|5more|2", "f.csv:3: column 'f' holds 2 numbers, but also '5more'"),
    ("1|2|3|a|b|c|4|5|d", "holds 5 numbers, but also 'a' and 'b' (6), 'c' (7), 1 more"),
    ("1|8.0.1|2", "also '8.0.1'"),
    ("1|2;5|2", "also '2;5'"),
    ("1|2 3|2", "also '2 3'"),
    ("1|1_000|2", "also '1_000'"),
    ("1|0x1F|2", "also '0x1F'"),
    ("<0.5|1.5|2", "also '<0.5'"),
    ("1|>100|2", "also '>100'"),
    ("1|2*|3", "also '2*'"),
    ("12%|3|4", "also '12%'"),
    ("$5|$6|7 €", "also '7 €'"),
    ("1,23,4|5|6", "also '1,23,4'"),
    ("1.5|2,5|3", "column 'f' holds 2 numbers"),
    ("1,5|2.5|3", "column 'f' holds 2 numbers"),
    ("1|1O|2", "also '1O'"),
    ("42731,00.5|27.1|28.2", "also '42731,00.5'"),
    ("1|inf|2", "f.csv:3: column 'f' holds inf; a value must be a finite number"),
    ("1|-Infinity|2", "column 'f' holds -inf"),
    ("1|1e999|2", "column 'f' holds inf"),
    ("inf|x1,5|1,5", "column 'f' holds"),
    (
        "01/02/2020|03/04/2020|",
        "f.csv:2: column 'f' holds '01/02/2020', which is a date as %d/%m/%Y",
    ),
    ("01-02-2020|03-04-2020|", "--type f=%d-%m-%Y"),
    ("01/02/20|03/04/20|", "as %d/%m/%y and as %m/%d/%y"),
    ("2020-01-02|2020-01-03|soon", "f.csv:4: column 'f' holds 2 dates, but also 'soon'"),
    ("2020-01-02|2020-13-45|2020-01-03", "also '2020-13-45'"),
    ("13/12/2020|12/13/2020|", "column 'f' holds 1 dates, but also"),
    ("31.12.2019|31.02.2019|01.01.2020", "also '31.02.2019'"),
    ("1 day|2 days|later", "holds 2 durations, but also 'later'"),
    ("12:30|9:05|noon", "also 'noon'"),
]

DECLARED = [
    ("category", "1|2|10", [0, 1, 2], ("1", "2", "10")),
    ("category", "NA|EU|", [1, 0, N], ("EU", "NA")),
    ("category", "?|none|nan", [0, 2, 1], ("?", "nan", "none")),
    ("category", "01|1|1.0", [0, 1, 2], ("01", "1", "1.0")),
    ("category", "2020-01-02|x|", [0, 1, N], ("2020-01-02", "x")),
    ("number", "1|see note|3", [1, N, 3], None),
    ("number", "1,5|x|y", [1.5, N, N], None),
    ("number", "007|012|x", [7, 12, N], None),
    ("number", "5more|2|4", [N, 2, 4], None),
    ("1.234,5", "1.234|5.678|1", [1234, 5678, 1], None),
    ("1,234.5", "1,234|5|1", [1234, 5, 1], None),
    ("1234.5", "1.234|5|1", [1.234, 5, 1], None),
    ("1'234.5", "1'234|5|1", [1234, 5, 1], None),
    ("date", "2020-01-02|2020-01-03|", days("2020-01-02", "2020-01-03", None), None),
    ("%d/%m/%Y", "01/02/2020|03/04/2020|", days("2020-02-01", "2020-04-03", None), None),
    ("%m/%d/%Y", "01/02/2020|03/04/2020|-", days("2020-01-02", "2020-03-04", None), None),
    ("%Y%m%d", "20200102|20191231|", days("2020-01-02", "2019-12-31", None), None),
    ("%d/%m/%Y", "01/02/2020|13.04.2020|", "'13.04.2020', but is declared '%d/%m/%Y'", None),
    (
        "1.234,5",
        "1,234.5|5|6",
        "f.csv:2: column 'f' holds '1,234.5', but is declared '1.234,5'",
        None,
    ),
    ("date", "x|2020-01-02|", "column 'f' holds 'x', but is declared 'date'", None),
]

LABELS = [
    ("10|9|-1|9.0", ("-1", "9", "10")),
    ("1|+1|1.0|2", ("1", "2")),
    ("1.5|-0.5|1.50", ("-0.5", "1.5")),
    ("10|9|no|9", ("10", "9", "no")),
    (
        "9007199254740993|9007199254740992|9007199254740993",
        ("9007199254740992", "9007199254740993"),
    ),
    (
        "123456789012345678901|123456789012345678902|1",
        ("1", "123456789012345678901", "123456789012345678902"),
    ),
    ("18446744073709551616|1|2", ("1", "2", "18446744073709551616")),
    ("0.1|0.10000000000000001|2", ("0.1", "0.10000000000000001", "2")),
    ("01|1|2", ("01", "1", "2")),
    ("007|7|8", ("007", "7", "8")),
    ("1e5|2e5|100000", ("100000", "1e5", "2e5")),
    ("1E5|12E4|3E1", ("12E4", "1E5", "3E1")),
    ("1_0|10|2", ("10", "1_0", "2")),
    ("inf|1|2", ("1", "2", "inf")),
    ("-0|0|1", ("0", "1")),
    ("-0.0|0|1", ("0", "1")),
    ("True|False|True", ("False", "True")),
    ("true|True|false", ("True", "false", "true")),
    ("yes|no|no", ("no", "yes")),
    ("Yes|yes|no", ("Yes", "no", "yes")),
    (" a|a |b", ("a", "b")),
    ("a  b|a b|c", ("a b", "c")),
    ("a\nb|a b|c", ("a b", "c")),
    ("a\u00a0b|a b|c", ("a b", "c")),
    ("e\u0301|\u00e9|x", ("x", "\u00e9")),
    ("\u0661|1|2", ("1", "2", "\u0661")),
    ("None|a|b", ("None", "a", "b")),
    ("none|a|b", ("a", "b", "none")),
    ("-|a|b", ("-", "a", "b")),
    ("unknown|a|b", ("a", "b", "unknown")),
    ("1,234|1|2", ("1", "1,234", "2")),
    ("2020-01-02|2020-01-03|x", ("2020-01-02", "2020-01-03", "x")),
    ("50%|20%|x", ("20%", "50%", "x")),
    ("'a'|a|b", ("'a'", "a", "b")),
    ('"a"|a|b', ('"a"', "a", "b")),
    ("|a|b", "f.csv:2: the label (column 'target') is missing; every row needs one"),
    ("a|NA|b", "f.csv:3: the label (column 'target') is missing: it is 'NA'; every row needs one"),
    ("a|?|b", "missing: it is '?'"),
    ("a|nan|b", "--type target=category"),
    ("1|NaN|2", "missing: it is 'NaN'"),
    ("1|null|2", "missing: it is 'null'"),
    ("1|N/A|2", "missing: it is 'N/A'"),
    ("1|  |2", "the label (column 'target') is missing"),
    ("a|a|a", "all 3 rows have the one label 'a'"),
    ("1|1.0|+1", "all 3 rows have the one label '1'"),
]

#: Texts of files with the features "a", "b" of numbers 1, 2 and 3, 4 and the labels x, y.
SAME = {
    "comma": "a,b,target\n1,2,x\n3,4,y\n",
    "semicolon": "a;b;target\n1;2;x\n3;4;y\n",
    "tab": "a\tb\ttarget\n1\t2\tx\n3\t4\ty\n",
    "bar": "a|b|target\n1|2|x\n3|4|y\n",
    "Excel's separator line": "sep=;\na;b;target\n1;2;x\n3;4;y\n",
    "Excel's separator line, CRLF and mark": "\ufeffsep=,\r\na,b,target\r\n1,2,x\r\n3,4,y\r\n",
    "quoted separator line": '"sep=|"\na|b|target\n1|2|x\n3|4|y\n',
    "decimal commas": "a;b;target\n1,0;2,0;x\n3,0;4,0;y\n",
    "all quoted": '"a","b","target"\n"1","2","x"\n"3","4","y"\n',
    "CRLF": "a,b,target\r\n1,2,x\r\n3,4,y\r\n",
    "CR": "a,b,target\r1,2,x\r3,4,y\r",
    "mixed ends of lines": "a,b,target\r\n1,2,x\n3,4,y\r",
    "byte order mark": "\ufeffa,b,target\n1,2,x\n3,4,y\n",
    "no newline at the end": "a,b,target\n1,2,x\n3,4,y",
    "blank lines": "\n\na,b,target\n\n1,2,x\n\n3,4,y\n\n",
    "spaces": " a , b , target \n 1 , 2 , x \n 3 , 4 , y \n",
    "no-break spaces": "\u00a0a,b\u00a0,target\n1,2,x\n3,4,y\n",
    "line break in the header": '"a","b","tar\nget"\n1,2,x\n3,4,y\n',
    "case of the label column": "a,b,TARGET\n1,2,x\n3,4,y\n",
    "class": "a,b,Class\n1,2,x\n3,4,y\n",
    "labels first": "target,a,b\nx,1,2\ny,3,4\n",
    "separator at the end of lines": "a,b,target,\n1,2,x,\n3,4,y,\n",
    "separators at the end of lines": "a;b;target;;\n1;2;x;;\n3;4;y;;\n",
    "separator at the end of the header": "a,b,target,\n1,2,x\n3,4,y\n",
    "separator at the end of the rows": "a,b,target\n1,2,x,\n3,4,y,\n",
    "empty column": "a,,b,target\n1,,2,x\n3,,4,y\n",
    "rows of separators alone": "a,b,target\n,,\n1,2,x\n3,4,y\n,,\n,,\n",
    "quoted line break in a cell": 'a,b,target\n1,"2\n",x\n3,4,y\n',
    "leading zeros of unequal length": "a,b,target\n01,2,x\n3,04,y\n",
    "UTF-16": "a\tb\ttarget\n1\t2\tx\n3\t4\ty\n".encode("utf-16"),
    "form feed in a cell": "a,b,target\n1,2,x\n3,4\x0c,y\n",
}

HEADERS = [
    ("a,a,target\n1,2,x\n3,4,y\n", "f.csv:1: column 'a' occurs twice in the header"),
    ("a, a ,target\n1,2,x\n3,4,y\n", "column 'a' occurs twice"),
    ('"a\nb",a b,target\n1,2,x\n3,4,y\n', "f.csv:2: column 'a b' occurs twice"),
    ("e\u0301,\u00e9,target\n1,2,x\n3,4,y\n", "column '\u00e9' occurs twice"),
    ("a,A,target\n1,2,x\n3,4,y\n", ("a", "A")),
    ("a,Target,TARGET\n1,x,p\n3,y,q\n", "'target' may be any of the columns Target, TARGET"),
    ("a,target,TARGET\n1,x,7\n3,y,8\n", ("a", "TARGET")),
    (",a,target\n5,1,x\n9,3,y\n", ("column 1", "a")),
    ("a b target\n1 2 x\n3 4 y\n", "the columns are: a b target; are they separated by"),
    ("a,b\n1,x\n2,y\n", "f.csv:1: there is no column 'target' for the labels"),
    ("a,b,target\n1,2,x\n3,y\n", "f.csv:3: the row has 2 cells, the header has 3"),
    ("a;b;target\n1;2;x\n3;4;5;y\n", "f.csv:3: the row has 4 cells, the header has 3"),
    ("sep=;\na;b;target\n1;2;x\n3;y\n", "f.csv:4: the row has 2 cells"),
    ('"a\nb",b,target\n1,2,x\n3,y\n', "f.csv:4: the row has 2 cells"),
    ("a,split,target\n1,train,x\n3,test,y\n", ("a",)),
    ("a,Split,target\n1,train,x\n3,test,y\n", ("a",)),
    ("a,Split,target\n1,left,x\n3,right,y\n", ("a", "Split")),
    ("a,split,target\n1,left,x\n3,right,y\n", "column 'split' holds 'left'; it must be"),
    ("x=1,y;2,target\n1,2,x\n3,4,y\n", ("x=1", "y;2")),
    ("1,2,target\n1,2,x\n3,4,y\n", ("1", "2")),
]


def read(folder, cells, labels=None, text=None, name="f.csv", **entry):
    if text is None:
        rows = io.StringIO()
        labels = labels or ["x", "y", *"xy" * len(cells)][: len(cells)]
        csv.writer(rows).writerows([["f", "target"], *zip(cells, labels, strict=True)])
        text = rows.getvalue()
    content = text if isinstance(text, bytes) else text.encode()
    (folder / name).write_bytes(content)
    if entry:
        (folder / "f.yaml").write_text(f"f: {entry}")
    return load("f", None, [folder])


def refused(folder, message, *args, **kwargs):
    with pytest.raises(DataError) as caught:
        read(folder, *args, **kwargs)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "cells", "expected"),
    [
        pytest.param(kind, *case, id=case[0])
        for kind, cases in {"number": NUMBERS, "date": DATES, "duration": DURATIONS}.items()
        for case in cases
    ],
)
def test_cells_of_one_kind_are_read_as_their_values(folder, kind, cells, expected):
    data = read(folder, cells.split("|"))
    np.testing.assert_allclose(data.X[:, 0], expected, rtol=1e-15, atol=1e-9)
    [column] = [column for column in data.columns if column.is_feature]
    assert column.kind == kind
    assert column.missing == np.isnan(expected).sum()
    assert not data.categorical.any()


@pytest.mark.parametrize(("cells", "codes", "values"), CATEGORIES)
def test_other_cells_are_categories_with_codes_in_sorted_order(folder, cells, codes, values):
    data = read(folder, cells.split("|"))
    np.testing.assert_array_equal(data.X[:, 0], codes)
    assert data.categorical.tolist() == [True]
    [column] = [column for column in data.columns if column.is_feature]
    assert column.values == values


@pytest.mark.parametrize(("cells", "message"), REFUSED_CELLS)
def test_a_column_that_is_nearly_of_one_kind_is_refused_with_its_odd_cells(folder, cells, message):
    refused(folder, message, cells.split("|"))


@pytest.mark.parametrize(("kind", "cells", "expected", "values"), DECLARED)
def test_a_declared_column_is_what_it_is_declared(folder, kind, cells, expected, values):
    if isinstance(expected, str):
        refused(folder, expected, cells.split("|"), types={"F": kind})
        return
    data = read(folder, cells.split("|"), types={"F": kind})
    np.testing.assert_array_equal(data.X[:, 0], expected)
    assert data.columns[1].values == values


@pytest.mark.parametrize(("labels", "classes"), LABELS)
def test_labels_keep_their_identity(folder, labels, classes):
    labels = labels.split("|")
    if isinstance(classes, str):
        refused(folder, classes, range(len(labels)), labels)
        return
    assert read(folder, range(len(labels)), labels).classes == classes


def test_a_word_for_missing_is_a_class_on_request(folder):
    data = read(folder, "12", ["NA", "EU"], types={"target": "category"})
    assert data.classes == ("EU", "NA")


@pytest.mark.parametrize("dialect", SAME)
def test_every_dialect_of_a_table_is_read_alike(folder, dialect):
    text = SAME[dialect]
    target = {"target": "tar get"} if "tar\nget" in str(text) else {}
    data = read(folder, "", text=text, **target)
    assert data.X.tolist() == [[1, 2], [3, 4]]
    assert data.classes == ("x", "y")
    assert data.feature_names == ("a", "b")


@pytest.mark.parametrize(("text", "expected"), HEADERS)
def test_names_of_columns_are_kept_or_refused(folder, text, expected):
    if isinstance(expected, str):
        refused(folder, expected, "", text=text)
    else:
        assert read(folder, "", text=text).feature_names == expected


def test_one_column_tells_the_decimal_mark_of_all(folder):
    text = "price;count;target\n3,5;1.234;x\n7,25;987;y\n"
    assert read(folder, "", text=text).X.tolist() == [[3.5, 1234], [7.25, 987]]
    text = "ph;count;target\n7.4;1,234;x\n3.51;987;y\n"
    assert read(folder, "", text=text).X.tolist() == [[7.4, 1234], [3.51, 987]]
