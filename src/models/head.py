"""The input of a classifier's head: the mean of a text's word vectors, scaled to mean square 1 over its values.

Without scaling, the size of that mean differs by ten times between base models, and a head on small values learns late.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def scaled(means: "Tensor") -> "Tensor":
    """Return float32 vectors [..., width] scaled to mean square 1, in the same shape."""
    from torch.nn.functional import rms_norm

    return rms_norm(means, means.shape[-1:])
