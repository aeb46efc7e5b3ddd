"""Muon for the matrices, Adam for the rest; both keep float32 masters of the model.

Muon: momentum whose matrix is brought near an orthogonal one by a Newton-Schulz iteration
(Jordan et al. 2024). It needs about half the steps of Adam here.
"""

import torch
from torch import Tensor, nn


def orthogonal(x: Tensor, kind: torch.dtype, rounds: int = 5) -> Tensor:
    """[n, rows, columns] -> the nearest matrices with singular values around 1, calculated in `kind`."""
    a, b, c = 3.4445, -4.7750, 2.0315
    tall = x.shape[1] > x.shape[2]
    x = x.transpose(1, 2) if tall else x
    x = (x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)).to(kind)
    for _ in range(rounds):
        square = x @ x.transpose(1, 2)
        x = a * x + (b * square + c * square @ square) @ x
    return (x.transpose(1, 2) if tall else x).float()


class Optimiser:
    def __init__(self, model: nn.Module, muon_rate: float, adam_rate: float, momentum: float = 0.95) -> None:
        self.muon_rate, self.adam_rate, self.momentum = muon_rate, adam_rate, momentum
        self.step_count = 0
        by_shape: dict[torch.Size, list[nn.Parameter]] = {}
        self.adam = []
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and "embedding" not in name:
                by_shape.setdefault(parameter.shape, []).append(parameter)
            else:
                master = parameter.detach().float().clone()
                self.adam.append((parameter, master, torch.zeros_like(master), torch.zeros_like(master)))
        masters = ((group, torch.stack([p.detach().float() for p in group])) for group in by_shape.values())
        self.muon = [(group, master, torch.zeros_like(master)) for group, master in masters]

    @torch.no_grad()
    def step(self, scale: float) -> None:
        """One update from the gradients in the model; `scale` multiplies both learning rates."""
        self.step_count += 1
        for group, master, momentum in self.muon:
            gradient = torch.stack([p.grad.float() for p in group])
            momentum.lerp_(gradient, 1 - self.momentum)
            update = orthogonal(gradient.lerp(momentum, self.momentum), group[0].dtype)
            rows, columns = update.shape[1:]
            rate = self.muon_rate * scale * max(1.0, rows / columns) ** 0.5
            master.mul_(1 - rate * 0.1).add_(update, alpha=-rate)
            for parameter, value in zip(group, master):
                parameter.copy_(value)
                parameter.grad = None
        first, second = 0.9, 0.98
        for parameter, master, mean, square in self.adam:
            gradient = parameter.grad.float()
            mean.lerp_(gradient, 1 - first)
            square.lerp_(gradient.square(), 1 - second)
            corrected = mean / (1 - first**self.step_count)
            master.addcdiv_(corrected, (square / (1 - second**self.step_count)).sqrt() + 1e-8, value=-self.adam_rate * scale)
            parameter.copy_(master)
            parameter.grad = None

    def state(self) -> dict:
        """All that a training needs to go on, apart from the model's own weights."""
        return {"steps": self.step_count, "muon": [rest for _, *rest in self.muon], "adam": [rest for _, *rest in self.adam]}

    def load(self, state: dict) -> None:
        """Takes over what `state` returned for a model of the same shape."""
        self.step_count = state["steps"]
        for own, saved in ((self.muon, state["muon"]), (self.adam, state["adam"])):
            for (_, *rest), values in zip(own, saved, strict=True):
                for mine, value in zip(rest, values, strict=True):
                    mine.copy_(value)
