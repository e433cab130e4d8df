# ---
# jupyter:
#   jupytext: {formats: 'py:percent'}
# ---

# %% [markdown]
# # Gradients of a run
#
# A satellite loses stars to its host. You recover its mass and its orbit from the stream by gradient descent. Then you run
# a collision back to its start, bit for bit.

# %%
import numpy as np

import chamomile

stars, bodies = 100, 2000  # 10^5 bodies take some minutes

# %% [markdown]
# ## The stream
#
# Units have G = 1. The host is a particle of mass 1 with a softening length of 0.3. The unknowns are the logarithm of the
# satellite's mass, and its speed at a distance of 2. The observed stream has the mean and the second moments of the
# stars' positions.

# %%
step, steps = 0.05, 160
template = chamomile.plummer(stars, seed=1)
shape, motions = template.positions[:] * 0.1, template.velocities[:] / np.sqrt(0.1)  # for a mass of 1
softenings = np.append(np.full(stars, 0.1), 0.3)
solver = chamomile.Solver(solver="direct", precision="double", softening=0.1)


def start(unknowns):
    log_mass, speed = unknowns
    mass = np.exp(log_mass)
    x = np.vstack([shape + [2, 0, 0], np.zeros(3)])
    v = np.vstack([np.sqrt(mass) * motions + [0, speed, 0], np.zeros(3)])
    return x, v, np.append(np.full(stars, mass / stars), 1.0)


def field(x, m):
    return solver.build(x, m, softenings=softenings)


def run(x, v, m):
    """Leapfrog steps; returns the positions of all steps, and the last velocities."""
    track, v = [x], v + 0.5 * step * field(x, m).evaluate().acceleration
    for k in range(steps):
        track.append(track[-1] + step * v)
        v = v + (1 if k < steps - 1 else 0.5) * step * field(track[-1], m).evaluate().acceleration
    return track, v


def moments(x):
    mean = x[:-1].mean(0)
    return mean, (x[:-1] - mean).T @ (x[:-1] - mean) / stars


truth = np.array([np.log(0.01), 0.5])
observed = moments(run(*start(truth))[0][-1])

# %% [markdown]
# ## The gradient
#
# `of_x` is the derivative of the loss with respect to the positions, `of_v` to the velocities. Each step back takes one
# call of `vjp()`.


# %%
def loss(unknowns):
    x, v, m = start(unknowns)
    track, _ = run(x, v, m)
    mean, second = moments(track[-1])
    off_mean, off_second = mean - observed[0], second - observed[1]
    value = (off_mean**2).sum() + (off_second**2).sum()
    of_x, of_v, of_m = np.zeros_like(x), np.zeros_like(v), np.zeros_like(m)
    of_x[:-1] = (2 * off_mean + 4 * (track[-1][:-1] - mean) @ off_second) / stars
    for k in range(steps, -1, -1):
        gradient = field(track[k], m).vjp((0.5 if k in (0, steps) else 1) * step * of_v)
        of_x, of_m = of_x + gradient.positions, of_m + gradient.masses
        if k > 0:
            of_v = of_v + step * of_x
    mass = np.exp(unknowns[0])
    of_log_mass = mass * of_m[:-1].mean() + 0.5 * np.sqrt(mass) * (of_v[:-1] * motions).sum()
    return value, np.array([of_log_mass, of_v[:-1, 1].sum()])


# %% [markdown]
# Compare it with finite differences.

# %%
guess = np.array([np.log(0.003), 0.55])
value, gradient = loss(guess)
for k, h in enumerate(1e-5 * np.eye(2)):
    difference = (loss(guess + h)[0] - loss(guess - h)[0]) / 2e-5
    print(f"{gradient[k]:.8f} by vjp, {difference:.8f} by differences")
    assert abs(gradient[k] - difference) < 1e-5 * np.abs(gradient).max()

# %% [markdown]
# ## Descent
#
# The step length is by Barzilai and Borwein. A unit of the speed counts as ten of the logarithm.

# %%
unit = np.array([1, 0.1])
unknowns, length = guess, 0.02
for k in range(60):
    following = unknowns - np.clip(length * unit**2 * gradient, -0.3 * unit, 0.3 * unit)
    value, new = loss(following)
    moved, changed = (following - unknowns) / unit, (new - gradient) * unit
    length = abs(moved @ changed) / (changed @ changed)
    unknowns, gradient = following, new
    if k % 5 == 0 or value < 1e-12:
        print(f"{k:2d}: loss {value:.2e}, mass {np.exp(unknowns[0]):.6f}, speed {unknowns[1]:.6f}")
    if value < 1e-12:
        break
assert np.abs(unknowns - truth).max() < 1e-4

# %% [markdown]
# ## A collision, and back
#
# On a lattice of integers each step has an inverse, because the same positions give the same forces
# (Levesque & Verlet 1993). `chamomile.torch.simulate` and `chamomile.jax.simulate` run back like this for their gradients.

# %%
pair = [chamomile.plummer(bodies // 2, seed=seed) for seed in (2, 3)]
x = np.vstack([pair[0].positions[:] - [3, 0.5, 0], pair[1].positions[:] + [3, 0.5, 0]])
v = np.vstack([pair[0].velocities[:] + [0.6, 0, 0], pair[1].velocities[:] - [0.6, 0, 0]])
unit, step, masses = 2.0**-48, 2.0**-4, np.full(len(x), 2 / len(x))
x, v = (np.rint(values / unit).astype(np.int64) for values in (x, v))
begin = x.copy(), v.copy()
tree = chamomile.Solver(softening=0.1)


def kick(time):
    v[:] += np.rint(time * tree.build(x * unit, masses).evaluate().acceleration / unit).astype(np.int64)


def steps_of(time, count):
    for _ in range(count):
        kick(time / 2)
        x[:] += np.rint(time * v).astype(np.int64)
        kick(time / 2)


def distance():
    return np.linalg.norm((x[: bodies // 2].mean(0) - x[bodies // 2 :].mean(0)) * unit)


steps_of(step, 160)
print(f"{np.mean(np.linalg.norm((x - begin[0]) * unit, axis=1)):.2f} is the mean way, {distance():.2f} the distance after the collision")
steps_of(-step, 160)
assert np.array_equal(x, begin[0]) and np.array_equal(v, begin[1])
print("back at the start, bit for bit")
