"""REBOUND's gravity by chamomile, from Python (docs/howto/rebound.md).

    gravity = chamomile_rebound.attach(sim, solver="direct", precision="double")
    sim.integrate(10)
    gravity.detach()

REBOUND 5 calls it through gravity_custom, older versions through additional_forces with gravity "none". Supported: G,
softening, N_active, testparticle_type and the size of a particle in memory. Refused: ghost boxes, periodic and shearing
boundaries, variational particles, ignored terms (set by WHFast and SABA; the C hook chamomile_rebound.c supports them),
and integrators with built-in gravity: MERCURIUS, TRACE, EOS and WHFast512.

A simulation copied or loaded from a file has no gravity until attach() or `sim.gravity = "basic"`. With this module
imported, integrate() and steps() report this; REBOUND alone would crash.
"""
import ctypes
import functools
import os
import weakref

import rebound

_CUSTOM, _BASIC = 7, 1  # of reb_simulation.gravity
_HAS_CUSTOM = hasattr(rebound.Simulation, "_gravity_custom")
_attached = weakref.WeakValueDictionary()  # by the simulation's address


class _View(ctypes.Structure):
    _fields_ = [("component", ctypes.c_void_p * 6), ("stride", ctypes.c_int64), ("type", ctypes.c_int32),
                ("place", ctypes.c_int32)]


class _Targets(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int64), ("position", _View), ("velocity", _View), ("own", ctypes.c_void_p),
                ("softening", _View)]


class _Results(ctypes.Structure):
    _fields_ = [(name, _View) for name in ("acceleration", "potential", "tidal", "jerk")]


def _library(path):
    """libchamomile_c.so: `path`, $CHAMOMILE_LIBRARY, or where the loader finds it."""
    path = str(path or os.environ.get("CHAMOMILE_LIBRARY", "libchamomile_c.so.0"))
    try:
        c = ctypes.CDLL(path)
    except OSError as error:
        raise OSError(f"chamomile: {error}: CHAMOMILE_LIBRARY or library= must be the path of libchamomile_c.so") from None
    pointer, size, real = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double
    c.chm_last_error.restype = c.chm_device.restype = ctypes.c_char_p
    c.chm_last_error.argtypes = c.chm_device.argtypes = c.chm_destroy.argtypes = c.chm_build.argtypes = [pointer]
    c.chm_set_option.argtypes = [pointer, ctypes.c_char_p, ctypes.c_char_p]
    c.chm_view_aos.restype = c.chm_view_numbers.restype = c.chm_vectors.restype = _View
    c.chm_view_aos.argtypes = c.chm_view_numbers.argtypes = [pointer, ctypes.c_int64, ctypes.c_int32, ctypes.c_int32]
    c.chm_vectors.argtypes = [pointer]
    c.chm_set_sources.argtypes = [pointer, ctypes.c_int64, _View, _View, _View]
    c.chm_eval.argtypes = [pointer, ctypes.POINTER(_Targets), ctypes.POINTER(_Results)]
    c.chm_accel_strided.argtypes = [pointer, size, size, size, pointer, pointer, pointer, pointer, real, real]
    return c


class Gravity:
    """The gravity of a simulation, returned by attach()."""

    _sim = _context = None

    def __init__(self, sim, options, library):
        self._c, self._context = _library(library), ctypes.c_void_p()
        self._check(self._c.chm_create(ctypes.byref(self._context)))
        for key, value in options.items():
            self._check(self._c.chm_set_option(self._context, key.encode(), str(value).encode()))
        if line := _objection(sim):
            raise ValueError(line)
        address = ctypes.addressof(sim)
        if earlier := _attached.get(address):
            earlier.detach()
        self._sim = sim
        self._before = _BASIC if _is_lost(sim) else sim._gravity
        self.calls = 0
        if _HAS_CUSTOM:
            self._hook = type(sim._gravity_custom)(self._step)
            self._hook_before = _copied(sim._gravity_custom)
            sim._gravity_custom, sim._gravity = self._hook, _CUSTOM
        else:
            self._hook = type(sim._additional_forces)(self._step)
            self._hook_before = _copied(sim._additional_forces)
            sim._additional_forces, sim._gravity = self._hook, 0
            sim._has_lost_gravity = False
        _attached[address] = self

    @property
    def device(self):
        """The device in use, such as "CPU, avx512, 2 threads"; empty before the first step."""
        return self._c.chm_device(self._context).decode()

    def detach(self):
        """Restores REBOUND's own gravity as it was before."""
        if self._sim is not None:
            self._sim._gravity = self._before
            if _HAS_CUSTOM:
                self._sim._gravity_custom = self._hook_before
            else:
                self._sim._additional_forces = self._hook_before
            _attached.pop(ctypes.addressof(self._sim), None)
            self._sim = None

    def __del__(self):
        if self._context:
            self._c.chm_destroy(self._context)

    def _check(self, status):
        if status:
            raise ValueError(self._c.chm_last_error(self._context).decode())

    def _step(self, pointer):
        sim = pointer.contents
        try:
            self._evaluate(sim)
        except Exception as error:  # like REBOUND's own errors: integrate() raises it
            particles = ctypes.cast(sim._particles, ctypes.POINTER(rebound.Particle))
            for i in range(sim.N):
                particles[i].ax = particles[i].ay = particles[i].az = float("nan")
            rebound.clibrebound.reb_simulation_error(pointer, ctypes.c_char_p(f"chamomile: {error}".encode()))
            rebound.clibrebound.reb_simulation_stop(pointer)
            return
        more = sim._additional_forces if _HAS_CUSTOM else self._hook_before
        if more:
            more(pointer)

    def _evaluate(self, sim):
        if line := _objection(sim):
            raise ValueError(line)
        self.calls += 1
        n, active = sim.N, sim.N_active
        if n == 0:
            return
        active = n if active < 0 or active > n else active
        self._check(self._c.chm_accel_strided(self._context, n, active, _stride, *_members(sim, 0, "x", "m", "ax"), None,
                                              sim.G, sim.softening))
        if sim.testparticle_type and 0 < active < n:
            self._react(sim, active, n)

    def _react(self, sim, active, n):
        """Adds to the active particles the accelerations due to the remaining particles."""
        c, added = self._c, (ctypes.c_double * (3 * active))()
        places, masses = _members(sim, active, "x", "m")
        self._check(c.chm_set_sources(self._context, n - active, c.chm_view_aos(places, _stride, 0, 0),
                                      c.chm_view_numbers(masses, _stride, 0, 0), _View()))
        self._check(c.chm_build(self._context))
        targets = _Targets(active, c.chm_view_aos(*_members(sim, 0, "x"), _stride, 0, 0))
        results = _Results(c.chm_vectors(ctypes.addressof(added)))
        self._check(c.chm_eval(self._context, ctypes.byref(targets), ctypes.byref(results)))
        particles = ctypes.cast(sim._particles, ctypes.POINTER(rebound.Particle))
        for i in range(active):
            particles[i].ax += added[3 * i]
            particles[i].ay += added[3 * i + 1]
            particles[i].az += added[3 * i + 2]


