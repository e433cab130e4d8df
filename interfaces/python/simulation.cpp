// The time loop, with Python observers.
#include "chamomile/integrate/simulation.hpp"

#include <cmath>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/begin.hpp"
#include "chamomile/run/run_job.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"
#include "chamomile/run/texts/scheme_text.hpp"
#include "chamomile/run/viewing.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"
#include "interfaces/python/options.hpp"
#include "interfaces/python/potentials.hpp"
#include "interfaces/python/processes.hpp"

namespace chamomile::python {
namespace {

/// A PySimulation simulates a snapshot's particles in place. Observers are numbers, passed by
/// run() to a Python function. With several processes, only the first has a PySimulation; the
/// others run the rank server.
class PySimulation {
public:
    PySimulation(nb::object snapshot, nb::dict keywords, nb::handle end_of_run,
                 nb::handle potentials, std::shared_ptr<Processes> processes)
        : processes_(std::move(processes)), snapshot_(std::move(snapshot)),
          state_(nb::cast<Snapshot&>(snapshot_))
    {
        require_own_threads();
        const ThreadsInUse threads(own_threads());
        KeyedSimulation keyed = read_simulation(keywords, frame());
        if (processes_)
            processes_->join(keyed.options);
        std::optional<double> end_time;
        if (!end_of_run.is_none())
            end_time = time_of("end_time", end_of_run);
        const TimeLoopOptions options = complete(state_, end_time, keyed);
        cosmology_ = keyed.cosmology;
        const ReadPotentials read =
            read_potentials(potentials, frame(), keyed.options.gravitational_constant, files_);
        begin_field(keyed.scheme, read.field, options.time);
        if (read.field && is_comoving())
            throw Error(Fault::usage, "potentials: need isolated particles and plain time");
        loop_ = begin_loop(keyed.options, keyed.scheme, options.clock, state_, options.time);
        simulation_ = loop_.simulation.get();
        state_.box_size = keyed.options.box;
        given_ = keyed.texts();
        if (read.field)
            given_["potential"] = read.text;
        if (is_comoving())
            given_["cosmology"] = "true";
        else
            given_["t-end"] = number_text(options.time.end_time);
        if (keyed.scheme.adaptive && !is_comoving())
            given_["adaptive"] = "true";
        steps_ = steps_text(keyed.scheme);
    }

    void at_times(nb::iterable given, bool potentials, int observer)
    {
        require_not_started();
        std::vector<double> times;
        for (nb::handle time : given)
            times.push_back(time_of("times", time));
        if (is_comoving())
            for (double& time : times)
                time = std::log(time);
        simulation_->at_times(std::move(times), quantities(potentials), notifier(observer));
    }

    void at_intervals(nb::handle interval, bool potentials, int observer)
    {
        require_not_started();
        simulation_->at_intervals(time_of("interval", interval), quantities(potentials),
                                  notifier(observer));
    }

    void every_steps(std::int64_t n, bool potentials, int observer)
    {
        require_not_started();
        if (n < 1)
            throw Error(Fault::usage, "steps: " + std::to_string(n) + ": must be 1 or more");
        simulation_->every_steps(std::uint64_t(n), quantities(potentials), notifier(observer));
    }

    /// Starts a server for a page that shows the particles, and returns its URL.
    std::string view(std::optional<int> port)
    {
        require_not_started();
        if (port && (*port < 1 || *port > 65535))
            throw Error(Fault::usage, "port: " + std::to_string(*port) +
                                          ": must be a whole number from 1 to 65535");
        if (view_)
            throw Error(Fault::usage, "view: already open: " + view_->url());
        view_ = std::make_unique<LiveView>(
            ViewPlace{.port = port, .option = "port", .framing = ViewFraming::notebooks});
        const ViewScene scene = scene_of(state_, name_in_view);
        view_->begin(scene, state_.particles);
        ViewStatus status;
        status.time = scene.time_text(state_.time);
        status.speed_unit = scene.speed_unit;
        view_->show(source_of(state_.particles), status);
        return view_->url();
    }

