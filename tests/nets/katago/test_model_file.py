"""KataGo's network files: what is refused, in one line, whatever a file holds."""

import gzip
import random
import tracemalloc
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from miai.nets.katago.katago_net import KatagoNet
from miai.nets.katago.model_file import read_model
from miai.nets.loading import load_net, read_net_config, read_net_sizes
from miai.nets.net_files import WeightsError
from tests.nets.katago.model_writer import NETWORKS, ModelWriter, packed, spec_named

MOST_MEMORY = 48 << 20
"""Bytes that a file of a few kilobytes may take to be refused."""
_FAST = [spec_named(name) for name in ("v8-text", "v13-nested", "v15-shared", "v17-four")]


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def refusal(path: Path) -> str:
    """Return the line by which a file is refused, and check that it says which file."""
    tracemalloc.start()
    try:
        with pytest.raises(WeightsError) as caught:
            load_net(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    text = str(caught.value)
    assert text.startswith(f"{path}: no network of KataGo's that is known here: ")
    assert "\n" not in text and text.isprintable() and len(text) < 500
    assert peak < MOST_MEMORY
    return text.split("known here: ")[1]


def refused(folder: Path, pieces: list[bytes], name: str = "net.bin.gz") -> str:
    path = folder / name
    path.write_bytes(packed(pieces) if name.endswith(".gz") else b"".join(pieces))
    return refusal(path)


def changed(name: str, old: bytes, new: bytes, which: int = 0) -> list[bytes]:
    """Return a network's pieces with a token replaced."""
    pieces = ModelWriter(spec_named(name)).pieces
    found = [index for index, piece in enumerate(pieces) if piece.strip() == old]
    pieces[found[which]] = new + b"\n"
    return pieces


@pytest.mark.parametrize("spec", NETWORKS, ids=[spec.name for spec in NETWORKS])
@pytest.mark.parametrize("form", ["bin.gz", "bin", "gz", "BIN.GZ", "txt"])
def test_a_file_is_read_by_what_it_holds_not_by_its_name(spec: object, form: str, tmp_path: Path) -> None:
    writer = ModelWriter(spec)  # type: ignore[arg-type]
    path = tmp_path / f"net.{form}"
    path.write_bytes(packed(writer.pieces) if form.lower().endswith("gz") else b"".join(writer.pieces))
    net = load_net(path)
    assert isinstance(net, KatagoNet)
    assert (net.config.name, net.model.version) == (writer.spec.name, writer.spec.version)
    num_weights = sum((len(piece) - 6) // 4 for piece in writer.pieces if piece.startswith(b"@BIN@"))
    assert net.model.num_parameters == num_weights or writer.spec.is_text
    assert read_net_sizes(path) == frozenset(range(2, 20))


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("v8", b"8", b"7", "v8: model version 7 is not known"),
        ("v8", b"8", b"18", "v8: model version 18 is not known (known: 8 to 17)"),
        ("v8", b"8", b"8.0", "model version 8.0 is not known"),
        ("v8", b"22", b"21", "v8: 21 input planes, where 22 are needed"),
        ("v8", b"19", b"18", "v8: 18 global inputs, where 19 are needed"),
        ("v8", b"19", b"1000000000", "number of global inputs is 1000000000 (allowed: 1 to 4096)"),
        ("v8", b"ordinary_block", b"dilated_block", "kind of block dilated_block is not known (known: ordinary_block"),
        ("v8", b"12", b"1000000000", "trunk1: number of channels is 1000000000 (allowed: 1 to 4096)"),
        ("v8", b"12", b"-1", "trunk1: number of channels is -1 (allowed: 1 to 4096)"),
        ("v8", b"12", b"1_2", "trunk1: number of channels is '1_2', not an integer"),
        ("v8", b"12", b"13", "conv2: 12 outputs, where 13 are needed"),
        ("v8", b"3", b"4", "conv2: width of a convolution is 4"),
        ("v8", b"0.001", b"0", "epsilon is 0, not a positive number"),
        ("v8", b"0.001", b"1e-60", "epsilon is 1e-60, not a positive number"),
        ("v8", b"0.001", b"nan", "epsilon is nan, not a positive number"),
        ("v11-mish", b"ACTIVATION_MISH", b"ACTIVATION_GELU", "activation ACTIVATION_GELU is not known (known: ACT"),
        ("v13-nested", b"0.3", b"inf", "v13-nested: multiplier of the short term value error is inf, not a positive"),
        ("v13-nested", b"22", b"-22", "number of planes is -22"),
        ("v15-plain", b"10", b"-10", "base of rotary embedding is -10, not a positive number"),
    ],
)
def test_a_changed_token_is_named(name: str, old: bytes, new: bytes, says: str, tmp_path: Path) -> None:
    assert says in refused(tmp_path, changed(name, old, new))


