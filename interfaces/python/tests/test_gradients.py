"""Gradients: Solver.vjp(), chamomile.torch and chamomile.jax."""

import math
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import chamomile
import numpy as np
from test_misuse import raises

R = np.random.default_rng(3)
N = 60
X, LAMBDA, MU = R.normal(size=(N, 3)), R.normal(size=(N, 3)), R.normal(size=N)
M = R.uniform(0.5, 2, N) / N
M[::4] = 0
DIRECT = {"solver": "direct", "precision": "double", "softening": 0.1}


def plain(x, m, lam, mu, eps):
    """Returns dL/dx and dL/dm of L = sum lambda . a + mu phi by its formulas."""
    r = x[None] - x[:, None]
    inverse = 1 / np.sqrt((r**2).sum(-1) + eps**2)
    np.fill_diagonal(inverse, 0)
    a, b = inverse**3, 3 * inverse**5
    w = m[None, :, None] * lam[:, None] - m[:, None, None] * lam[None]
    s = m[:, None] * mu[None] + m[None] * mu[:, None]
    gx = (((b * (r * w).sum(-1) - a * s)[..., None] * r) - a[..., None] * w).sum(1)
    return gx, -(a * (lam[None] * r).sum(-1) + inverse * mu[None]).sum(1)


def error(found, exact):
    return np.abs(np.asarray(found) - exact).max() / np.abs(exact).max()


def torch_or_skip():
    try:
        import torch

        import chamomile.torch
    except ImportError as missing:
        raise unittest.SkipTest(str(missing))
    return torch, chamomile.torch


def jax_or_skip():
    try:
        import jax

        import chamomile.jax
    except ImportError as missing:
        raise unittest.SkipTest(str(missing))
    jax.config.update("jax_enable_x64", True)
    return jax, chamomile.jax


def on_processor(jax):
    return jax.default_device(jax.devices("cpu")[0])


def test_vjp_has_the_values_of_its_formulas():
    gx, gm = plain(X, M, LAMBDA, MU, 0.1)
    found = chamomile.Solver(**DIRECT).build(X, M).vjp(LAMBDA, MU)
    assert error(found.positions, gx) < 1e-13 and error(found.masses, gm) < 1e-13
    of_forces = chamomile.Solver(**DIRECT, G=3).build(X, M).vjp(LAMBDA)
    assert error(of_forces.positions, 3 * plain(X, M, LAMBDA, 0 * MU, 0.1)[0]) < 1e-13
    solver = chamomile.Solver(softening=0.1, tolerance=1e-5).build(X.astype(np.float32), M.astype(np.float32))
    gx32, gm32 = solver.vjp(LAMBDA, MU)
    assert gx32.dtype == np.float32 and error(gx32, gx) < 1e-4 and error(gm32, gm) < 1e-4
    into = chamomile.Gradient(np.empty((N, 3)), np.empty(N))
    assert solver.vjp(LAMBDA, MU, out=into).positions is into.positions and error(into.masses, gm) < 1e-4
    assert solver.statistics.targets == N


def test_vjp_by_the_tree_uses_the_lists_of_the_forces():
    x = R.normal(size=(4000, 3))
    m, lam = np.full(4000, 1 / 4000), R.normal(size=(4000, 3))
    exact = chamomile.Solver(**DIRECT).build(x, m).vjp(lam)
    solver = chamomile.Solver(softening=0.1, tolerance=1e-4, device="cpu").build(x, m)
    solver.evaluate()
    pairs = solver.statistics.particle_particle
    found = solver.vjp(lam)
    assert solver.statistics.particle_particle == pairs
    scale = np.sqrt((exact.positions**2).sum(1).mean())
    assert np.percentile(np.abs(found.positions - exact.positions), 99) < 2e-3 * scale
    again = chamomile.Solver(softening=0.1, tolerance=1e-4, device="cpu").build(x, m).vjp(lam)
    assert np.array_equal(found.positions, again.positions) and np.array_equal(found.masses, again.masses)


