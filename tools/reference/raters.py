#!/usr/bin/env python3
"""Reference figures of agreement_test.cc: the package krippendorff on a fixed table with gaps. Needs numpy, krippendorff."""
import krippendorff
import numpy as np

# 8 units × 4 raters, 0: missing
ROWS = [[1, 2, 1, 0], [5, 5, 4, 5], [2, 2, 0, 3], [3, 1, 3, 3], [4, 4, 5, 4], [0, 1, 1, 2], [7, 5, 5, 7], [2, 0, 0, 0]]
data = np.array([[np.nan if v == 0 else v for v in row] for row in ROWS], float).T
for level in ("nominal", "ordinal", "interval", "ratio"):
    print(level, f"{krippendorff.alpha(reliability_data=data, level_of_measurement=level):.12f}")