    void run(nb::callable notify)
    {
        ExclusiveCall call(flag_, "Simulation");
        require_not_started();
        if (!listed_outputs(cosmology_).empty())
            throw Error(
                Fault::usage,
                std::string(cosmology_.output_redshifts.empty() ? "outputs_a" : "outputs_z") +
                    ": needs a folder");
        const CanonicalMomentaScope inside(*this);
        std::optional<Viewing> viewing;
        if (view_) {
            viewing.emplace(
                *view_, state_, name_in_view, *simulation_,
                ViewedRun{.stop = [this] { simulation_->stop(); }, .between = look_at_signals});
            simulation_->when_done([&viewing](Simulation&) {
                while (viewing->holds())
                    continue;
            });
        }
        execute(notify, [&] {
            simulation_->run();
            if (viewing)
                viewing->finish();
        });
    }

    /// Like run(), and writes the files of the program's `run`.
    void run_in_folder(nb::callable notify, const std::string& folder_name, nb::dict keywords,
                       bool overwrite, bool restart, const std::string& command)
    {
        ExclusiveCall call(flag_, "Simulation");
        require_not_started();
        KeyedRun keyed = read_run(keywords, cosmology_, frame());
        RunSettings& settings = keyed.settings;
        require(refuse_analysis(settings.analysis, state_));
        if (!restart)
            require(refuse_outputs(settings, simulation_->start_time(), simulation_->end_time()));
        if (overwrite && restart)
            throw Error(Fault::usage, "overwrite: contradicts restart");
        const Integrator& integrator = simulation_->integrator();
        RunOrigin origin{.options = given_,
                         .input = "a snapshot in Python",
                         .command = command,
                         .files = files_};
        require(refuse_energy_limit(settings, integrator.field()));
        for (const auto& row : run_options())
            if (keyed.given.contains(row.name))
                origin.options[row.name] = row.text(settings);
        RunDescription description{.source = origin.input, .box = box_text(), .steps = steps_};
        for (const auto& [name, text] : origin.options)
            description.options += (description.options.empty() ? "" : " ") + name + "=" + text;
        warn_of_suspicious_inputs(state_, integrator.forces());
        RunFolder folder(folder_name,
                         restart     ? EarlierResults::continued
                         : overwrite ? EarlierResults::replaced
                                     : EarlierResults::refused,
                         {});
        std::optional<RestartPoint> point;
        RunOrigin earlier;
        std::vector<std::string> notes;
        if (restart) {
            point = find_restart(restart_folder(folder_name));
            earlier.exchange(*point->archive);
            notes = resume(*point->archive, earlier, origin.options);
        }
        started_ = true; // the run's observers are registered
        const CanonicalMomentaScope inside(*this);
        Journal journal({.warn = [](const std::string& line) { warn_in_python(line); }});
        settings.writes_beside = false; // the caller's h5py may use the same HDF5 library
        RunJob job(settings, origin, folder, state_, *simulation_, journal);
        if (point)
            job.continue_run(*point, earlier, description, notes, "");
        else
            job.introduce(description, {}, "");
        if (view_)
            job.show_in(*view_, name_in_view, look_at_signals);
        execute(notify, [&] { job.execute(); });
    }

    nb::dict diagnostics()
    {
        // An observer runs inside run() and may request diagnostics.
        if (runner_.load() == std::this_thread::get_id())
            return measured();
        ExclusiveCall call(flag_, "Simulation");
        return measured();
    }

    void stop() { simulation_->stop(); }
    bool has_started() const { return started_; }
    double time() const { return simulation_->file_time(); }
    std::uint64_t step() const { return simulation_->step(); }
    double step_length() const { return simulation_->step_length(); }
    double end_time() const { return loop_.clock->file_time(simulation_->end_time()); }
    std::string device() const { return simulation_->integrator().device(); }
    nb::dict options() const { return describe_options(simulation_->integrator().forces()); }
    nb::object snapshot() const { return snapshot_; }

private:
    UnitFrame frame() const { return unit_frame_of(state_); }
    double time_of(const char* name, nb::handle value) const
    {
        return quantity(name, value, dimensions::time, frame());
    }
    bool is_comoving() const { return cosmology_.asked; }

    /// Updates the time and, for comoving coordinates, the scale factor.
    void set_time()
    {
        state_.time = simulation_->file_time();
        if (is_comoving())
            state_.comoving->scale_factor = state_.time;
    }

