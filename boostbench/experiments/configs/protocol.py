"""Selection of parameters: the key ``select`` of a config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from boostbench.experiments.configs.fields import AS_WRITTEN, MAX_FOLDS
from boostbench.experiments.runs import Params
from boostbench.validation import Listed, Model


class Folds(Model):
    """Cross-validation within the training part."""

    folds: Annotated[int, Field(ge=2, le=MAX_FOLDS, description="Number of parts.")]
    stratify: bool = Field(False, description="Preserve the class proportions in each part.")


class Reach(Model):
    """Extension of a range of values when the selected value is at one of its ends."""

    step: Annotated[float, Field(gt=0), AS_WRITTEN] | None = Field(
        None, description="Increment beyond the last value."
    )
    factor: Annotated[float, Field(gt=1), AS_WRITTEN] | None = Field(
        None, description="Ratio to the last value."
    )
    within: Annotated[Listed[float], Field(min_length=2, max_length=2)] = Field(
        description="Smallest and largest value to try.", examples=[[1, 10]]
    )

    @model_validator(mode="after")
    def _check_step_or_factor(self) -> Reach:
        if (self.step is None) == (self.factor is None):
            raise ValueError(
                "must be {factor: 10, within: [1e-12, 1]} or {step: 1, within: [1, 10]}"
            )
        return self


class Select(Model):
    """Selection of the parameters, and optionally the number of rounds, of every booster."""

    by: Annotated[
        Annotated[Literal["validation", "test"], Tag("word")] | Annotated[Folds, Tag("mapping")],
        Discriminator(lambda value: "word" if isinstance(value, str) else "mapping"),
    ] = Field(
        description="Criterion: errors on the validation part of the split, in a cross-validation "
        "within the training part, or on the test part, averaged over all seeds and folds.",
        json_schema_extra={"wanted": "validation, test or e.g. {folds: 5, stratify: true}"},
    )
    rounds: bool = Field(False, description="Select the number of rounds too.")
    extend: Mapping[str, Reach] = Field({}, description="Extensible ranges, by parameter.")
    prefer: Mapping[str, Literal["smallest", "largest"]] = Field(
        {}, description="Preferred value among ties; the first parameter takes precedence."
    )

    @property
    def way(self) -> Literal["validation", "folds", "test"]:
        """The kind of errors that the selection minimises."""
        return "folds" if isinstance(self.by, Folds) else self.by

    @property
    def folds(self) -> Params | None:
        """The cross-validation in the form of `Run.validation`; None for other criteria."""
        return Params(self.by.model_dump()) if isinstance(self.by, Folds) else None