@pytest.mark.parametrize(
    ("name", "at", "new", "says"),
    [
        ("v15-learned", 11, b"1", "it wants a human player's profile (metadata encoder), which is not known here"),
        ("v15-learned", 12, b"2", "pass-alive convention is 2 (allowed: 0 to 1)"),
        ("v15-learned", 13, b"1", "v15-learned: a spare field is 1: of a newer KataGo than is known here"),
        ("v15-learned", 26, b"2", "trunk1: kind of norm is 2 (allowed: 0 to 1)"),
        ("v15-learned", 27, b"5", "trunk1: a spare field is 5: of a newer KataGo than is known here"),
        ("v15-learned", 20, b"1001", "trunk1: number of blocks is 1001 (allowed: 1 to 1000)"),
    ],
)
def test_a_number_of_the_header_is_named(name: str, at: int, new: bytes, says: str, tmp_path: Path) -> None:
    pieces = ModelWriter(spec_named(name)).pieces
    assert len(pieces[at].strip()) <= 2
    pieces[at] = new + b"\n"
    assert says in refused(tmp_path, pieces)


def after(name: str, kind: bytes, offset: int, new: bytes, which: int = 0) -> list[bytes]:
    """Return a network's pieces, one changed that stands behind the first piece that begins so."""
    pieces = ModelWriter(spec_named(name)).pieces
    found = [index for index, piece in enumerate(pieces) if piece.startswith(kind)]
    pieces[found[which] + offset] = new + b"\n"
    return pieces


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        (after("v15-plain", b"transformer_attention", 2, b"3"), "3 heads cannot share 2 keys and values"),
        (after("v15-plain", b"transformer_attention", 4, b"6"), "queries of width 6 cannot be rotated"),
        (after("v15-learned", b"transformer_attention", 4, b"5"), "queries of width 5 cannot be rotated"),
        (after("v15-plain", b"transformer_attention", 6, b"2"), "flag of rotary embedding is 2"),
        (after("v15-plain", b"transformer_ffn", 4, b"0"), "a feed-forward block without a gate is not known"),
        (after("v15-plain", b"transformer_ffn", 2, b"11"), "11 channels, where 12 are needed"),
        (after("v15-learned", b"frequencies", 2, b"3"), "3 pairs, where 2 are needed"),
        (after("v15-learned", b"norm30", 4, b"4"), "norm30: a norm over groups of channels is not known"),
        (after("v15-learned", b"norm30", 1, b"8"), "norm30: 8 channels, where 12 are needed"),
        (after("v8", b"conv2", 5, b"2"), "conv2: a dilated convolution is not known"),
        (after("v17", b"policy", 1, b"3"), "number of policies is 3"),
        (after("v17", b"policy", 2, b"1"), "a spare field is 1"),
        (after("v17", b"value", 1, b"1"), "a spare field is 1"),
        (after("v8", b"norm", 5, b"@BIN@" + np.full(12, np.nan, "<f4").tobytes()), "a weight is no finite number"),
        (after("v8", b"norm", 5, b"@BIN@" + np.full(12, np.inf, "<f4").tobytes()), "a weight is no finite number"),
        (after("v8", b"norm", 6, b"@BIN@" + np.full(12, -1, "<f4").tobytes()), "norm5: a variance is negative"),
    ],
)
def test_a_changed_layer_is_named(pieces: list[bytes], says: str, tmp_path: Path) -> None:
    assert says in refused(tmp_path, pieces)


def text_weight(values: list[str]) -> list[bytes]:
    """Return a network in text with the first of its weights replaced."""
    pieces = ModelWriter(spec_named("v8-text")).pieces
    first = next(index for index, piece in enumerate(pieces) if piece.endswith(b" "))
    return pieces[:first] + [f"{value} ".encode() for value in values] + pieces[first + len(values) :]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("nan", "conv2: 'nan' is no weight"),
        ("Infinity", "conv2: 'Infinity' is no weight"),
        ("1e39", "conv2: a weight is no finite number"),
        ("1e999", "conv2: a weight is no finite number"),
        ("0x10", "conv2: '0x10' is no weight"),
        ("1_0", "conv2: '1_0' is no weight"),
        ("1" * 201, "conv2: no text where its weight should be"),
        ("\u0661", "conv2: no text where its weight should be"),
        ("\x1b[2J", "conv2: no text where its weight should be"),
    ],
)
def test_a_weight_in_text_that_is_none_is_named(value: str, says: str, tmp_path: Path) -> None:
    assert says in refused(tmp_path, text_weight([value]), "net.txt.gz")


