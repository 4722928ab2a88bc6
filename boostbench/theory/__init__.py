"""Theory, computed rather than trained: conditions, potentials and bounds.

Mukherjee & Schapire, "A Theory of Multiclass Boosting", JMLR 14, 2013; the equation numbers in
this package are that paper's.

================  ==========================================================================
module            what it computes
================  ==========================================================================
``conditions``    the largest edge with which a finite space of weak classifiers satisfies a
                  weak-learning condition, with a certificate; boostability
``spaces``        the paper's counter-examples; the space of all stumps of a data set
``named_spaces``  spaces by name, from files of predictions and from data sets
``potentials``    drifting-game potentials of a fixed edge-over-random condition
``minimal``       drifting-game potentials of the minimal condition, and their degrees
``pixels``        potentials and degrees of three classes over a plane
``bounds``        error bounds
``codewords``     vertices of a regular simplex, for MCBoost
``gaussians``     the Bayes rule of Gaussian classes
================  ==========================================================================

A *state* counts the votes a sample got for each label. States, rows of baselines and the rows of a
cost family put the TRUE LABEL FIRST and the other labels after it in increasing order; cost
matrices and tables of predictions use the samples' own labels 0..K-1. `layout` converts.
"""