def ewald_gradient(x, m, lam, mu):
    """Returns dL/dx and dL/dm in a unit box by Ewald's (1921) sums over images and modes."""
    alpha, n = 2.6, len(x)
    r = x[:, None] - x[None]  # target - source
    ones = np.stack(np.meshgrid(*3 * [np.arange(-3, 4)], indexing="ij"), -1).reshape(-1, 3)
    waves = np.stack(np.meshgrid(*3 * [np.arange(-6, 7)], indexing="ij"), -1).reshape(-1, 3)
    phi, slope, tide = np.full((n, n), np.pi / alpha**2), np.zeros((n, n, 3)), np.zeros((n, n, 3, 3))  # potential by m = 1, with derivatives by r
    erfc = np.vectorize(math.erfc)
    for image in ones:
        d = r - np.rint(r) - image
        size = np.sqrt((d**2).sum(-1))
        own = size == 0
        size[own] = 1
        c, e = erfc(alpha * size), 2 * alpha / np.sqrt(np.pi) * np.exp(-((alpha * size) ** 2))
        p, f = c / size, c / size**3 + e / size**2
        b = 3 * f / size**2 + 2 * alpha**2 * e / size**2
        p[own], f[own], b[own] = -2 * alpha / np.sqrt(np.pi), 0, 0
        phi -= p
        slope += f[..., None] * d
        tide += f[..., None, None] * np.eye(3) - b[..., None, None] * d[..., :, None] * d[..., None, :]
    for h in waves[(waves**2).sum(-1) > 0]:
        weight, k = np.exp(-(np.pi**2) * (h @ h) / alpha**2) / (np.pi * (h @ h)), 2 * np.pi * h
        phi -= weight * np.cos(r @ k)
        slope += weight * np.sin(r @ k)[..., None] * k
        tide += weight * np.cos(r @ k)[..., None, None] * np.outer(k, k)
    along = (tide * lam[:, None, None]).sum(-1)  # L = sum of m_j (mu_i phi_ij - lambda_i . slope_ij)
    pulls = m[None, :, None] * (mu[:, None, None] * slope - along)
    return pulls.sum(1) - pulls.sum(0), (mu[:, None] * phi - (lam[:, None] * slope).sum(-1)).sum(0)


def test_vjp_in_a_box_has_the_gradient_of_ewald_sums():
    x, m, lam, mu = X[:30] % 1, M[:30], LAMBDA[:30], MU[:30]
    gx, gm = ewald_gradient(x, m, lam, mu)
    found = chamomile.Solver(solver="direct", box=1.0).build(x, m).vjp(lam, mu)
    assert error(found.positions, gx) < 1e-9 and error(found.masses, gm) < 1e-9
    for options in ({}, {"long_range": "modes"}):
        by_tree = chamomile.Solver(box=1.0, tolerance=1e-5, device="cpu", **options).build(x, m).vjp(lam, mu)
        assert error(by_tree.positions, gx) < 1e-2 and error(by_tree.masses, gm) < 1e-2, options


def test_vjp_refuses_what_it_cannot():
    solver = chamomile.Solver(softening=0.1)
    raises(chamomile.StateError, lambda: solver.vjp(LAMBDA), "build()")
    solver.build(X, M)
    raises(chamomile.UsageError, lambda: solver.vjp(), "acceleration and potential: missing")
    raises(chamomile.InputError, lambda: solver.vjp(LAMBDA[1:]), "acceleration")
    raises(chamomile.InputError, lambda: solver.vjp(np.full((N, 3), np.nan)), "acceleration: row 0")
    raises(chamomile.InputError, lambda: solver.vjp(LAMBDA, out=(LAMBDA, np.empty(N))), "shares memory")
    raises(chamomile.InputError, lambda: solver.vjp(LAMBDA, out=(np.empty((N, 2)), np.empty(N))), "positions: shape (60, 2): must be (60, 3)")
    raises(chamomile.UsageError, lambda: solver.vjp(LAMBDA, out=(np.empty((N, 3)),)), "out: 1 arrays: must be 2")
    raises(TypeError, lambda: solver.vjp(LAMBDA.astype(int)), "acceleration: int64: must be float32 or float64")
    raises(TypeError, lambda: solver.vjp(potential=MU.tolist()), "potential: list: must be an array")


def test_modules_are_optional():
    code = "import chamomile, sys; sys.exit('torch' in sys.modules or 'jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    for name, text in (("torch", "pip install torch"), ("jax", "pip install jax")):
        code = f"import sys; sys.modules['{name}'] = None; import chamomile.{name}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode and text in done.stderr.splitlines()[-1], done.stderr