def test_tiny_weights_in_text_are_zero(tmp_path: Path) -> None:
    path = tmp_path / "net.txt"
    path.write_bytes(b"".join(text_weight(["1e-300", "-1E-50", "+.5", "5."])))
    weight = read_model(path).trunk.conv.weight
    assert weight[:4, 0, 0, 0].tolist() == [0.0, 0.0, 0.5, 5.0]


@pytest.mark.parametrize("spec", _FAST, ids=[spec.name for spec in _FAST])
def test_a_file_cut_short_is_refused_wherever_it_is_cut(spec: object, tmp_path: Path) -> None:
    pieces = ModelWriter(spec).pieces  # type: ignore[arg-type]
    rng = random.Random(1)
    number = len(pieces) if len(pieces) < 1000 else 60
    for cut in rng.sample(range(len(pieces)), number):
        whole, part = pieces[:cut], pieces[cut].rstrip()
        for rest in (b"", part[:1], part[: len(part) // 2], part[:-1]):
            if cut == len(pieces) - 1 and not part.startswith(b"@BIN@") and rest:
                continue  # half of the last number in text is a number
            said = refused(tmp_path, [*whole, rest], "net.bin")
            assert said.count(": ") >= 1
            if rest == b"" and part.startswith(b"@BIN@") is False:
                assert "the file ends before its " in said


@pytest.mark.parametrize("name", ["v8-text", "v13-nested", "v17-four"])
@pytest.mark.parametrize("tail", [b"0", b"\n0\n", b"@BIN@", b"\x00", b"\n\xff"])
def test_something_behind_the_end_is_refused(name: str, tail: bytes, tmp_path: Path) -> None:
    writer = ModelWriter(spec_named(name))
    assert refused(tmp_path, [*writer.pieces, tail], "net.bin") == "something follows its last weight"
    assert refused(tmp_path, [*writer.pieces, tail], "net.bin.gz") == "something follows its last weight"
    path = tmp_path / "net.bin.gz"
    path.write_bytes(packed([*writer.pieces, b" \n\t "]))
    assert load_net(path).config.name == name


def test_a_gzip_stream_that_is_no_whole_one_is_refused(tmp_path: Path) -> None:
    whole = packed(ModelWriter(spec_named("v8")).pieces)
    path = tmp_path / "net.bin.gz"
    for data, says in (
        (whole[:-1], "the gzip stream is cut short"),
        (whole[: len(whole) // 2], "the gzip stream is cut short"),
        (whole[:2], "the gzip stream is cut short"),
        (whole + b"x", "something follows the end of the gzip stream"),
        (whole + whole, "something follows the end of the gzip stream"),
        (whole[:-8] + bytes(4) + whole[-4:], "the gzip stream is damaged"),
        (whole[:100] + bytes(20) + whole[120:], "damaged"),
        (b"", "network: the file ends before its name"),
        (b"\n \n", "network: the file ends before its name"),
        (b"\x00" * 1000, "network: no text where its name should be"),
    ):
        path.write_bytes(data)
        assert says in refusal(path)


def bomb(folder: Path, start: bytes, filling: bytes, megabytes: int) -> Path:
    """Write a gzip stream of a beginning and a great many of the same bytes, without taking the memory for them."""
    path = folder / "bomb.bin.gz"
    zipper = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = filling * ((1 << 20) // len(filling))
    with path.open("wb") as file:
        file.write(zipper.compress(start))
        for _ in range(megabytes):
            file.write(zipper.compress(block))
        file.write(zipper.flush())
    return path


@pytest.mark.parametrize(
    ("filling", "says"),
    [
        (b"\0", "no weights"),
        (b"0.0000000 ", "no weights"),
        (b" ", "blanks in turn"),
        (b"1", "no text where its weight should be"),
    ],
)
def test_a_bomb_takes_no_memory(filling: bytes, says: str, tmp_path: Path) -> None:
    pieces = ModelWriter(spec_named("v8")).pieces
    first = next(index for index, piece in enumerate(pieces) if piece.startswith(b"@BIN@"))
    start = b"".join(pieces[:first]).replace(b"conv2\n3\n3\n22\n12", b"conv2\n19\n19\n22\n12")
    start = start.replace(b"\n22\n12\n1\n1", b"\n22\n4096\n1\n1").replace(b"trunk1\n2\n12\n", b"trunk1\n2\n4096\n")
    path = bomb(tmp_path, start + (b"@BIN@" if filling == b"\0" else b""), filling, 200)
    assert path.stat().st_size < 1 << 20
    assert says in refusal(path)


def test_a_name_without_end_takes_no_memory(tmp_path: Path) -> None:
    assert "no text where its name should be" in refusal(bomb(tmp_path, b"", b"a", 200))


def test_more_weights_than_any_network_has_are_refused_before_they_are_read(tmp_path: Path) -> None:
    pieces = changed("v8", b"12", b"4096")[:20]
    text = b"".join(pieces).replace(b"conv2\n3\n3\n22\n12", b"conv2\n1\n1\n22\n4096")
    head = text[: text.index(b"@BIN@")] + b"@BIN@" + bytes(4 * 22 * 4096)
    layer = b"linear3 19 4096 @BIN@" + bytes(4 * 19 * 4096) + b"ordinary_block block4 "
    norm = b"n 4096 0.001 0 0 @BIN@" + bytes(4 * 4096) + b"@BIN@" + bytes(4 * 4096)
    conv = b"conv 19 19 4096 4096 1 1 @BIN@"
    path = tmp_path / "net.bin"
    path.write_bytes(head + layer + norm + b" activation " + conv)
    assert refusal(path) == "conv: more than 1000000000 weights"


def test_blocks_nested_a_thousand_deep_are_refused(tmp_path: Path) -> None:
    writer = ModelWriter(spec_named("v13-nested"))
    pieces = writer.pieces
    start = next(index for index, piece in enumerate(pieces) if piece.startswith(b"nested_bottleneck"))
    inner = next(index for index in range(start, len(pieces)) if pieces[index].startswith(b"ordinary_block"))
    level = pieces[start:inner]
    narrow = b"".join(level).split(b"conv")[0]
    same = level[:2] + [b"1\n", b"norm 8 0.001 0 0\n", *[b"@BIN@" + np.ones(8, "<f4").tobytes()] * 2]
    same += [b"a ACTIVATION_RELU\n", b"conv 1 1 8 8 1 1 @BIN@" + np.eye(8, dtype="<f4").tobytes()]
    assert narrow.startswith(b"nested_bottleneck_block")
    said = refused(tmp_path, pieces[:inner] + same * 1000)
    assert "blocks nested more than 4 deep" in said


def mutations(data: bytes, pieces: list[bytes], rng: random.Random) -> bytes:
    """Return a network's bytes after a few random changes."""
    tokens = [b"-1", b"0", b"1000000000", b"nan", b"1e400", b"", b"@BIN@", b"ordinary_block", b"\xff\xfe", b"9" * 300]
    for _ in range(rng.randint(1, 3)):
        way = rng.randrange(5)
        at = rng.randrange(len(data))
        if way == 0:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif way == 1:
            data = data[:at] + data[at + rng.randint(1, 40) :]
        elif way == 2:
            data = data[:at] + rng.randbytes(rng.randint(1, 40)) + data[at:]
        elif way == 3:
            parts = list(pieces)
            index = rng.randrange(len(parts))
            parts[index] = rng.choice(tokens) + b"\n"
            data = b"".join(parts)
        else:
            parts = list(pieces)
            first, second = rng.randrange(len(parts)), rng.randrange(len(parts))
            parts[first], parts[second] = parts[second], parts[first]
            data = b"".join(parts)
        data = data or b" "
    return data


def outcome(load: Callable[[Path], object], path: Path) -> bool:
    """Tell whether a file is read; fail for any error but the one that names it."""
    try:
        load(path)
    except WeightsError as error:
        assert str(error).startswith(f"{path}: ")
        assert "\n" not in str(error) and str(error).isprintable() and len(str(error)) < 500
        return False
    return True


@pytest.mark.parametrize("spec", _FAST, ids=[spec.name for spec in _FAST])
def test_no_mutated_file_raises_anything_else(spec: object, tmp_path: Path) -> None:
    writer = ModelWriter(spec)  # type: ignore[arg-type]
    pieces, whole = writer.pieces, b"".join(writer.pieces)
    rng = random.Random(2)
    read = []
    tracemalloc.start()
    for number in range(100 if writer.spec.is_text else 400):
        data = mutations(whole, pieces, rng)
        path = tmp_path / ("net.bin.gz" if number % 2 else "net.bin")
        if number % 4 == 1:
            zipped = bytearray(gzip.compress(whole, 1))
            for _ in range(rng.randint(1, 4)):
                zipped[rng.randrange(len(zipped))] = rng.randrange(256)
            data = bytes(zipped)
        elif number % 2:
            data = gzip.compress(data, 1)
        path.write_bytes(data)
        read.append(outcome(load_net, path))
        outcome(read_net_config, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_MEMORY
    assert any(read) and not all(read)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="there is no such file"):
        load_net(tmp_path / "none.bin.gz")
    (tmp_path / "folder.bin.gz").mkdir()
    with pytest.raises(WeightsError, match=r"folder\.bin\.gz: cannot be read: Is a directory"):
        load_net(tmp_path / "folder.bin.gz")