_stride = ctypes.sizeof(rebound.Particle)


def _copied(hook):
    """Returns a copy: reading a member gives a reference into the simulation, not a value."""
    address = ctypes.cast(hook, ctypes.c_void_p).value
    return type(hook)(address) if address else type(hook)()


def _members(sim, i, *names):
    """Returns the addresses of members of particle i."""
    first = ctypes.cast(sim._particles, ctypes.c_void_p).value + i * _stride
    return [first + getattr(rebound.Particle, name).offset for name in names]


def _objection(sim):
    """Returns why this simulation is not supported, or None."""
    if sim.N_ghost_x or sim.N_ghost_y or sim.N_ghost_z:
        return "ghost boxes: N_ghost_x, N_ghost_y and N_ghost_z must be 0"
    if sim.boundary not in ("none", "open"):
        return "boundary: must be none or open"
    if sim.N_var:
        return "variational particles: need gravity of REBOUND"
    if getattr(sim, "gravity_ignore", None) or getattr(sim, "gravity_ignore_terms", None):
        return "gravity_ignore_terms: set by this integrator: needs the hook in C"
    if str(sim.integrator).lower() in ("mercurius", "trace", "eos", "whfast512"):  # a name, or an object with one
        return f"integrator: {str(sim.integrator).upper()}: must not be an integrator that computes gravity"
    return None


def _is_lost(sim):
    """Returns whether the gravity was a function. Copies and files do not keep functions."""
    if _HAS_CUSTOM:
        return sim._gravity == _CUSTOM and not sim._gravity_custom
    return getattr(sim, "_has_lost_gravity", False) and sim._gravity == 0


def _looked_after(call):
    @functools.wraps(call)
    def looked_after(sim, *words, **named):
        if _is_lost(sim):
            raise RuntimeError("chamomile: gravity: missing after copying or loading: call attach() again, or set sim.gravity")
        ours = sim._gravity if ctypes.addressof(sim) in _attached else None
        if ours is not None and (line := _objection(sim)):
            raise RuntimeError(f"chamomile: {line}")
        result = call(sim, *words, **named)
        if ours not in (None, sim._gravity):
            raise RuntimeError(f"chamomile: integrator: {sim.integrator} replaced the gravity of chamomile: use another integrator")
        return result
    return looked_after


def _copying(call):
    @functools.wraps(call)
    def copying(sim):
        copy = call(sim)
        if not _HAS_CUSTOM:
            copy._has_lost_gravity = ctypes.addressof(sim) in _attached or _is_lost(sim)
        return copy
    return copying


if not hasattr(rebound.Simulation.integrate, "__wrapped__"):
    for _name in {"integrate", "step", "steps"} & set(vars(rebound.Simulation)):
        setattr(rebound.Simulation, _name, _looked_after(getattr(rebound.Simulation, _name)))
    rebound.Simulation.copy = _copying(rebound.Simulation.copy)


def attach(sim, library=None, **options):
    """Replaces the gravity of `sim` by chamomile. Options are those of chm_set_option(): solver="direct",
    precision="double", tolerance=1e-4, device="cpu", threads=4, ... `library`: the path of libchamomile_c.so.
    Raises ValueError with one line if not possible. A copied or loaded simulation must be attached again."""
    return Gravity(sim, options, library)