def test_jax_has_operators_of_this_build_and_version():
    jax_or_skip()
    for change, text in (("del c.xla_targets", "CHAMOMILE_JAX=1"), ("c.xla_minor = 10**6", "interface 0.1000000: JAX")):
        code = f"import chamomile._chamomile as c; {change}; import chamomile.jax"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode and text in done.stderr.splitlines()[-1], done.stderr


def test_torch_passes_gradcheck_and_opcheck():
    torch, gravity = torch_or_skip()
    x, m = torch.from_numpy(X[:12].copy()).requires_grad_(), torch.from_numpy(M[:12].copy()).requires_grad_()
    for function in (gravity.acceleration, gravity.potential):
        assert torch.autograd.gradcheck(lambda x, m: function(x, m, **DIRECT), (x, m), eps=1e-5, atol=1e-7)
    in_box = {"box": 4.0, "precision": "double", "tolerance": 1e-9, "device": "cpu"}
    heavy = (m.detach() + 0.1).requires_grad_()  # trees refuse masses below 0
    assert torch.autograd.gradcheck(lambda x, m: gravity.acceleration(x, m, **in_box), (x, heavy), eps=1e-6, atol=1e-5)
    from torch import library as operators

    with torch.no_grad():
        operators.opcheck(torch.ops.chamomile.sums.default, (x.detach(), m.detach(), None, "solver='direct'", True, True))
    (g,) = torch.autograd.grad(gravity.acceleration(x, m, **DIRECT).square().sum(), x, create_graph=True)
    raises(NotImplementedError, lambda: g.sum().backward(), "second derivatives")


def test_torch_compiled_batched_and_in_float():
    torch, gravity = torch_or_skip()
    x, m = torch.from_numpy(X.copy()).requires_grad_(), torch.from_numpy(M.copy()).requires_grad_()

    def loss(x, m):
        a = gravity.acceleration(x, m, **DIRECT)
        return (a * torch.from_numpy(LAMBDA)).sum() + (gravity.potential(x, m, **DIRECT) * torch.from_numpy(MU)).sum()

    exact = plain(X, M, LAMBDA, MU, 0.1)
    eager = torch.autograd.grad(loss(x, m), (x, m))
    assert error(eager[0], exact[0]) < 1e-12 and error(eager[1], exact[1]) < 1e-12
    compiled = torch.autograd.grad(torch.compile(loss, backend="aot_eager", fullgraph=True)(x, m), (x, m))
    assert all(torch.equal(a, b) for a, b in zip(eager, compiled))
    systems, masses = torch.from_numpy(R.normal(size=(2, 5, 7, 3))), torch.full((2, 5, 7), 0.1, dtype=torch.float64)
    together = gravity.acceleration(systems, masses, **DIRECT)
    mapped = torch.func.vmap(torch.func.vmap(lambda x: gravity.acceleration(x, 0.1, **DIRECT)))(systems)
    assert together.shape == systems.shape and torch.equal(together, mapped)
    of_each = torch.func.vmap(torch.func.vmap(torch.func.grad(lambda x: gravity.acceleration(x, 0.1, **DIRECT).square().sum())))(systems)
    one = systems[1, 2].clone().requires_grad_()
    gravity.acceleration(one, 0.1, **DIRECT).square().sum().backward()
    assert torch.equal(of_each[1, 2], one.grad)
    small = x.detach().float().requires_grad_()
    gravity.potential(small, 1 / N, softenings=0.1).sum().backward()
    assert small.grad.dtype == torch.float32
    assert gravity.acceleration(torch.empty(0, 3), 1.0).shape == (0, 3)


def test_torch_refuses_wrong_arguments():
    torch, gravity = torch_or_skip()
    x, m = torch.from_numpy(X), torch.from_numpy(M)
    raises(TypeError, lambda: gravity.acceleration(X, m), "positions: ndarray: must be a tensor")
    raises(TypeError, lambda: gravity.acceleration(x.long(), m), "positions: torch.int64")
    raises(TypeError, lambda: gravity.acceleration(x, m.float()), "masses: torch.float32: must be torch.float64")
    raises(chamomile.InputError, lambda: gravity.acceleration(x[:, :2], m), "positions: shape (60, 2)")
    raises(chamomile.InputError, lambda: gravity.acceleration(x, m[1:]), "masses: shape (59,): must be (60,)")
    raises(chamomile.UsageError, lambda: gravity.acceleration(x, m, softenings=m.clone().requires_grad_()), "softenings: requires_grad")
    raises(chamomile.UsageError, lambda: gravity.simulate(x, x, m, step=0.1, steps=-2, softening=0.1), "steps: -2: must be 0 or more")
    raises(TypeError, lambda: gravity.simulate(x, x, m, step=0.1, steps=2.5, softening=0.1), "steps: 2.5: must be a whole number")


