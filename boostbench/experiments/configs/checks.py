"""What is wrong with the keys of a config that are right alone."""

from __future__ import annotations

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.fields import is_number, unknown
from boostbench.experiments.configs.parameters import drawn_by
from boostbench.experiments.runs import Params
from boostbench.source import Place, Source

__all__ = ["cross_checks"]


def cross_checks(config: Config, source: Source) -> list[BoostbenchError]:
    """Return the complaints about keys that are right alone and wrong together."""
    found = []
    largest = config.most_rounds
    for index, checkpoint in enumerate(config.checkpoints):
        if checkpoint > largest:
            what = f"checkpoints: {checkpoint} is beyond the {largest} rounds that are made"
            found.append(BoostbenchError(what, where=source.where(("checkpoints", index))))
    labels = {booster.label for booster in config.boosters}
    labels |= {booster.name for booster in config.boosters}
    for index, entry in enumerate(config.datasets):
        for name in entry.booster_params:
            if name not in labels:
                where = source.where(("datasets", index, "boosters", name))
                found.append(BoostbenchError(unknown("booster", name, labels), where=where))
    found += _select_checks(config, source)
    return [*found, *_absent_costs(config, source), *_rates_of_problems(config, source)]


def _absent_costs(config: Config, source: Source) -> list[BoostbenchError]:
    """A booster can take the data sets' costs only if every one has them."""
    takers = [booster.label for booster in config.boosters if booster.takes_cost_of_data]
    return [
        BoostbenchError(
            f"{entry.data.label} needs a 'cost', a matrix, because {takers[0]} has 'cost: data'",
            where=source.where(("datasets", index)),
        )
        for index, entry in enumerate(config.datasets)
        if takers and not entry.data.cost
    ]


def _rates_of_problems(config: Config, source: Source) -> list[BoostbenchError]:
    """A noise rate may be the name of something that every generated problem draws for itself."""
    found = []
    for rate in (noise.rate for noise in config.noise if isinstance(noise.rate, str)):
        for entry in config.datasets:
            if rate not in drawn_by(entry.data.name):
                what = (
                    "must be a number from 0 to 1, or the name of a value that the problem draws, "
                    f"found {rate!r}, which {entry.data.label} does not draw"
                )
                where = source.where(("noise", "rate"))
                found.append(BoostbenchError(f"noise.rate {what}", where=where))
                break
    return found


def _select_checks(config: Config, source: Source) -> list[BoostbenchError]:
    """Return what is wrong with the selection, seen together with the rest of a config."""
    select = config.select
    grids = {
        booster.label or booster.name: booster.grid for booster in config.boosters if booster.grid
    }
    if select is None:
        return [
            BoostbenchError(
                f"a 'grid', as that of {label!r}, needs the key 'select', which says how its "
                "values are chosen",
                where=source.where(("boosters",)),
            )
            for label in list(grids)[:1]
        ]
    found = []
    own = [entry.booster_params for entry in config.datasets]
    if (
        not grids
        and not select.rounds
        and not any("grid" in p for its in own for p in its.values())
    ):
        what = "there is nothing to choose: no booster has a 'grid', and 'rounds' is not true"
        found.append(BoostbenchError(f"select: {what}", where=source.where(("select",))))
    values = {axis.name: axis.values for grid in grids.values() for axis in grid}
    asked: list[tuple[Place, str]] = [
        *((("select", "extend", reach.name), reach.name) for reach in select.extend),
        *((("select", "prefer", name), name) for name, _ in select.prefer),
    ]
    for place, name in asked:
        if grids and name not in values:
            what = unknown("parameter", name, values, of="a grid")
            found.append(BoostbenchError(what, where=source.where(place)))
        elif not all(map(is_number, values.get(name, ()))):
            what = f"{'.'.join(map(str, place))} needs numbers; the grid has other values"
            found.append(BoostbenchError(what, where=source.where(place)))
    if select.by == "validation":
        for index, entry in enumerate(config.datasets):
            split = entry.split or config.split
            if not (isinstance(split, Params) and split.get("validation")):
                what = (
                    "select.by: validation needs a split with a validation part, such as "
                    f"{{folds: 4, validation: true}}; {entry.data.label} has none"
                )
                place = ("datasets", index, "split") if entry.split else ("split",)
                found.append(BoostbenchError(what, where=source.where(place)))
    return list(dict.fromkeys(found))
