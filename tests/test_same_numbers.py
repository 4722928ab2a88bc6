"""Rewritten modules that count as their earlier texts."""

import lzma
import shutil

import pytest

from boostbench.experiments.store import identity
from boostbench.experiments.store.identity import code_fingerprint
from checks.same_numbers import PACKAGE, main

MODULE = "boostbench.boosters.adaboost_m1"
FILE = "boostbench/boosters/adaboost_m1.py"


@pytest.fixture
def before(tmp_path, monkeypatch):
    """A checkout without the change: `MODULE` with a text replaced, no earlier texts known."""
    (tmp_path / "same.json.xz").write_bytes(lzma.compress(b"{}"))
    monkeypatch.setattr(identity, "SAME_NUMBERS", tmp_path / "same.json.xz")
    identity.forget()
    shutil.copytree(PACKAGE, tmp_path / "boostbench")

    def replaced(old, new):
        file = tmp_path / FILE
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")
        return tmp_path

    yield replaced
    identity.forget()


def test_a_rewritten_module_counts_as_its_earlier_text(before):
    checkout = before("    resample: bool = False", "    resample: bool = 1 > 2")
    rewritten, other = code_fingerprint(MODULE), code_fingerprint("boostbench.boosters.samme")
    main(checkout)
    assert code_fingerprint(MODULE) != rewritten
    assert code_fingerprint("boostbench.boosters.samme") == other
    earlier = identity._parsed((checkout / FILE).read_bytes(), is_own=True)
    assert identity._facts_of(PACKAGE.parent / FILE).essence == earlier.essence


def test_a_module_that_needs_more_than_before_is_not_entered(before, capsys):
    checkout = before("from boostbench.boosters.adaboost_mm import votes\n", "")
    now = code_fingerprint(MODULE)
    with pytest.raises(SystemExit, match="no module was entered"):
        main(checkout)
    said = f"{MODULE} needs boosters/adaboost_mm.py, which its earlier text did not\n"
    assert capsys.readouterr().out.startswith(said)
    assert code_fingerprint(MODULE) == now