def test_plain_functions_refuse_tensors_with_requires_grad():
    torch, _ = torch_or_skip()
    x, m = torch.from_numpy(X), torch.from_numpy(M)
    of_x, of_m = x.clone().requires_grad_(), m.clone().requires_grad_()
    solver = chamomile.Solver(softening=0.1).build(x, m)
    calls = {
        "positions": [lambda f=function: f(of_x, m) for function in (chamomile.acceleration, chamomile.potential, solver.build, chamomile.make_snapshot)],
        "masses": [lambda: chamomile.tidal_tensor(x, of_m), lambda: solver.build(x, of_m)],
        "softenings": [lambda: chamomile.acceleration(x, m, softenings=of_m)],
        "targets": [lambda: solver.evaluate(of_x)],
        "active": [lambda: solver.evaluate(active=of_m)],
        "acceleration": [lambda: solver.vjp(of_x), lambda: solver.evaluate(out={"acceleration": of_x})],
        "potential": [lambda: solver.vjp(potential=of_m)],
    }
    for name, refused in calls.items():
        for call in refused:
            raises(TypeError, call, f"{name}: Tensor with requires_grad: no gradient passes through: use chamomile.torch")


def test_torch_runs_reverse_exactly_and_have_gradients():
    torch, gravity = torch_or_skip()
    from chamomile._adjoint import Run, text_of

    options = {**DIRECT, "softening": 0.2}
    run = Run(text_of({"softening": 0.2}), M, None, 0.01)
    v = 0.2 * R.normal(size=(N, 3))
    run.start(X, v)
    begin = run.positions.copy(), run.velocities.copy()
    run.forward(30)
    assert error(run.positions, begin[0]) > 1e-3
    run.backward(30, LAMBDA, LAMBDA)
    assert np.array_equal(run.positions, begin[0]) and np.array_equal(run.velocities, begin[1])

    x, v, m = (torch.from_numpy(array[:10].copy()).requires_grad_() for array in (X, v, M))

    def steps(x, v, m):
        a = gravity.acceleration(x, m, **options)
        for _ in range(5):
            v = v + 0.05 * a
            x = x + 0.1 * v
            a = gravity.acceleration(x, m, **options)
            v = v + 0.05 * a
        return x, v

    def loss(function):
        end = function(x, v, m)
        return (end[0] ** 2).sum() + (end[1] ** 3).sum()

    by_steps = torch.autograd.grad(loss(steps), (x, v, m))
    by_run = torch.autograd.grad(loss(lambda *given: gravity.simulate(*given, step=0.1, steps=5, **options)), (x, v, m))
    for a, b in zip(by_steps, by_run):
        assert error(b, a.numpy()) < 1e-10


def test_jax_under_jit_grad_and_vmap():
    jax, gravity = jax_or_skip()
    gx, gm = plain(X, M, LAMBDA, MU, 0.1)

    def loss(x, m):
        return (gravity.acceleration(x, m, **DIRECT) * LAMBDA).sum() + (gravity.potential(x, m, **DIRECT) * MU).sum()

    eager, jitted = jax.grad(loss, argnums=(0, 1))(X, M), jax.jit(jax.grad(loss, argnums=(0, 1)))(X, M)
    for found in (eager, jitted):
        assert error(found[0], gx) < 1e-12 and error(found[1], gm) < 1e-12
    assert np.array_equal(eager[0], jitted[0])
    with on_processor(jax):
        in_box = jax.grad(lambda x: (gravity.acceleration(x, M, box=5.0, softening=0.02) * LAMBDA).sum())(X)
    assert np.array_equal(in_box, chamomile.Solver(box=5.0, softening=0.02, device="cpu").build(X, M).vjp(LAMBDA).positions)
    systems = R.normal(size=(3, 7, 3))
    mapped = jax.jit(jax.vmap(jax.grad(lambda x: (gravity.acceleration(x, 0.1, **DIRECT) ** 2).sum())))(systems)
    one = jax.grad(lambda x: (gravity.acceleration(x, 0.1, softenings=0.1, solver="direct", precision="double") ** 2).sum())(systems[1])
    assert error(mapped[1], np.asarray(one)) < 1e-12
    assert np.array_equal(gravity.acceleration(systems, 0.1, **DIRECT)[2], gravity.acceleration(systems[2], 0.1, **DIRECT))
    raises(chamomile.InputError, lambda: gravity.acceleration(X, M[1:]), "masses: shape (59,)")
    raises(TypeError, lambda: gravity.acceleration(np.ones((4, 3), int), 1.0), "positions: int64")
    raises(TypeError, lambda: gravity.acceleration(X, SimpleNamespace(unit="kg", shape=(N,), ndim=1)), "masses: ")
    raises(chamomile.UsageError, lambda: gravity.acceleration(X, M, softning=0.1), "did you mean 'softening'?")
    raises(chamomile.UsageError, lambda: gravity.acceleration(X, M, softening_rule="root-of-squares"), "needs several softening lengths")
    twice = jax.grad(lambda x: jax.grad(loss)(x, M)[0, 0])
    raises(NotImplementedError, lambda: twice(X), "second derivatives")
    raises(NotImplementedError, lambda: jax.jit(twice)(X), "second derivatives")
    kinds = ValueError, jax.errors.JaxRuntimeError
    raises(kinds, lambda: gravity.acceleration(np.where(X == X[3], np.nan, X), M, **DIRECT).block_until_ready(), "particle 3: position")


