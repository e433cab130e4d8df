// The time loop, with observers in Python.
#include "chamomile/integrate/simulation.hpp"

#include <nanobind/stl/string.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/method_text.hpp"
#include "chamomile/run/particle_notes.hpp"
#include "chamomile/run/run_job.hpp"
#include "chamomile/run/scheme_text.hpp"
#include "python/bindings.hpp"
#include "python/faults.hpp"
#include "python/options.hpp"

namespace chamomile::python {
namespace {

/// Takes G, softening and box from the snapshot where no keyword gives them. Throws Error(usage)
/// for comoving coordinates and for a box that contradicts the snapshot's.
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
        options.box = snapshot.box_size;
    else if (options.is_periodic() && snapshot.box_size > 0 && options.box != snapshot.box_size)
        throw Error(Fault::usage, "box: " + number_text(options.box) + ": contradicts the box of " +
                                      number_text(snapshot.box_size) +
                                      " in the snapshot; box 0 leaves boundaries open");
}

/// An Evolution simulates a snapshot's particles in place. Observers are numbers, which run()
/// passes to the function that it was given.
class Evolution {
public:
    Evolution(nb::object snapshot, nb::dict keywords, double end_time)
        : snapshot_(std::move(snapshot)), state_(nb::cast<Snapshot&>(snapshot_))
    {
        require_own_threads();
        KeyedScheme keyed = read_scheme(keywords);
        take_from(state_, keyed);
        keyed.resolve();
        made_ = make_integrator(keyed.options, keyed.scheme);
        simulation_ = std::make_unique<Simulation>(state_.particles, *made_.integrator, state_.time,
                                                   end_time);
        state_.box_size = keyed.options.box;
        given_ = keyed.texts();
        if (keyed.scheme.adaptive)
            given_["adaptive"] = "true";
        given_["t-end"] = number_text(end_time);
        steps_ = steps_text(keyed.scheme);
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
        ExclusiveCall call(flag_, "Simulation");
        require_not_started();
        execute(notify, [this] { simulation_->run(); });
    }

    /// Runs in the same way and writes the files of the program's run.
    void run_in_folder(nb::callable notify, const std::string& folder_name, nb::dict keywords,
                       bool overwrite, bool restart, const std::string& command)
    {
        ExclusiveCall call(flag_, "Simulation");
        require_not_started();
        KeyedRun keyed = read_run(keywords);
        RunSettings& settings = keyed.settings;
        settings.names = {.folder = "folder",
                          .overwrite = "overwrite=True",
                          .restart = "restart=True",
                          .max_walltime = "max_walltime",
                          .max_energy_error = "max_energy_error"};
        require(refuse_analysis(settings.analysis, state_), plain_names_of_settings());
        if (overwrite && restart)
            throw Error(Fault::usage, "overwrite: contradicts restart");
        const Integrator& integrator = *made_.integrator;
        RunOrigin origin{.options = given_,
                         .input = "a snapshot in Python",
                         .version = version,
                         .command = command,
                         .start_time = simulation_->start_time(),
                         .forces = integrator.forces()};
        for (const auto& row : run_options())
            if (keyed.given.contains(row.name))
                origin.options[row.name] = row.text(settings);
        RunDescription description{.source = origin.input,
                                   .box = box_text(),
                                   .scheme = scheme_text(integrator),
                                   .steps = steps_,
                                   .command = command};
        for (const auto& [name, text] : origin.options)
            description.options += (description.options.empty() ? "" : " ") + name + "=" + text;
        note_suspicious_inputs(state_, origin.forces);
        RunFolder folder(folder_name,
                         restart     ? EarlierResults::continued
                         : overwrite ? EarlierResults::replaced
                                     : EarlierResults::refused,
                         {}, settings.names);
        std::optional<RestartPoint> point;
        RunOrigin earlier;
        std::vector<std::string> notes;
        if (restart) {
            const std::string& name = settings.names.restart;
            point = find_restart(restart_folder(folder_name, name), name);
            earlier.exchange(*point->archive);
            origin.start_time = earlier.start_time;
            notes = take_up(*point->archive, earlier, origin);
        }
        started_ = true; // the run's observers are registered
        Journal journal({.warn = warn_in_python});
        RunJob job(settings, origin, folder, state_, *simulation_, journal);
        if (point)
            job.continue_run(*point, earlier, description, notes, "");
        else {
            record_provenance(description, integrator, state_);
            job.introduce(description, {}, "");
        }
        execute(notify, [&] { job.execute(); });
    }

