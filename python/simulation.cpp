// The time loop, with observers in Python.
#include "chamomile/integrate/simulation.hpp"

#include <nanobind/stl/string.h>

#include "chamomile/core/error.hpp"
#include "chamomile/io/snapshot.hpp"
#include "python/bindings.hpp"
#include "python/faults.hpp"
#include "python/options.hpp"

namespace chamomile::python {
namespace {

/// What the snapshot states and no keyword gives: G, softening and box. The snapshot is in the box
/// that is used then.
void take_from(Snapshot& snapshot, KeyedScheme& keyed)
{
    SolverOptions& options = keyed.options;
    if (snapshot.comoving)
        throw Error(Fault::usage,
                    "snapshot: scale_factor: " + number_text(snapshot.comoving->scale_factor) +
                        ": a Simulation takes no comoving coordinates; chamomile run "
                        "does");
    if (!keyed.given.contains("G"))
        options.gravitational_constant = snapshot.G();
    if (snapshot.softening && !keyed.given.contains("eps"))
        options.softening.length = snapshot.softening->length;
    if (snapshot.softening && !keyed.given.contains("softening"))
        options.softening.kind = snapshot.softening->kind;
    if (!keyed.given.contains("box"))
        options.periodic.box = snapshot.box_size;
    else if (options.periodic && snapshot.box_size > 0 && options.periodic.box != snapshot.box_size)
        throw Error(Fault::usage, "box: " + number_text(options.periodic.box) +
                                      ": contradicts the box of " + number_text(snapshot.box_size) +
                                      " in the snapshot; box 0 leaves boundaries open");
}

/// A simulation of a snapshot's particles, in place. Observers are numbers, which run() hands to
/// the function that it was given.
class Evolution {
public:
    Evolution(nb::object snapshot, nb::dict keywords, double end_time)
        : snapshot_(std::move(snapshot)), state_(nb::cast<Snapshot&>(snapshot_))
    {
        require_own_threads();
        KeyedScheme keyed = read_scheme(keywords);
        take_from(state_, keyed);
        keyed.settle();
        made_ = make_integrator(keyed.options, keyed.scheme);
        simulation_ = std::make_unique<Simulation>(state_.particles, *made_.integrator, state_.time,
                                                   end_time);
        state_.box_size = keyed.options.periodic.box;
    }

    void at_intervals(double interval, bool potentials, int observer)
    {
        require_not_started();
        simulation_->at_intervals(interval, quantities(potentials), notifier(observer));
    }

    void every_steps(std::int64_t n, bool potentials, int observer)
    {
        require_not_started();
        if (n < 1)
            throw Error(Fault::usage, "steps: " + std::to_string(n) + ": must be 1 or more");
        simulation_->every_steps(std::uint64_t(n), quantities(potentials), notifier(observer));
    }

    void run(nb::callable notify)
    {
        Turn turn(flag_, "Simulation");
        require_not_started();
        started_ = true;
        notify_ = notify;
        runner_ = std::this_thread::get_id();
        simulation_->after_each_step([](Simulation&) {
            nb::gil_scoped_acquire held;
            if (PyErr_CheckSignals() != 0)
                throw nb::python_error(); // Ctrl-C
        });
        struct End { // of the run, however it ends
            Evolution& self;
            ~End()
            {
                self.runner_ = std::thread::id();
                self.notify_.reset();
                self.state_.time = self.simulation_->time();
            }
        } end{*this};
        nb::gil_scoped_release released;
        simulation_->run();
    }

    nb::dict diagnostics()
    {
        // An observer is within run() and may ask.
        if (runner_.load() == std::this_thread::get_id())
            return measured();
        Turn turn(flag_, "Simulation");
        return measured();
    }

    void stop() { simulation_->stop(); }
    double time() const { return simulation_->time(); }
    std::uint64_t step() const { return simulation_->step(); }
    double step_length() const { return simulation_->step_length(); }
    double end_time() const { return simulation_->end_time(); }
    std::string device() const { return simulation_->integrator().device(); }
    nb::dict options() const { return describe_options(simulation_->integrator().forces()); }
    nb::object snapshot() const { return snapshot_; }

private:
    static Quantities quantities(bool potentials)
    {
        return potentials ? Quantities::acceleration_potential : Quantities::acceleration;
    }

    void require_not_started() const
    {
        if (started_)
            throw StateError("Simulation: has run already: make another from its snapshot");
    }

    Simulation::Observer notifier(int observer)
    {
        return [this, observer](Simulation& now) {
            nb::gil_scoped_acquire held;
            state_.time = now.time();
            notify_(observer);
        };
    }

    nb::dict measured()
    {
        Diagnostics d;
        {
            nb::gil_scoped_release released;
            d = simulation_->diagnostics();
        }
        const auto vector = [](const Vec3<double>& v) { return nb::make_tuple(v.x, v.y, v.z); };
        nb::dict result;
        result["mass"] = d.mass;
        result["kinetic"] = d.kinetic;
        result["potential"] = d.potential;
        result["virial_ratio"] = d.virial_ratio();
        result["momentum"] = vector(d.momentum);
        result["angular_momentum"] = vector(d.angular_momentum);
        result["center_of_mass"] = vector(d.center_of_mass);
        nb::dict radii;
        for (std::size_t k = 0; k < lagrangian_fractions.size(); ++k)
            radii[nb::cast(lagrangian_fractions[k])] = d.lagrangian_radii[k];
        result["lagrangian_radii"] = radii;
        return result;
    }

    nb::object snapshot_;
    Snapshot& state_;
    Integration made_;
    std::unique_ptr<Simulation> simulation_;
    nb::object notify_;
    Turn::Flag flag_;
    std::atomic<std::thread::id> runner_{};
    bool started_ = false;
};

} // namespace

void bind_simulation(nb::module_& m)
{
    nb::class_<Evolution>(m, "Evolution", "The time loop behind chamomile.Simulation.")
        .def(
            "__init__",
            [](Evolution* self, nb::handle_t<Snapshot> snapshot, nb::dict options,
               double end_time) { new (self) Evolution(nb::borrow(snapshot), options, end_time); },
            nb::arg("snapshot"), nb::arg("options"), nb::arg("end_time"))
        .def("at_intervals", &Evolution::at_intervals, nb::arg("interval"), nb::arg("potentials"),
             nb::arg("observer"))
        .def("every_steps", &Evolution::every_steps, nb::arg("n"), nb::arg("potentials"),
             nb::arg("observer"))
        .def("run", &Evolution::run, nb::arg("notify"))
        .def("diagnostics", &Evolution::diagnostics, nb::sig("def diagnostics(self) -> dict"))
        .def("stop", &Evolution::stop)
        .def_prop_ro("time", &Evolution::time)
        .def_prop_ro("step", &Evolution::step)
        .def_prop_ro("step_length", &Evolution::step_length)
        .def_prop_ro("end_time", &Evolution::end_time)
        .def_prop_ro("device", &Evolution::device)
        .def_prop_ro("options", &Evolution::options,
                     nb::sig("def options(self) -> dict[str, object]"))
        .def_prop_ro("snapshot", &Evolution::snapshot, nb::sig("def snapshot(self) -> Snapshot"));
}

} // namespace chamomile::python