def test_jax_agrees_with_the_solver_and_by_trees_of_earlier_calls():
    jax, gravity = jax_or_skip()
    x, m, options = R.normal(size=(3000, 3)), np.full(3000, 1 / 3000), {"softening": 0.1, "device": "cpu"}
    solver = chamomile.Solver(**options).build(x, m)
    field = solver.evaluate(quantities=("acceleration", "potential"))
    with on_processor(jax):
        for name in ("acceleration", "potential"):
            value, pull_back = jax.vjp(jax.jit(lambda x, m: getattr(gravity, name)(x, m, **options)), x, m)
            assert np.array_equal(value, getattr(field, name))
            for k in range(2):
                found, exact = pull_back((k + 1.0) * value), solver.vjp(**{name: (k + 1.0) * np.asarray(value)})
                assert np.array_equal(found[0], exact.positions) and np.array_equal(found[1], exact.masses)
                for eps in (0.2, 0.3, 0.4, 0.5):  # their trees replace this one
                    gravity.acceleration(x, m, softening=eps).block_until_ready()
    small, a = X[:9], gravity.acceleration(X[:9], M[:9], **DIRECT)
    rows = jax.jacrev(lambda x: gravity.acceleration(x, M[:9], **DIRECT))(small)  # one tree, many derivatives
    whole = jax.grad(lambda x: (gravity.acceleration(x, M[:9], **DIRECT) ** 2).sum())(small)
    assert error(np.einsum("ia,iajb->jb", 2 * a, rows), np.asarray(whole)) < 1e-13
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda k: gravity.acceleration(X, (k % 3 + 1) * M, **DIRECT), range(24)))
    assert all(np.array_equal(a, found[k % 3]) for k, a in enumerate(found))


def test_jax_without_64_bits():
    jax, gravity = jax_or_skip()
    if not hasattr(jax, "enable_x64"):
        raise unittest.SkipTest("an old JAX")
    with jax.enable_x64(False):
        x, v = jax.numpy.asarray(X[:10]), jax.numpy.asarray(0.2 * LAMBDA[:10])
        given = jax.jit(jax.grad(lambda x: (gravity.acceleration(x, M[:10], **DIRECT) ** 2).sum()))(x)
        of_run = jax.jit(jax.grad(lambda x: (gravity.simulate(x, v, M[:10], step=0.1, steps=4, **DIRECT)[0] ** 2).sum()))(x)
        assert x.dtype == given.dtype == of_run.dtype == np.float32
    exact = jax.grad(lambda x: (gravity.acceleration(x, M[:10], **DIRECT) ** 2).sum())(X[:10])
    of_exact = jax.grad(lambda x: (gravity.simulate(x, 0.2 * LAMBDA[:10], M[:10], step=0.1, steps=4, **DIRECT)[0] ** 2).sum())(X[:10])
    assert error(given, np.asarray(exact)) < 1e-5 and error(of_run, np.asarray(of_exact)) < 1e-5


