"""Backends: the same answers within stated tolerances, whichever is used and whatever the batch."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from miai.nets.config import ConfigError  # noqa: E402
from miai.nets.inference import BACKENDS, BackendError, Outputs, available_backends, make_backend  # noqa: E402
from tests.nets.networks import SMALL, small_net  # noqa: E402
from tests.nets.positions import batch_of  # noqa: E402

TOLERANCES = {
    "torch": Outputs(policy=1e-4, wdl=1e-5, score=1e-3, ownership=1e-4),
    "openvino": Outputs(policy=1e-4, wdl=1e-5, score=1e-3, ownership=1e-4),
    "openvino-float32": Outputs(policy=1e-4, wdl=1e-5, score=1e-3, ownership=1e-4),
    "openvino-int8": Outputs(policy=0.3, wdl=0.03, score=1.5, ownership=0.2),
    "torch-bfloat16": Outputs(policy=0.1, wdl=0.02, score=0.5, ownership=0.1),
}
"""How far outputs may be from those of the network as it is trained: logits, probabilities, points, expected owner."""


@pytest.fixture(params=BACKENDS)
def backend_name(request: pytest.FixtureRequest) -> str:
    """Return the name of a backend that is installed."""
    if request.param not in available_backends():
        pytest.skip(f"{request.param} is not installed")
    return request.param


def tolerances_of(name: str) -> dict[str, float]:
    """Return the tolerances of a backend on this CPU: OpenVINO computes in bfloat16 where the CPU does.

    Outputs that only KataGo's networks have are not among them.
    """
    if name == "openvino":
        from miai.nets.inference.openvino_library import openvino

        if "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
            name = "torch-bfloat16"
    return {what: value for what, value in TOLERANCES[name]._asdict().items() if value is not None}


@pytest.mark.parametrize(("kind", "size"), [("li-lim", 9), ("miai", 7), ("miai", 9), ("miai", 13)])
def test_every_backend_agrees_with_the_network(kind: str, size: int, backend_name: str) -> None:
    net = small_net(kind)
    planes = batch_of(kind, size, 40)
    with torch.no_grad():
        raw = net.module(torch.from_numpy(planes))
    win = None if raw.value is None else (raw.value + 1) / 2
    nothing = torch.zeros(40)
    expected = Outputs(
        raw.policy,
        torch.softmax(raw.wdl, dim=1) if win is None else torch.stack([win, nothing, 1 - win], dim=1),
        nothing if raw.score is None else raw.score,
        torch.zeros(40, size * size) if raw.ownership is None else raw.ownership,
    )
    backend = make_backend(net, backend_name, device="cpu")
    assert backend.name == backend_name
    outputs = backend.evaluate(planes)
    for name, tolerance in tolerances_of(backend_name).items():
        found = getattr(outputs, name)
        assert found.dtype == np.float32 and found.flags.c_contiguous
        np.testing.assert_allclose(found, getattr(expected, name), atol=tolerance, rtol=0, err_msg=name)


def test_an_answer_does_not_depend_on_the_batch_it_is_in(backend_name: str) -> None:
    backend = make_backend(small_net("miai"), backend_name, device="cpu")
    planes = batch_of("miai", 9, 40)
    whole = backend.evaluate(planes)
    for number in (1, 3, 5, 8, 31, 33):
        part = backend.evaluate(planes[:number])
        for name, tolerance in tolerances_of(backend_name).items():
            np.testing.assert_allclose(getattr(part, name), getattr(whole, name)[:number], atol=tolerance, rtol=0)


def test_threads_change_no_answer_but_by_rounding(backend_name: str) -> None:
    planes = batch_of("miai", 9, 16)
    two = make_backend(small_net("miai"), backend_name, "cpu", threads=2).evaluate(planes)
    if backend_name.startswith("torch"):
        assert torch.get_num_threads() == 2
    one = make_backend(small_net("miai"), backend_name, "cpu").evaluate(planes)
    assert_same(two, one, backend_name)


@pytest.mark.parametrize("number", [1, 127, 130, 200])
def test_threads_divide_a_large_batch_and_answer_in_its_order(backend_name: str, number: int) -> None:
    planes = batch_of("miai", 9, number)
    whole = make_backend(small_net("miai"), backend_name, "cpu").evaluate(planes)
    divided = make_backend(small_net("miai"), backend_name, "cpu", threads=3)
    for _ in range(3):
        assert_same(divided.evaluate(planes), whole, backend_name)


def test_several_threads_get_each_its_own_answers(backend_name: str) -> None:
    planes = [batch_of("miai", 9, number) for number in (1, 7, 8, 40)]
    alone = make_backend(small_net("miai"), backend_name, "cpu")
    right = [alone.evaluate(one) for one in planes]
    shared = make_backend(small_net("miai"), backend_name, "cpu", threads=2)
    with ThreadPoolExecutor(len(planes)) as pool:
        for _ in range(20):
            for two, one in zip(pool.map(shared.evaluate, planes), right, strict=True):
                assert_same(two, one, backend_name)


def assert_same(two: Outputs, one: Outputs, backend_name: str) -> None:
    """Assert that two answers differ by a backend's rounding only."""
    for name, tolerance in tolerances_of(backend_name).items():
        np.testing.assert_allclose(getattr(two, name), getattr(one, name), atol=tolerance, rtol=0, err_msg=name)


