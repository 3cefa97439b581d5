"""What torch's own functions and methods say about their result.

Names and results: https://docs.pytorch.org/docs/2.13/torch.html and …/tensors.html.
"""

from __future__ import annotations

FACTORIES = frozenset(
    "arange bartlett_window blackman_window complex empty empty_strided eye full hamming_window hann_window"
    " linspace logspace normal ones rand randint randn randperm range tensor tril_indices triu_indices zeros".split()
)
"""Functions that make a tensor without a gradient, on the CPU where no device is given."""

SEEN = frozenset("as_tensor asarray from_numpy frombuffer from_file".split())
"""The same for data that was there before."""

LIKE = frozenset("empty_like full_like ones_like rand_like randint_like randn_like zeros_like".split())
NEW = frozenset("new_empty new_full new_ones new_tensor new_zeros".split())
"""Methods that make a tensor without a gradient where the receiver is."""

WHOLE = frozenset(
    "arange randint randperm tril_indices triu_indices argmax argmin argsort argwhere bincount bucketize"
    " count_nonzero eq equal ge gt isclose isfinite isin isinf isnan isneginf isposinf le logical_and logical_not"
    " logical_or logical_xor lt ne nonzero not_equal one_hot searchsorted signbit greater greater_equal less"
    " less_equal long int bool short byte char all any numel randint_like bitwise_and bitwise_or bitwise_not"
    " bitwise_xor floor_divide_".split()
)
"""Functions and methods whose result is of integers or booleans (unless a `dtype=` says otherwise)."""

REAL = frozenset(
    "linspace logspace rand randn normal eye rand_like randn_like float double half bfloat16 softmax log_softmax"
    " sigmoid tanh exp expm1 log log2 log10 log1p sqrt rsqrt sin cos tan atan2 erf mean std var norm div true_divide"
    " reciprocal pow softplus relu gelu silu dropout layer_norm linear matmul mm bmm einsum cdist logsumexp"
    " cross_entropy nll_loss mse_loss normalize interpolate grid_sample".split()
)
"""Functions and methods whose result is of floating-point numbers."""

NOT_TENSORS = frozenset(
    "item tolist numpy size dim ndimension element_size is_floating_point data_ptr stride get_device type_as_str"
    " storage keys values items append extend split_sizes".split()
)
"""Methods whose result is no tensor."""

DETACHED = frozenset("detach detach_ data".split())

TENSOR_ONLY = frozenset(
    "abs_ add_ argsort as_strided backward bfloat16 bool clamp clamp_ clone contiguous cpu cuda detach detach_ div_"
    " double expand expand_as fill_ flatten flip float gather half index_add index_add_ index_copy_ index_fill_"
    " index_put_ index_select is_cuda layout logsumexp long log_softmax masked_fill masked_fill_ masked_scatter"
    " masked_select matmul mul_ narrow new_empty new_full new_ones new_tensor new_zeros nonzero numel permute"
    " requires_grad requires_grad_ reshape_as roll scatter_ scatter_add scatter_add_ sigmoid softmax squeeze_ sub_"
    " t_ tanh to_dense tril triu type_as unbind unfold unsqueeze unsqueeze_ view view_as zero_ grad_fn is_leaf"
    " retain_grad".split()
) - {"flatten", "clone", "nonzero", "flip", "roll", "values"}
"""Attributes and methods that, of what programs hold in variables, tensors have (an array of numpy has `view`, too, but
programs hardly use it); `device` below."""

EVIDENCE = TENSOR_ONLY | {"device", "ndim_", "is_sparse"}
"""What shows that a variable holds a tensor."""

SHAPES = frozenset(
    "abs abs_ add add_ amax amin bitwise_not_ clamp clamp_ clip clone contiguous cummax cumsum cumprod diff expand"
    " expand_as flatten flip gather index_select masked_fill masked_fill_ masked_select max min mul mul_ narrow neg"
    " permute prod repeat repeat_interleave reshape reshape_as roll scatter scatter_ scatter_add scatter_add_ select"
    " sort squeeze sub sub_ sum swapaxes swapdims t take topk transpose tril triu unflatten unfold unique unsqueeze"
    " unsqueeze_ view view_as cat stack concat concatenate hstack vstack pad where chunk split unbind cuda cpu to"
    " detach detach_ requires_grad_ pin_memory to_dense values indices T mT data real maximum minimum remainder fmod"
    " zero_ fill_ copy_ movedim broadcast_to tile kthvalue median index_add index_add_".split()
)
"""Functions and methods whose result is of the dtype of what they work on."""

ORDERS = frozenset("sort topk argsort randperm arange".split())
"""Functions and methods that give indices of which none comes twice."""

INTEGER_TYPES = frozenset(
    "long int int8 int16 int32 int64 uint8 uint16 uint32 uint64 short bool LongTensor IntTensor BoolTensor"
    " ByteTensor".split()
)
REAL_TYPES = frozenset(
    "float float16 float32 float64 half double bfloat16 FloatTensor DoubleTensor HalfTensor BFloat16Tensor".split()
)

NAMES = DETACHED | WHOLE | NEW | SHAPES | REAL
"""Methods whose result has, or has not, the gradient of what they work on, whatever that is."""
