"""What is known of torch's and NumPy's callables, by what they do to the memory of their arguments.

From the reference of `torch.Tensor`, `torch`, `torch.nn.init`, `torch.distributed` (2.x) and `numpy.ndarray`.
"""

from __future__ import annotations

ALLOCATORS = {
    "torch.empty": "sizes",
    "torch.empty_strided": "first",
    "torch.empty_permuted": "first",
    "torch.empty_like": "like",
    "numpy.empty": "first",
    "numpy.empty_like": "like",
}
"""How the sizes are given: as arguments, as the first argument, or by another tensor."""

ALLOCATING_METHODS = {"new_empty": "sizes", "new_empty_strided": "first"}

LEGACY = frozenset(
    f"torch.{module}{kind}Tensor"
    for module in ("", "cuda.")
    for kind in ("", "Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool")
) - {"torch.cuda.Tensor"}
"""Constructors that take sizes or data; only sizes leave the memory unwritten."""

TENSOR_TYPES = LEGACY | {"torch.Tensor", "torch.nn.Parameter"}
TENSOR_METHODS = frozenset(
    "size numel dim to cuda cpu float half double bfloat16 long detach clone contiguous requires_grad_ new_zeros new_ones"
    " new_tensor new_full new_empty unsqueeze permute expand expand_as view_as masked_fill backward type_as zero_ fill_".split()
)
"""Methods that an object which also has a `shape` does not share with NumPy's arrays: their shape is a plain tuple."""

NO_TENSOR = frozenset(
    "device dtype Size Generator load compile jit save no_grad manual_seed is_tensor numel typename".split()
)
"""What of torch gives no tensor, by the last part of its name."""

ALLOCATING_WORDS = frozenset(
    {
        "to_empty",
        "skip_init",
        "init_module",
        "resize_",
        "resize_as_",
        *ALLOCATING_METHODS,
        *(name.rsplit(".", 1)[-1] for name in (*ALLOCATORS, *LEGACY)),
    }
)
"""A unit without any of these words allocates nothing that could stay unwritten."""

META_CONTEXTS = frozenset(
    "init_empty_weights init_on_device no_init_weights skip_init FakeTensorMode OnDevice Init LazyInit".split()
)

METADATA = frozenset(
    "shape size ndim dim device dtype layout numel nelement stride strides storage_offset is_contiguous is_cuda is_cpu"
    " is_floating_point is_complex is_sparse is_quantized is_meta is_mps is_xpu is_leaf is_pinned is_shared is_signed"
    " requires_grad grad grad_fn names itemsize nbytes element_size get_device type_name ndimension dense_dim sparse_dim"
    " has_names flags retain_grad register_hook backward_hooks output_nr is_inference is_conj is_neg is_same_size"
    " dim_order __class__ __len__".split()
)
"""Attributes and methods that do not look at the elements."""

VIEW_ATTRIBUTES = frozenset("T mT H mH data".split())
PART_ATTRIBUTES = frozenset("real imag flat".split())

WHOLE_VIEWS = frozenset(
    "view reshape contiguous to cuda cpu xpu mps float half double long int short bool byte char bfloat16 type type_as"
    " detach requires_grad_ detach_ t transpose permute expand expand_as unsqueeze squeeze flatten unflatten swapaxes"
    " swapdims movedim moveaxis clone numpy pin_memory share_memory_ astype ravel view_as reshape_as broadcast_to"
    " squeeze_ unsqueeze_ t_ resize_ resize_as_ as_strided_ transpose_ swapaxes_ as_subclass rename refine_names"
    " align_to rename_ adjoint copy"
    " unsafe_view resolve_conj resolve_neg to_dense tile repeat repeat_interleave retain_grad_ newbyteorder"
    " view_as_real view_as_complex atleast_1d atleast_2d atleast_3d from_numpy as_tensor asarray ascontiguousarray"
    " asanyarray Parameter Buffer Variable UninitializedParameter tensor array".split()
)
"""The result holds all elements, of the same memory or copied as they are."""

PART_VIEWS = frozenset(
    "narrow select diagonal as_strided unfold index_select slice_scatter get __getitem__ take swapaxes narrow_copy".split()
)
PIECES = frozenset("chunk split unbind tensor_split hsplit vsplit dsplit split_with_sizes array_split".split())

IN_PLACE_READS = frozenset(
    "add_ sub_ subtract_ mul_ multiply_ div_ divide_ true_divide_ floor_divide_ remainder_ fmod_ pow_ addmm_ addmv_ addr_"
    " addbmm_ baddbmm_ addcmul_ addcdiv_ clamp_ clamp_min_ clamp_max_ clip_ relu_ sigmoid_ tanh_ exp_ exp2_ expm1_ log_"
    " log2_ log10_ log1p_ sqrt_ rsqrt_ square_ abs_ neg_ negative_ sign_ sgn_ round_ floor_ ceil_ trunc_ frac_ lerp_ sin_"
    " cos_ tan_ asin_ acos_ atan_ sinh_ cosh_ erf_ erfc_ erfinv_ reciprocal_ cumsum_ cumprod_ renorm_ index_add_"
    " scatter_add_ triu_ tril_ nan_to_num_ logical_not_ logical_and_ logical_or_ bitwise_and_ bitwise_or_ bitwise_not_"
    " softmax_ dropout_ leaky_relu_ elu_ gelu_ hardtanh_ celu_ selu_ threshold_ sum_to_size_".split()
)
"""In-place methods that compute from what is there; every other `name_` counts as a write."""

