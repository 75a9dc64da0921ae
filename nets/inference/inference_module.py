"""The module that torch runs: a folded network that ends in probabilities."""

import torch
from torch import Tensor, nn

from miai.nets.folding import fold
from miai.nets.form import evaluate
from miai.nets.net_files import LoadedNet
from miai.nets.torch_network import Network, TorchOperations


class InferenceModule(nn.Module):
    """Turn planes into policy logits, probabilities of win, draw and loss, score and ownership."""

    def __init__(self, net: LoadedNet) -> None:
        super().__init__()
        self.network = _folded_network(net)
        self._operations = TorchOperations(self.network)
        self.eval()

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return evaluate(self._operations, self.network.config, planes)


def _folded_network(net: LoadedNet) -> Network:
    with torch.device("meta"):
        network = Network(net.config)
    for name, module in list(network.named_modules()):
        if isinstance(module, nn.BatchNorm2d):
            network.set_submodule(name, nn.Identity())
    for name, array in fold(net.config, net.arrays).items():
        layer, _, part = name.rpartition(".")
        weights = nn.Parameter(torch.from_numpy(array), requires_grad=False)
        network.get_submodule(layer).register_parameter(part, weights)
    return network
