"""What torch runs: a folded network that ends in probabilities."""

import torch
from torch import Tensor, nn

from miai.nets.folding import fold
from miai.nets.net_files import LoadedNet
from miai.nets.network import build_network


class InferenceModule(nn.Module):
    """Turn planes into policy logits, probabilities of win, draw and loss, score and ownership."""

    def __init__(self, net: LoadedNet) -> None:
        super().__init__()
        self.network = _folded_network(net)
        self.eval()

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        raw = self.network(planes)
        if raw.value is None:
            return raw.policy, torch.softmax(raw.wdl, dim=1), raw.score, raw.ownership
        win = (raw.value + 1) / 2
        nothing = torch.zeros_like(win)
        wdl = torch.stack([win, nothing, 1 - win], dim=1)
        return raw.policy, wdl, nothing, torch.zeros_like(raw.policy[:, 1:])


def _folded_network(net: LoadedNet) -> nn.Module:
    with torch.device("meta"):
        network = build_network(net.config)
    for name, module in list(network.named_modules()):
        if isinstance(module, nn.BatchNorm2d):
            network.set_submodule(name, nn.Identity())
    for name, array in fold(net.config, net.arrays).items():
        layer, _, part = name.rpartition(".")
        weights = nn.Parameter(torch.from_numpy(array), requires_grad=False)
        network.get_submodule(layer).register_parameter(part, weights)
    return network
