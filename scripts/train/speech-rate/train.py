"""Trains the network that tells speech at a wrong sample rate, and writes src/audio/speech-rate-weights.ts.

Input: files of features.ts. One group in five is left out to print how many rows exceed a threshold at two
checkpoints in a row; the weights that are written come from all groups.
"""

import argparse
import base64
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

FEATURES, HIDDEN, CLASSES = 88, 24, 4
RIGHT = 1
NAMES = {0: "slow", 2: "fast", 3: "fastest"}
DECAY = 3e-4
MOST_DEVIATION = 5


def parts_of(weights: np.ndarray) -> list[np.ndarray]:
    shapes = [(FEATURES, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,)]
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(weights, ends[:-1]), shapes)]


def loss(weights: np.ndarray, inputs: np.ndarray, classes: np.ndarray, importance: np.ndarray):
    inner, inner_bias, outer, outer_bias = parts_of(weights)
    hidden = np.tanh(inputs @ inner + inner_bias)
    logits = hidden @ outer + outer_bias
    logits -= logits.max(1, keepdims=True)
    odds = np.exp(logits)
    shares = odds / odds.sum(1, keepdims=True)
    rows = np.arange(len(classes))
    value = -(importance * np.log(shares[rows, classes] + 1e-12)).mean()
    value += DECAY * ((inner**2).sum() + (outer**2).sum()) / 2
    slope = shares
    slope[rows, classes] -= 1
    slope *= importance[:, None] / len(classes)
    back = (slope @ outer.T) * (1 - hidden**2)
    slopes = [inputs.T @ back + DECAY * inner, back.sum(0), hidden.T @ slope + DECAY * outer, slope.sum(0)]
    return value, np.concatenate([part.ravel() for part in slopes])


def fit(inputs: np.ndarray, classes: np.ndarray, importance: np.ndarray, steps: int) -> np.ndarray:
    count = FEATURES * HIDDEN + HIDDEN + HIDDEN * CLASSES + CLASSES
    start = np.random.default_rng(1).normal(0, 0.1, count)
    arguments = (inputs, classes, importance)
    return minimize(loss, start, args=arguments, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x


def report(weights: np.ndarray, inputs: np.ndarray, classes: np.ndarray, kinds: np.ndarray, frames: np.ndarray) -> None:
    inner, inner_bias, outer, outer_bias = parts_of(weights)
    logits = np.tanh(inputs @ inner + inner_bias) @ outer + outer_bias
    scores = logits - logits[:, RIGHT : RIGHT + 1]
    least = np.minimum(scores[1:], scores[:-1])
    later = frames[1:] > frames[:-1]
    least, classes, kinds, frames = least[later], classes[1:][later], kinds[1:][later], frames[1:][later]
    for index, name in NAMES.items():
        right = classes == RIGHT
        most = {int(kind): round(float(least[right & (kinds == kind), index].max()), 1) for kind in np.unique(kinds[right])}
        print(name, "- highest score of right audio, by kind:", most)
        for threshold in (3, 5, 7, 9):
            found = {
                int(count): round(float((least[(classes == index) & (frames == count), index] > threshold).mean()), 2)
                for count in np.unique(frames)
            }
            alarms = int((least[right, index] > threshold).sum())
            print(f"  over {threshold}: {alarms} of {right.sum()} right ones; found, by frames:", found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("src/audio/speech-rate-weights.ts"))
    parser.add_argument("--steps", type=int, default=250)
    options = parser.parse_args()
    rows = np.concatenate([np.fromfile(path, "<f4").reshape(-1, 4 + FEATURES) for path in options.features])
    sources, kinds, groups, frames = rows[:, :4].astype(int).T
    classes = np.array([0, 0, RIGHT, 2, 3])[sources]
    values = rows[:, 4:].astype(float)
    means, deviations = values.mean(0), values.std(0) + 1e-3
    inputs = np.clip((values - means) / deviations, -MOST_DEVIATION, MOST_DEVIATION)
    importance = 1 / np.bincount(classes)[classes]
    importance[kinds >= 10] *= 2
    importance[classes == RIGHT] *= 2
    importance /= importance.mean()
    held = groups * 7919 % 5 == 0
    trial = fit(inputs[~held], classes[~held], importance[~held], options.steps)
    report(trial, inputs[held], classes[held], kinds[held], frames[held])
    weights = np.concatenate([means, 1 / deviations, fit(inputs, classes, importance, options.steps)])
    text = base64.b64encode(weights.astype("<f4").tobytes()).decode()
    options.out.write_text(
        "/** Made by scripts/train/speech-rate/train.py. */\n"
        f"export const HIDDEN = {HIDDEN};\n"
        f'export const WEIGHTS =\n  "{text}";\n'
    )


if __name__ == "__main__":
    main()
