"""Machine instructions that numba does not offer: bit counts, byte masks, atomic additions and fences."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def instruction(function: Callable[..., Any]) -> Any:
    """Make `function` an intrinsic whose identity does not change from process to process.

    A composed function's place in the cache depends on the identities of all it uses; see `miai.engine.jit`, whose
    cache folder has a name for each state of our sources.
    """
    made = intrinsic(function)
    made._set_uuid(f"{function.__module__}.{function.__qualname__}")
    return made


@instruction
def popcount(typing_context: Any, word: Any) -> Any:
    """Count the bits set in a uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@instruction
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Return the index of the lowest bit set in a uint64; 64 if it is zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


def _item_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, view, [index])


@instruction
def atomic_add(typing_context: Any, array: Any, index: Any, amount: Any) -> Any:
    """Add `amount` to `array[index]` (one-dimensional, integers) as one indivisible step; return the old value."""
    if not (isinstance(array, types.Array) and array.ndim == 1 and isinstance(array.dtype, types.Integer)):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _item_pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

    return array.dtype(array, types.intp, array.dtype), generate


@instruction
def compare_and_swap(typing_context: Any, array: Any, index: Any, expected: Any, new: Any) -> Any:
    """Set `array[index]` to `new` if it holds `expected`, indivisibly; tell whether it did."""
    if not (isinstance(array, types.Array) and array.ndim == 1 and isinstance(array.dtype, types.Integer)):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _item_pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        outcome = builder.cmpxchg(pointer, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(outcome, 1)

    return types.boolean(array, types.intp, array.dtype, array.dtype), generate


@instruction
def publish(typing_context: Any) -> Any:
    """Make every earlier write visible to other threads before any later one (a release fence)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence("release")
        return context.get_dummy_value()

    return types.none(), generate


@instruction
def observe(typing_context: Any) -> Any:
    """Keep later reads after earlier ones (an acquire fence), so that what another thread published is read whole."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence("acquire")
        return context.get_dummy_value()

    return types.none(), generate


@instruction
def equal_mask(typing_context: Any, array: Any, word: Any, value: Any) -> Any:
    """Return a uint64 whose bit i tells whether `array[64·word + i] == value`; `array` is uint8, one-dimensional."""
    if not (isinstance(array, types.Array) and array.ndim == 1 and array.dtype == types.uint8):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        index = builder.shl(arguments[1], ir.Constant(ir.IntType(64), 6))
        pointer = _item_pointer(context, builder, signature.args[0], arguments[0], index)
        vector = ir.VectorType(ir.IntType(8), 64)
        loaded = builder.load(builder.bitcast(pointer, vector.as_pointer()))
        loaded.align = 1
        single = builder.insert_element(ir.Constant(vector, ir.Undefined), arguments[2], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        value = builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), zeros)
        equal = builder.icmp_unsigned("==", loaded, value)
        return builder.bitcast(equal, ir.IntType(64))

    return types.uint64(array, types.intp, types.uint8), generate


@instruction
def to_pointer(typing_context: Any, address: Any) -> Any:
    """Turn an address into a pointer for `numba.carray`, which makes an array without a reference count."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.uint64), generate
