"""The dtypes that cross borders: int64 quantities and scores, int32 ids, bool masks."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Ids: TypeAlias = NDArray[np.int32]
Rows: TypeAlias = NDArray[np.intp]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]


def grown(array: np.ndarray, length: int) -> np.ndarray:
    """A copy whose last axis is `length` long; new places are zero."""
    longer = np.zeros((*array.shape[:-1], length), array.dtype)
    longer[..., : array.shape[-1]] = array
    return longer
