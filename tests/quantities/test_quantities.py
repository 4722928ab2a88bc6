"""Every registered quantity: what it says of itself is true of records, the docs and keys."""

from dataclasses import replace

import numpy as np
import pytest

from boostbench.experiments.running.execution import execute
from boostbench.experiments.runs import BoosterSpec, Data, Noise, Params, Run
from boostbench.experiments.store.identity import code_of
from boostbench.quantities import QUANTITIES, Clock

ASKED = {name: each for name, each in QUANTITIES.items() if each.of}
RUN = Run(
    Data("iris"),
    Params({"holdout": 0.5}),
    Noise("exchange", 0.2),
    BoosterSpec("adaboost-mh"),
    rounds=6,
    seed=0,
    checkpoints=(2, 6),
)


def asking(each):
    """Return a run that records a quantity."""
    if "cost" in each.requires:
        return replace(RUN, data=replace(RUN.data, cost=((0.0, 1.0, 2.0),) * 3))
    setting, name = each.asked or ("record", "")
    return RUN if each.always else replace(RUN, **{setting: (name,)})


@pytest.fixture(scope="module")
def records():
    """Return the record fields of a run by setting, run once each."""
    done = {}

    def of(each):
        run = asking(each)
        if run not in done:
            done[run] = execute(run)
        return done[run]

    return of


@pytest.mark.parametrize("name", ASKED)
def test_a_run_that_asks_for_it_records_it_as_declared(name, records):
    each, found = QUANTITIES[name], records(QUANTITIES[name])
    if each.kept == "rounds":
        if name == "edge_bound":  # not of this booster
            return
        size = found[each.counted] if each.counted else 1
        values = np.array(found["curves"][each.curve], dtype=float) / size
        assert len(values) == RUN.rounds
        known = values[~np.isnan(values)]
        assert (known >= (-np.inf if each.least is None else each.least)).all()
        assert (known <= (np.inf if each.greatest is None else each.greatest)).all()
    elif each.kept == "once":
        assert found["at_checkpoints"][each.curve]
    else:
        assert {"2", "6"} <= set(found["at_checkpoints"][each.curve])


@pytest.mark.parametrize("name", [name for name, each in ASKED.items() if not each.always])
def test_a_quantity_is_in_the_key_only_of_runs_that_record_it(name):
    assert code_of(asking(QUANTITIES[name])) != code_of(RUN)
    assert name not in QUANTITIES.recorded((), ())


def test_the_total_time_has_one_clock_for_each_phase():
    clocks = [each for each in QUANTITIES.values() if isinstance(each, Clock)]
    parts = [clock.phase for clock in clocks if clock.part]
    assert len(parts) == len(set(parts)), "a phase counts twice in the total"
    for names in ([each.curve for each in clocks], [each.line for each in clocks]):
        assert len(set(names) - {""}) == len(clocks), "a second clock has names of its own"