    nb::dict diagnostics()
    {
        // An observer runs within run() and may ask for diagnostics.
        if (runner_.load() == std::this_thread::get_id())
            return measured();
        ExclusiveCall call(flag_, "Simulation");
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
    /// Runs work that contains the time loop, with observers, signals and other threads of Python.
    void execute(nb::callable notify, const std::function<void()>& work)
    {
        started_ = true;
        notify_ = notify;
        runner_ = std::this_thread::get_id();
        simulation_->after_each_step([](Simulation&) {
            nb::gil_scoped_acquire held;
            if (PyErr_CheckSignals() != 0)
                throw nb::python_error(); // Ctrl-C
        });
        struct End { // of the run, with or without an exception
            Evolution& self;
            ~End()
            {
                self.runner_ = std::thread::id();
                self.notify_.reset();
                self.state_.time = self.simulation_->time();
            }
        } end{*this};
        nb::gil_scoped_release released;
        work();
    }

    /// Takes the properties of the snapshot from a checkpoint, which must come from a run of the
    /// same options and as many particles. Returns notes on what cannot be restored.
    std::vector<std::string> take_up(CheckpointReader& archive, const RunOrigin& earlier,
                                     const RunOrigin& origin)
    {
        require_same_options(earlier.options, origin.options);
        std::vector<std::uint64_t> ids;
        archive("particles/id", ids);
        if (ids.size() != state_.particles.size())
            throw Error(Fault::restart, "restart: " + std::to_string(state_.particles.size()) +
                                            " particles in the snapshot, but " +
                                            std::to_string(ids.size()) + " in " +
                                            archive.path().string());
        SolverOptions chosen = origin.forces;
        std::vector<std::string> notes = take_choices(earlier, chosen, true);
        if (chosen.group_size != origin.forces.group_size ||
            chosen.leaf_size != origin.forces.leaf_size ||
            chosen.instruction_set != origin.forces.instruction_set)
            notes.emplace_back("group size, leaf size or instruction set are others than when the "
                               "run began: from here on the last bits are others");
        Snapshot kept;
        exchange_properties(archive, kept);
        const Softening& softening = origin.forces.softening;
        if (kept.G() != origin.forces.gravitational_constant ||
            kept.box_size != origin.forces.box || kept.softening->length != softening.length ||
            kept.softening->kind != softening.kind)
            throw Error(Fault::restart, "restart: the snapshot states another G, softening or box "
                                        "than that which the run began with");
        exchange_properties(archive, state_);
        return notes;
    }

    std::string box_text() const
    {
        const double side = made_.integrator->forces().box;
        return side > 0 ? "periodic, " + length_text(side, state_.units) : "";
    }

    /// Issues a warning in Python, which may be an exception there.
    static void warn_in_python(const std::string& line)
    {
        nb::gil_scoped_acquire held;
        if (PyErr_WarnEx(PyExc_RuntimeWarning, ("chamomile: " + line).c_str(), 1) != 0)
            throw nb::python_error();
    }

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
    std::map<std::string, std::string> given_; ///< by name on the command line
    std::string steps_;                        ///< in words
    nb::object notify_;
    ExclusiveCall::Flag flag_;
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
        .def("run_in_folder", &Evolution::run_in_folder, nb::arg("notify"), nb::arg("folder"),
             nb::arg("settings"), nb::arg("overwrite"), nb::arg("restart"), nb::arg("command"))
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
