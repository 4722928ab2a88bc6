"""Times of the phases of a run."""

from __future__ import annotations

from boostbench.quantities.quantity import Clock

load_time = Clock(words="seconds of loading the data", phase="load", part="work")
warm_up_time = Clock(words="seconds of compiling the booster", phase="warm_up", part="preparation")
fit_time = Clock(
    words="seconds of the fit", phase="fit", part="work", asked=("metrics", "fit_time")
)
predict_time = Clock(
    words="seconds of predicting the test samples after every round",
    phase="predict",
    part="work",
    asked=("metrics", "predict_time"),
)