    /// Converts comoving velocities to canonical momenta for its lifetime. Its destructor restores
    /// peculiar velocities and updates the time.
    struct CanonicalMomentaScope {
        PySimulation& self;
        explicit CanonicalMomentaScope(PySimulation& evolution) : self(evolution)
        {
            if (self.is_comoving())
                make_canonical(self.state_);
        }
        ~CanonicalMomentaScope()
        {
            self.set_time();
            if (self.is_comoving())
                make_peculiar(self.state_);
        }
    };

    /// Runs work that contains the time loop, with observers, signals and the GIL released.
    void execute(nb::callable notify, const std::function<void()>& work)
    {
        started_ = true;
        notify_ = notify;
        runner_ = std::this_thread::get_id();
        simulation_->after_each_step([](Simulation&) { look_at_signals(); });
        struct End { // runs with or without an exception
            PySimulation& self;
            ~End()
            {
                self.runner_ = std::thread::id();
                self.notify_.reset();
            }
        } end{*this};
        const ThreadsInUse threads(own_threads());
        const Released released(processes_ != nullptr); // an interrupted step has no effect
        const struct Fetch { // the latest particle data may be on other processes
            PySimulation& self;
            ~Fetch()
            {
                try {
                    if (self.processes_)
                        self.simulation_->fetch();
                } catch (const std::exception&) { // lost there, too
                }
            }
        } fetch{*this};
        work();
    }

    /// Returns the number of threads for this process; 0: all threads of the host.
    int own_threads() const { return processes_ ? processes_->threads() : 0; }

    /// Restores snapshot properties from a checkpoint of a run with the same options and particle
    /// number. Returns notes on properties that cannot be restored.
    std::vector<std::string> resume(CheckpointReader& archive, const RunOrigin& earlier,
                                    const NamedOptions& given)
    {
        const SolverOptions& forces = simulation_->integrator().forces();
        require_same_options(earlier.options, given);
        for (const auto& [name, content] : earlier.files)
            if (const auto now = files_.find(name); now == files_.end() || now->second != content)
                throw Error(Fault::restart,
                            "potentials: " + name + ": must be the file at the start of the run");
        std::vector<std::uint64_t> ids;
        archive("particles/id", ids);
        if (ids.size() != state_.particles.size())
            throw Error(Fault::restart, "restart: " + std::to_string(state_.particles.size()) +
                                            " particles in the snapshot: must be " +
                                            std::to_string(ids.size()) + ", as in " +
                                            archive.path().string());
        SolverOptions chosen = forces;
        std::vector<std::string> notes = restore_choices(earlier, chosen, true);
        if (chosen.group_size != forces.group_size || chosen.leaf_size != forces.leaf_size ||
            chosen.instruction_set != forces.instruction_set)
            notes.emplace_back("group size, leaf size or instruction set differ from the start of "
                               "the run: last bits differ from here on");
        Snapshot kept;
        if (is_comoving())
            kept.comoving.emplace();
        exchange_properties(archive, kept);
        const Softening& softening = forces.softening;
        if (kept.G() != forces.gravitational_constant || kept.box_size != forces.box ||
            kept.softening->length != softening.length || kept.softening->kind != softening.kind)
            throw Error(
                Fault::restart,
                "restart: G, softening or box of the snapshot: must be as at the start of the run");
        exchange_properties(archive, state_);
        return notes;
    }

    std::string box_text() const
    {
        const double side = simulation_->integrator().forces().box;
        return side > 0 ? "periodic, " + length_text(side, state_.units) : "";
    }

    static Quantities quantities(bool potentials)
    {
        return potentials ? Quantities::acceleration_potential : Quantities::acceleration;
    }

    void require_not_started() const
    {
        if (started_)
            throw StateError("Simulation: has run already: make a new one from the snapshot");
    }

    Simulation::Observer notifier(int observer)
    {
        return [this, observer](Simulation&) {
            nb::gil_scoped_acquire held;
            set_time();
            shown_.emplace(state_);
            const struct Hide { // with or without an exception
                std::optional<PeculiarVelocities>& shown;
                ~Hide() { shown.reset(); }
            } hide{shown_};
            notify_(observer);
        };
    }