def test_answers_stay_when_the_next_batch_is_evaluated(backend_name: str) -> None:
    backend = make_backend(small_net("miai"), backend_name, device="cpu")
    planes = batch_of("miai", 9, 16)
    first = backend.evaluate(planes[:8])
    assert first[4:] == (None, None)
    before = [output.copy() for output in first[:4]]
    backend.evaluate(planes[8:])
    assert all((output == copied).all() for output, copied in zip(first[:4], before, strict=True))


@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_is_compiled_for_batches_that_were_prepared_for(
    threads: int, backend_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = make_backend(small_net("miai"), backend_name, "cpu", threads=threads)
    backend.prepare(9, 7)
    with pytest.raises(ConfigError, match="9x9 boards only, not 7x7"):
        make_backend(small_net("li-lim"), backend_name, "cpu").prepare(7, 1)
    if backend_name.startswith("torch"):
        return
    from miai.nets.inference.openvino_library import openvino

    def refuse(*_: object) -> None:
        raise AssertionError("a search would wait")

    monkeypatch.setattr(openvino, "compile_model", refuse)
    with ThreadPoolExecutor(threads) as pool:
        for number in range(1, 9):
            list(pool.map(backend.evaluate, [batch_of("miai", 9, number)] * threads))
    with pytest.raises(AssertionError, match="would wait"):
        backend.evaluate(batch_of("miai", 9, 9))


def test_planes_of_a_wrong_form_are_refused(backend_name: str) -> None:
    backend = make_backend(small_net("li-lim"), backend_name, device="cpu")
    with pytest.raises(ConfigError, match="9x9 boards only, not 7x7"):
        backend.evaluate(np.zeros((1, 10, 7, 7), dtype=np.float32))
    for shape, dtype in (
        ((10, 9, 9), "f4"),
        ((0, 10, 9, 9), "f4"),
        ((1, 14, 9, 9), "f4"),
        ((1, 10, 9, 8), "f4"),
        ((1, 10, 9, 9), "f8"),
    ):
        with pytest.raises(ValueError, match=r"not float32 \[batch, 10, size, size\]"):
            backend.evaluate(np.zeros(shape, dtype=dtype))
    with pytest.raises(ValueError, match="contiguous"):
        backend.evaluate(batch_of("li-lim", 9, 2)[:, :, ::-1])


def test_without_a_name_the_fastest_that_is_installed_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert make_backend(small_net("miai")).name == available_backends()[0]
    monkeypatch.setattr("miai.nets.inference.choice.available_backends", lambda: ["torch", "torch-bfloat16"])
    assert make_backend(small_net("miai")).name == "torch"
    with pytest.raises(BackendError, match=r"needs openvino: pip install -c constraints.txt \."):
        make_backend(small_net("miai"), "openvino")


def test_what_there_is_not_is_named() -> None:
    net = small_net("miai")
    with pytest.raises(BackendError, match="unknown backend 'tensorrt': allowed are torch, torch-bfloat16, openvino"):
        make_backend(net, "tensorrt")
    with pytest.raises(BackendError, match="device 'toaster' cannot be used"):
        make_backend(net, "torch", device="toaster")
    if not torch.cuda.is_available():
        with pytest.raises(BackendError, match="device 'cuda' cannot be used"):
            make_backend(net, device="cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("kind", SMALL)
def test_a_gpu_agrees_with_the_cpu(kind: str) -> None:
    net = small_net(kind)
    planes = batch_of(kind, 9, 40)
    expected = make_backend(net, "torch", device="cpu").evaluate(planes)
    assert make_backend(net).name == "torch-bfloat16"
    for name in ("torch", "torch-bfloat16"):
        outputs = make_backend(net, name).evaluate(planes)
        for output, tolerance in tolerances_of("torch-bfloat16").items():
            np.testing.assert_allclose(getattr(outputs, output), getattr(expected, output), atol=tolerance, rtol=0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("kind", SMALL)
def test_a_gpu_says_the_same_in_batches_of_any_size_and_threads(kind: str) -> None:
    backend = make_backend(small_net(kind), "torch", device="cuda")
    planes = batch_of(kind, 9, 300)  # more than a CUDA graph takes
    whole = backend.evaluate(planes)
    parts = [planes[:1], planes[1:6], planes[6:14], planes[14:270], planes[1:3]]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(backend.evaluate, parts))
    starts = (0, 1, 6, 14, 1)
    for start, part, answer in zip(starts, parts, answers, strict=True):
        for output, tolerance in tolerances_of("torch-bfloat16").items():
            expected = getattr(whole, output)[start : start + len(part)]
            found = getattr(answer, output)
            assert found.flags.c_contiguous and found.dtype == np.float32
            np.testing.assert_allclose(found, expected, atol=tolerance, rtol=0)


def test_making_a_backend_leaves_the_network_as_it_is() -> None:
    net = small_net("miai")
    before = {name: tensor.clone() for name, tensor in net.module.state_dict().items()}
    for name in available_backends():
        make_backend(net, name, device="cpu").evaluate(batch_of("miai", 9, 2))
    after = net.module.state_dict()
    assert after.keys() == before.keys()
    assert all(torch.equal(after[name], before[name]) for name in before)
