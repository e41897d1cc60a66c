"""Compares the scores of saved trees in XGBoost's Python package with those of `ultr-run predict`.

xgboost_python.py RUN LISTS PREDICTED: a run's folder, its documents in svmlight with all features, and the table that
`ultr-run predict` wrote of them.
"""

import csv
import sys

import numpy
import xgboost

run, lists, predicted = sys.argv[1:]
with open(lists) as lines:
    features = [[float(cell.split(":")[1]) for cell in line.split()[2:]] for line in lines]
ranker = xgboost.Booster(model_file=run + "/model/relevance.xgboost.json")
scores = ranker.predict(xgboost.DMatrix(numpy.array(features, dtype=numpy.float32)))
with open(predicted) as table:
    expected = numpy.array([float(row["relevance"]) for row in csv.DictReader(table)])
if scores.shape != expected.shape:
    sys.exit(f"{scores.shape} scores; expected {expected.shape}")
worst = numpy.abs(scores - expected).max()
spread = expected.max() - expected.min()
print(f"{len(scores)} documents, relevance spread {spread:.3f}, largest difference {worst:.2e}")
if not worst <= 1e-6 or not spread > 0.1:
    sys.exit("expected at most 1e-6")