    /// Returns diagnostics. For comoving coordinates, energies are of peculiar velocities and
    /// fluctuations, in physical coordinates.
    nb::dict measured()
    {
        Diagnostics d;
        {
            const Released released(processes_ != nullptr);
            d = diagnostics_of_momenta();
        }
        if (is_comoving()) {
            const double a = simulation_->file_time();
            d.kinetic /= a * a;
            d.potential /= a;
            d.momentum = (1 / a) * d.momentum;
            d.angular_momentum = (1 / a) * d.angular_momentum;
        }
        const auto vector = [](const Vec3<double>& v) { return nb::make_tuple(v.x, v.y, v.z); };
        nb::dict result;
        result["mass"] = d.mass;
        result["kinetic"] = d.kinetic;
        result["potential"] = d.potential;
        result["external"] = d.external;
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

    Diagnostics diagnostics_of_momenta()
    {
        const ThreadsInUse threads(own_threads());
        if (shown_) { // an observer sees peculiar velocities
            shown_.reset();
            const struct Again { // with or without an exception
                PySimulation& self;
                ~Again() { self.shown_.emplace(self.state_); }
            } again{*this};
            return simulation_->diagnostics();
        }
        if (runner_.load() == std::this_thread::get_id())
            return simulation_->diagnostics();
        const ScaledVelocities momenta(state_, is_comoving() ? state_.comoving->scale_factor : 1);
        return simulation_->diagnostics();
    }

    std::shared_ptr<Processes> processes_; ///< null: this process only
    nb::object snapshot_;
    Snapshot& state_;
    CosmologyRequest cosmology_;
    PotentialFiles files_;
    std::optional<PeculiarVelocities> shown_; ///< while an observer runs
    TimeLoop loop_;
    Simulation* simulation_ = nullptr;         ///< of loop_
    std::map<std::string, std::string> given_; ///< by command-line name
    std::string steps_;                        ///< in words
    static constexpr const char* name_in_view = "a snapshot in Python";
    std::unique_ptr<LiveView> view_;
    nb::object notify_;
    ExclusiveCall::Flag flag_;
    std::atomic<std::thread::id> runner_{};
    bool started_ = false;
};

} // namespace

void bind_simulation(nb::module_& m)
{
    nb::class_<PySimulation>(m, "PySimulation", "The time loop of chamomile.Simulation.")
        .def(
            "__init__",
            [](PySimulation* self, nb::handle_t<Snapshot> snapshot, nb::dict options,
               nb::object end_time, nb::object potentials, std::shared_ptr<Processes> processes) {
                new (self)
                    PySimulation(nb::borrow(snapshot), options, end_time, potentials, processes);
            },
            nb::arg("snapshot"), nb::arg("options"), nb::arg("end_time").none(),
            nb::arg("potentials").none(), nb::arg("processes").none())
        .def("at_times", &PySimulation::at_times, nb::arg("times"), nb::arg("potentials"),
             nb::arg("observer"))
        .def("at_intervals", &PySimulation::at_intervals, nb::arg("interval"),
             nb::arg("potentials"), nb::arg("observer"))
        .def("every_steps", &PySimulation::every_steps, nb::arg("n"), nb::arg("potentials"),
             nb::arg("observer"))
        .def("view", &PySimulation::view, nb::arg("port") = nb::none())
        .def("run", &PySimulation::run, nb::arg("notify"))
        .def("run_in_folder", &PySimulation::run_in_folder, nb::arg("notify"), nb::arg("folder"),
             nb::arg("settings"), nb::arg("overwrite"), nb::arg("restart"), nb::arg("command"))
        .def("diagnostics", &PySimulation::diagnostics, nb::sig("def diagnostics(self) -> dict"))
        .def("stop", &PySimulation::stop)
        .def_prop_ro("has_started", &PySimulation::has_started)
        .def_prop_ro("time", &PySimulation::time)
        .def_prop_ro("step", &PySimulation::step)
        .def_prop_ro("step_length", &PySimulation::step_length)
        .def_prop_ro("end_time", &PySimulation::end_time)
        .def_prop_ro("device", &PySimulation::device)
        .def_prop_ro("options", &PySimulation::options,
                     nb::sig("def options(self) -> dict[str, object]"))
        .def_prop_ro("snapshot", &PySimulation::snapshot,
                     nb::sig("def snapshot(self) -> Snapshot"));
}

} // namespace chamomile::python
