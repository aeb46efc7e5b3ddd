"""Figures: unweighted accuracy, confusion, calibration error, and the temperature that fits best."""

import numpy as np


def probabilities(scores: np.ndarray, temperature: float) -> np.ndarray:
    scaled = scores / temperature
    raised = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def accuracy(scores: np.ndarray, truth: np.ndarray) -> float:
    """Mean over classes of the share recognised (each class counts the same)."""
    guesses = scores.argmax(1)
    return float(np.mean([np.mean(guesses[truth == label] == label) for label in np.unique(truth)]))


def confusion(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    table = np.zeros((scores.shape[1],) * 2, int)
    np.add.at(table, (truth, scores.argmax(1)), 1)
    return table


def calibration_error(scores: np.ndarray, truth: np.ndarray, temperature: float, bins: int = 10) -> float:
    """Expected calibration error: mean gap between the top probability and how often it is right."""
    chances = probabilities(scores, temperature)
    top, right = chances.max(1), chances.argmax(1) == truth
    place = np.minimum((top * bins).astype(int), bins - 1)
    return float(sum(np.mean(place == b) * abs(top[place == b].mean() - right[place == b].mean()) for b in range(bins) if np.any(place == b)))


def best_temperature(scores: np.ndarray, truth: np.ndarray) -> float:
    grid = np.geomspace(0.3, 5, 120)
    losses = [-np.log(probabilities(scores, t)[np.arange(len(truth)), truth] + 1e-12).mean() for t in grid]
    return float(grid[int(np.argmin(losses))])
