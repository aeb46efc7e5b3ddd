"""The exported classifier: several networks and one likeness, which share a front end."""

import torch
from torch import Tensor, nn

from network import EmotionNet
from prosody import Likeness, Prosody

LIKENESS_WEIGHT = 4.0


class Panel(nn.Module):
    """The mean of the networks' scores, and the likeness."""

    def __init__(self, nets: list[EmotionNet], likeness: Likeness) -> None:
        super().__init__()
        self.mel = nets[0].mel
        self.nets = nn.ModuleList(nets)
        self.prosody, self.likeness = Prosody(self.mel), likeness

    def forward(self, waveform: Tensor) -> Tensor:
        power = self.mel.power(waveform)
        features = self.mel.level(self.mel.bands(power))
        return torch.stack([net.scores(features) for net in self.nets]).mean(0) + LIKENESS_WEIGHT * self.likeness(self.prosody(power))


class Calibrated(nn.Module):
    """The exported panel. It returns probabilities and contains the temperature."""

    def __init__(self, panel: Panel, temperature: float) -> None:
        super().__init__()
        self.panel, self.temperature = panel, temperature

    def forward(self, waveform: Tensor) -> Tensor:
        return (self.panel(waveform) / self.temperature).softmax(dim=1)