def test_jax_on_a_gpu_waits_for_its_stream():
    jax, gravity = jax_or_skip()
    try:
        gpu = jax.devices("cuda")[0]
    except RuntimeError as missing:
        raise unittest.SkipTest(str(missing))
    if not chamomile.devices():
        raise unittest.SkipTest(chamomile.why_no_gpu())
    options, lag, kinds = {"softening": 0.1}, np.full((6000, 6000), 1 / 6000), (ValueError, jax.errors.JaxRuntimeError)
    places = [k * R.normal(size=(20_000, 3)) for k in (1, 2, 3)]
    with jax.default_device(gpu):
        m, lag = jax.numpy.full(20_000, 5e-5), jax.device_put(lag, gpu)

        def late(x, lag):
            """The positions, plus 0 that takes the GPU some 0.1 s to find out."""
            return x + (jax.lax.fori_loop(0, 10, lambda k, a: a @ lag, lag)[0, 0] - 1 / 6000) ** 2

        def loss(x):
            return (gravity.acceleration(x, m, **options) ** 2).sum() + gravity.potential(x, m, **options).sum()

        late_field, late_gradient = (jax.jit(lambda x, y, f=f: f(late(x, y))) for f in (lambda x: gravity.acceleration(x, m, **options), jax.grad(loss)))
        for x in places:  # memory that holds the last ones is wrong
            solver = chamomile.Solver(**options, device="gpu").build(x, np.asarray(m))
            a = solver.evaluate().acceleration
            x = jax.device_put(x, gpu)
            found = late_field(x, lag)
            assert found.devices() == {gpu} and np.array_equal(found, a) and np.array_equal(gravity.acceleration(x, m, **options), a)
            assert error(late_gradient(x, lag), solver.vjp(2 * a, np.ones(20_000)).positions) < 1e-5
        assert error(gravity.acceleration(x, m, softenings=jax.numpy.full(20_000, 0.1), **options), a) < 1e-2
        raises(kinds, lambda: gravity.acceleration(x, m, softening=0.1, device="cpu").block_until_ready(), "arrays: on gpu:0")
        end = gravity.simulate(x, 0 * x, m, step=0.01, steps=3, **options)[0]
        assert end.devices() == {gpu} and np.isfinite(np.asarray(end)).all()


def test_jax_runs_have_gradients():
    jax, gravity = jax_or_skip()
    options = {**DIRECT, "softening": 0.2}
    x, v, m = X[:10], 0.2 * LAMBDA[:10], M[:10]

    def of_run(x, v, m):
        end = gravity.simulate(x, v, m, step=0.1, steps=4, **options)
        return (end[0] ** 2).sum() + (end[1] ** 3).sum()

    found = jax.jit(jax.grad(of_run, argnums=(0, 1, 2)))(x, v, m)
    for k, values in enumerate((x, v, m)):
        for at in ((3, 1), (6, 2)) if values.ndim > 1 else ((3,), (5,)):
            h = np.zeros_like(values)
            h[at] = 1e-5
            given = [[x, v, m], [x, v, m]]
            given[0][k], given[1][k] = values + h, values - h
            assert abs((of_run(*given[0]) - of_run(*given[1])) / 2e-5 - found[k][at]) < 1e-7 * np.abs(found[k]).max()


def test_jax_runs_reverse_exactly():
    jax, gravity = jax_or_skip()
    options, v = chamomile._chamomile.xla_options({"softening": 0.2, "device": "cpu"}, False), 0.2 * R.normal(size=(N, 3))
    with on_processor(jax):
        (end, _), (words, fits, *sources) = gravity._simulated(options, 0.01, 30, X, v, M, np.empty(0))
        x, v_end, *units = (jax.lax.bitcast_convert_type(word, kind) for word, kind in zip(words, (np.int64, np.int64, float, float)))
        run = gravity._Run(options, 0.01, *sources, units)
        (back, v_back, _), _ = run.backward((x, v_end, fits), 30, (0 * X, 0 * X, 0 * M))
    assert error(end, X) > 1e-3
    assert np.array_equal(back, np.rint(X / units[0])) and np.array_equal(v_back, np.rint(v / units[1]))
    far = gravity.simulate(np.stack([X, X]), np.stack([v, 1e6 * v]), M[None] + np.zeros((2, 1)), step=0.1, steps=2, **DIRECT)[0]
    assert np.isfinite(far[0]).all() and np.isnan(far[1]).all()