COMPUTES = frozenset(
    "abs absolute acos add addbmm addcdiv addcmul addr all allclose amax amin aminmax angle any arccos arcsin arctan"
    " argmax argmin argsort argwhere asin atan atan2 bernoulli bincount bitwise_and bitwise_not bitwise_or bitwise_xor"
    " block_diag bmm bucketize cat cdist ceil chain_matmul clamp clamp_max clamp_min clip column_stack combinations"
    " concat concatenate corrcoef cos cosh count_nonzero cov cross cummax cummin cumprod cumsum deg2rad det diag"
    " diag_embed diff dist div divide dot dstack einsum eq equal erf erfc erfinv exp exp2 expm1 flip fliplr flipud floor"
    " floor_divide fmax fmin fmod frac gather ge greater greater_equal gt histc hstack hypot index_add index_copy"
    " index_fill inner inverse isclose isfinite isin isinf isnan kron kthvalue layer_norm le lerp less less_equal lgamma"
    " log log10 log1p log2 log_softmax logaddexp logcumsumexp logdet logical_and logical_not logical_or logical_xor logit"
    " logsumexp lt lu masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max maximum mean median"
    " min minimum mm mode mul multinomial multiply mv nanmean nanmedian nansum nan_to_num ne neg negative nonzero norm"
    " not_equal outer pairwise_distance pinverse poisson polar pow prod qr quantile rad2deg reciprocal relu remainder"
    " renorm roll rot90 round row_stack rsqrt rsub scatter scatter_add searchsorted selu sgn sigmoid sign sin sinc sinh"
    " slogdet softmax sort sparse_mm sqrt square stack std std_mean sub subtract sum svd take_along_dim tan tanh"
    " tensordot topk trace trapezoid trapz triangular_solve tril triu true_divide trunc unique unique_consecutive vander"
    " var var_mean vdot vstack xlogy zero_crossings average percentile nanmax nanmin ptp where_mean dropout"
    " conv1d conv2d conv3d embedding group_norm batch_norm instance_norm".split()
)
"""Functions of torch and NumPy, and methods of tensors, whose result depends on the elements of every tensor argument."""

IMMEDIATE = frozenset("item tolist backward tobytes dump to_sparse hash __bool__ __float__ __int__".split())
"""Methods that look at the elements and hand them on to plain Python, or do something with them at once."""

TAKES_TENSOR = frozenset(
    "copy_ add_ sub_ mul_ div_ addmm_ addcmul_ addcdiv_ lerp_ baddbmm_ index_add_ index_copy_ scatter_ scatter_add_"
    " masked_scatter_ matmul mm bmm mv addmm baddbmm masked_fill masked_select masked_fill_ scatter_add index_add gather"
    " logical_and logical_or eq ne ge gt le lt maximum minimum".split()
)
"""Methods that only tensors have and that read their tensor arguments, whatever the receiver is."""

DONORS = frozenset(
    "expand_as view_as reshape_as type_as new_empty new_zeros new_ones new_full new_tensor new_empty_strided is_same_size"
    " empty_like zeros_like ones_like full_like rand_like randn_like randint_like broadcast_tensors broadcast_shapes"
    " result_type promote_types can_cast is_tensor is_floating_point is_complex is_storage numel shape ndim size isinstance"
    " issubclass len id type hasattr callable print resize_as_ result_device get_device iscomplexobj isscalar".split()
)
"""Callables that look at shape, type or identity of their arguments only; `print` shows memory and changes nothing."""

BUILTIN_READS = frozenset("float int bool complex abs sum max min sorted round any all".split())
PASS_THROUGH = frozenset(
    "list tuple iter reversed enumerate zip dict sorted deepcopy copy tqdm trange islice chain".split()
)

COLLECTIVE_INPUTS = {
    "all_reduce": 0, "reduce": 0, "send": 0, "isend": 0, "all_gather": 1, "all_gather_into_tensor": 1, "gather": 0,
    "_all_gather_base": 1, "reduce_scatter": 1, "reduce_scatter_tensor": 1, "all_to_all": 1, "all_to_all_single": 1,
    "scatter": 1,
}  # fmt: skip
"""Which argument of a collective of `torch.distributed` is sent; every other one is written or left to the library."""

REDUCED_IN_PLACE = ("all_reduce", "reduce")
"""Collectives whose result stands where the input stood."""

INIT_WORDS = (
    "uniform",
    "normal",
    "kaiming",
    "xavier",
    "orthogonal",
    "constant",
    "zeros",
    "ones",
    "init",
    "reset",
    "fill",
    "zero",
)
"""Parts of names of functions that initialise what they are given."""

HARMLESS_DECORATORS = frozenset(
    "no_grad inference_mode enable_grad staticmethod classmethod lru_cache cache override final set_grad_enabled".split()
)

MODEL_NAMES = frozenset(
    "model net network module encoder decoder backbone generator discriminator policy forward".split()
)
"""Names of callables that are taken for a network when nothing else is known of them and their result is dropped."""
