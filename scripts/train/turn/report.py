"""How often a caller is cut off against how long is waited, when a turn ends once the model is sure enough."""

import numpy as np

from examples import LAST_LOOK, LOOKS, Examples

# (share of the turns cut off, mean delay in seconds over the others), one for each certainty tried
Curve = np.ndarray


def curve(given: Examples, rows: np.ndarray, certainty: np.ndarray, levels: np.ndarray = np.arange(-3, 6, 0.25)) -> Curve:
    turns: dict[int, list[int]] = {}
    for position, row in enumerate(rows):
        turns.setdefault(int(given.turn[row]), []).append(position)
    points = []
    for level in levels:
        delays = []
        for positions in turns.values():
            for position in positions:
                sure = np.flatnonzero(certainty[position] >= level)
                ended = LOOKS[sure[0]] if len(sure) else LAST_LOOK
                if given.over[rows[position]]:
                    delays.append(ended)
                elif ended < given.length[rows[position]]:
                    break
        points.append((1 - len(delays) / len(turns), np.mean(delays) if delays else 0.0))
    return np.array(points)


def silence_curve(given: Examples, rows: np.ndarray) -> Curve:
    waited = np.where(LOOKS[None] < given.length[rows][:, None], LOOKS[None], np.nan)
    return curve(given, rows, waited, LOOKS - 1e-6)


def delay_at(points: Curve, share: float) -> float:
    order = np.argsort(points[:, 0])
    return float(np.interp(share, points[order, 0], points[order, 1]))
