"""What all backends run: a folded network that ends in probabilities."""

import torch
from torch import Tensor, nn

from nets.folding import fold
from nets.net_files import LoadedNet


class Evaluation(nn.Module):
    """Turn planes into policy logits, probabilities of win, draw and loss, score and ownership."""

    def __init__(self, net: LoadedNet) -> None:
        super().__init__()
        self.network = fold(net.module)
        self.eval()

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        raw = self.network(planes)
        if raw.value is None:
            return raw.policy, torch.softmax(raw.wdl, dim=1), raw.score, raw.ownership
        win = (raw.value + 1) / 2
        nothing = torch.zeros_like(win)
        wdl = torch.stack([win, nothing, 1 - win], dim=1)
        return raw.policy, wdl, nothing, torch.zeros_like(raw.policy[:, 1:])
