"""Theory of multiclass boosting: weak-learning conditions, potentials and bounds.

Mukherjee & Schapire, "A Theory of Multiclass Boosting", JMLR 14, 2013. Equation numbers in this
package refer to that paper unless stated otherwise.

================  ==========================================================================
module            contents
================  ==========================================================================
``conditions``    largest edge with which a finite space of weak classifiers satisfies a
                  weak-learning condition, with a certificate; boostability
``spaces``        finite spaces of weak classifiers, the first counter-example of the paper
``potentials``    drifting-game potentials of a fixed edge-over-random condition
``minimal``       drifting-game potentials of the minimal condition, and their degrees
``bounds``        bounds on the training error
``codewords``     vertices of a regular simplex, for MCBoost
``gaussians``     Bayes rule of Gaussian classes
================  ==========================================================================

A *state* counts the votes for each label of a sample. In states, baseline rows and rows of a cost
family the TRUE LABEL is FIRST, followed by the wrong labels in increasing order. Cost matrices and
tables of predictions use the labels 0..K-1. `layout` converts between the two orders.
"""
