"""A Gaussian process that tells, from the games at some points, how a player scores anywhere, and where to look next.

As Li & Lim have it (section 2.2, after Snoek et al. 2012): a Matérn 5/2 kernel, and the point of the greatest
expected improvement in expectation over what pending points will come to. Noise is known: that of the games. BoTorch
does the mathematics. Optuna's Gaussian process has the kernel and pending points too, but one unknown noise for all,
and measures improvement against the best score seen, which with 400 games is luck by several per cent; here it is
measured against the best of the true scores, as far as they are known.

Differences from the paper's Spearmint: the kernel's numbers are the likeliest ones a posteriori, not sampled; each
parameter has a length scale of its own, as in Spearmint, where the paper prints a single one.
"""

import contextlib
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction, PosteriorMean
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from gpytorch.kernels import ConstantKernel, MaternKernel, ScaleKernel
from gpytorch.means import ZeroMean
from gpytorch.mlls import ExactMarginalLogLikelihood
from gpytorch.priors import LogNormalPrior

from miai.engine.log import log

_SAMPLES = 256
"""Of the true scores, for the expectation."""
_STARTS, _CANDIDATES = 8, 512
"""Starts of the search for the greatest expected improvement, and points to choose them from."""
_EVEN, _UNIT = 0.5, 0.1
"""The score that is 0 in the model, and what is 1: of the order by which parameters change scores."""
_LEVEL = 2.0
"""Standard deviation of the level of all scores, which is as unknown as the rest, in those units."""
FEWEST = 2
"""Observations that a model needs."""


class MeasuredPoint(NamedTuple):
    """How a player scored at a point of the unit cube."""

    place: tuple[float, ...]
    score: float
    variance: float
    """Of the score as an estimate of the true one."""


class Prediction(NamedTuple):
    """True scores as far as they are known: means and standard deviations."""

    means: np.ndarray
    deviations: np.ndarray


class ScoreModel:
    """The posterior of the true score after some observations."""

    def __init__(self, observations: Sequence[MeasuredPoint]) -> None:
        """Fit the kernel's numbers to at least `FEWEST` observations; where that fails they are those of the priors."""
        self._places = torch.tensor([one.place for one in observations], dtype=torch.double)
        scores = torch.tensor([[(one.score - _EVEN) / _UNIT] for one in observations], dtype=torch.double)
        variances = torch.tensor([[one.variance / _UNIT**2] for one in observations], dtype=torch.double)
        num_parameters = self._places.shape[1]
        # The length scales' prior grows with the number of parameters: Hvarfner et al. 2024, as in BoTorch.
        matern = ScaleKernel(
            MaternKernel(
                nu=2.5,
                ard_num_dims=num_parameters,
                lengthscale_prior=LogNormalPrior(math.sqrt(2.0) + math.log(num_parameters) / 2.0, math.sqrt(3.0)),
            ),
            outputscale_prior=LogNormalPrior(-0.5, 1.5),
        )
        level = ConstantKernel()
        level.initialize(constant=torch.tensor(_LEVEL**2))
        level.raw_constant.requires_grad_(False)
        with _quietly():
            self._model = SingleTaskGP(
                self._places,
                scores,
                variances,
                covar_module=matern + level,
                mean_module=ZeroMean(),
                outcome_transform=None,
            )
            try:
                fit_gpytorch_mll(ExactMarginalLogLikelihood(self._model.likelihood, self._model))
            except ModelFittingError as error:
                log(f"the numbers of the kernel could not be fitted, and stay as they are expected: {error}")

    def predict(self, places: np.ndarray) -> Prediction:
        """Return the posterior at points of the unit cube, [point, parameter]."""
        with _quietly(), torch.no_grad():
            posterior = self._model.posterior(torch.as_tensor(places, dtype=torch.double))
            means, deviations = posterior.mean, posterior.variance.clamp_min(0.0).sqrt()
            return Prediction(_EVEN + _UNIT * means.squeeze(-1).numpy(), _UNIT * deviations.squeeze(-1).numpy())

    def propose(self, pending: Sequence[Sequence[float]], seed: int) -> np.ndarray:
        """Return the point of the greatest expected improvement, given those whose games are still to come."""
        waiting = torch.tensor(pending, dtype=torch.double) if len(pending) else None
        with _quietly(), manual_seed(seed):
            return self._maximize(
                qLogNoisyExpectedImprovement(
                    self._model,
                    X_baseline=self._places,
                    sampler=SobolQMCNormalSampler(torch.Size([_SAMPLES]), seed=seed),
                    X_pending=waiting,
                )
            )

    def find_optimum(self, seed: int) -> np.ndarray:
        """Return the point of the greatest posterior mean."""
        with _quietly(), manual_seed(seed):
            return self._maximize(PosteriorMean(self._model))

    def _maximize(self, function: AcquisitionFunction) -> np.ndarray:
        num_parameters = self._places.shape[1]
        bounds = torch.stack([torch.zeros(num_parameters), torch.ones(num_parameters)]).double()
        found, _ = optimize_acqf(function, bounds, q=1, num_restarts=_STARTS, raw_samples=_CANDIDATES)
        return found.detach().squeeze(0).numpy()


def spread_points(number: int, num_parameters: int, seed: int) -> np.ndarray:
    """Return points that fill the unit cube evenly, by Sobol; the first of more are those of fewer."""
    bounds = torch.stack([torch.zeros(num_parameters), torch.ones(num_parameters)]).double()
    return draw_sobol_samples(bounds, number, 1, seed=seed).squeeze(1).numpy()


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Leave the cores to the games, and warnings of libraries to their authors."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)
