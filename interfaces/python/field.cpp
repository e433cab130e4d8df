// FieldSolver with Python arrays.
#include "chamomile/force/field.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/ranks/distributed_field.hpp"
#include "interfaces/python/array.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"
#include "interfaces/python/options.hpp"
#include "interfaces/python/processes.hpp"

namespace chamomile::python {
namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Access = Array::Access;

constexpr const char* quantities[] = {"acceleration", "potential", "tidal_tensor", "jerk"};
constexpr int components_of[] = {3, 1, 6, 3};

/// ForceStatistics with the wall-clock time of a call.
struct Statistics : ForceStatistics {
    double seconds = 0; ///< of the C++ call, without parsing of arrays
};

std::span<const std::int64_t> span_of(const std::optional<Numbers>& numbers)
{
    return numbers ? std::span(numbers->data(), numbers->size()) : std::span<const std::int64_t>();
}

/// A Field is a solver for one thread at a time. With `processes`, several processes share the
/// solver and must make the same calls.
class Field {
public:
    Field(nb::dict keywords, std::shared_ptr<Processes> processes) : processes_(processes)
    {
        meet([&] {
            keyed_ = read_options(keywords);
            require_own_threads();
            if (processes_)
                processes_->join(keyed_.options);
            keyed_.options.ranks = nullptr; // sources are on the first process
            if (keyed_.options.accuracy)
                make_solver(keyed_.options); // refuses values out of range
            std::string all;
            for (const auto& row : force_options())
                all += row.text(keyed_.options) + '\n';
            return all;
        });
        make_solver_of(keyed_.options);
    }

    Statistics set(nb::handle positions, nb::handle masses, nb::handle velocities,
                   nb::handle softenings, bool refit)
    {
        std::optional<ExclusiveCall> call;
        Array position, mass, velocity, softening;
        std::size_t n = 0;
        meet([&] {
            call.emplace(flag_, "Solver");
            if (refit && !is_built_)
                throw StateError("refit: no sources: call build() first");
            position = Array(positions, "positions", 3, Access::read);
            n = position.count();
            if (refit && n != solver_->size())
                throw Error(Fault::input, "positions: " + std::to_string(n) + ": must be " +
                                              std::to_string(solver_->size()) +
                                              " for refit(), as in build()");
            mass = Array(masses, "masses", 1, Access::read, n, "positions");
            if (!velocities.is_none())
                velocity = Array(velocities, "velocities", 3, Access::read, n, "positions");
            if (processes_ && !velocities.is_none())
                throw Error(Fault::usage, "velocities: need a single process (jerks)");
            if (!softenings.is_none())
                softening = Array(softenings, "softenings", 1, Access::read, n, "positions");
            if (softening.view().on_device)
                throw Error(Fault::usage, "softenings: must be on the host");
            for (const Array* array : {&position, &mass, &velocity})
                require_device(*array);
            return softenings.is_none() ? "" : "softenings";
        });
        const FieldSources sources{n, position.view(), mass.view(), velocity.view(),
                                   softening.view()};
        set_per_particle(processes_ ? !softenings.is_none() : bool(sources.softening), refit);
        const Released released(processes_ != nullptr);
        for (const Array* array : {&position, &mass, &velocity})
            array->wait();
        Statistics statistics;
        const double start = wall_clock_seconds();
        is_built_ = false; // an exception leaves no sources
        if (keyed_.options.accuracy && !chosen_ && of_all(n) > 0) {
            make_solver_of(run_and_agree([&] {
                return processes_ ? options_for(sources, keyed_.options, processes_->ranks())
                                  : options_for(sources, keyed_.options);
            }));
            chosen_ = true;
        }
        run_and_agree([&] { refit ? solver_->refit(sources) : solver_->build(sources); });
        statistics.seconds = wall_clock_seconds() - start;
        is_built_ = true;
        return statistics;
    }

    /// Computes `results`: arrays or None for acceleration, potential, tidal_tensor, jerk.
    Statistics evaluate(nb::tuple at, std::optional<Numbers> self, std::optional<Numbers> active,
                        nb::tuple results)
    {
        const nb::handle targets = at[0], velocities = at[1], softenings = at[2];
        std::optional<ExclusiveCall> call;
        const bool at_sources = targets.is_none();
        Array position, velocity, softening, into[4];
        std::vector<Index> numbers;
        std::size_t n = 0;
        bool is_asked = false;
        meet([&] {
            call.emplace(flag_, "Solver");
            require_built("evaluate");
            n = solver_->size();
            if (!at_sources) {
                position = Array(targets, "targets", 3, Access::read);
                n = position.count();
                if (!velocities.is_none())
                    velocity =
                        Array(velocities, "target_velocities", 3, Access::read, n, "targets");
                if (!softenings.is_none())
                    softening =
                        Array(softenings, "target_softenings", 1, Access::read, n, "targets");
                if (softening && !keyed_.options.softening.per_particle)
                    throw Error(Fault::usage,
                                "target_softenings: need softenings of the sources in build()");
                if (softening.view().on_device)
                    throw Error(Fault::usage, "target_softenings: must be on the host");
                if (processes_ && softening)
                    throw Error(Fault::usage, "target_softenings: need a single process (comm)");
                if (self && self->size() != n)
                    throw Error(Fault::input, "self_index: " + std::to_string(self->size()) +
                                                  " values for " + std::to_string(n) +
                                                  " targets: must be one per target");
                if (processes_ && self)
                    throw Error(Fault::usage, "self_index: needs a single process (comm)");
                if (processes_ && chosen_ && solver_->options().solver == SolverKind::direct)
                    throw Error(Fault::usage,
                                "targets: accuracy chose direct sums: must be the tree on several "
                                "processes (comm); give tolerance instead");
            } else if (active) {
                numbers = checked(*active);
                n = numbers.size();
            }
            std::string asked = at_sources ? active ? "active" : "sources" : "targets";
            for (std::size_t k = 0; k < 4; ++k) {
                if (results[k].is_none())
                    continue;
                if (processes_ && k > 1)
                    throw Error(Fault::usage,
                                std::string(quantities[k]) + ": needs a single process");
                is_asked = true;
                asked += std::string(" ") + quantities[k];
                into[k] = Array(results[k], quantities[k], components_of[k], Access::write, n,
                                at_sources ? "sources" : "targets");
                require_device(into[k]);
                for (const Array* other : {&position, &velocity, &softening})
                    into[k].refuse_overlap(*other);
                for (std::size_t j = 0; j < k; ++j)
                    into[k].refuse_overlap(into[j]);
            }
            require_device(position);
            require_device(velocity);
            return asked;
        });
        const FieldResults where{into[0].view(), into[1].view(), into[2].view(), into[3].view()};
        Statistics statistics;
        if (!is_asked || of_all(n) == 0)
            return statistics;
        const FieldTargets points{n, position.view(), velocity.view(), span_of(self),
                                  softening.view()};
        const Released released(processes_ != nullptr);
        for (const Array* array : {&position, &velocity, &into[0], &into[1], &into[2], &into[3]})
            array->wait();
        const double start = wall_clock_seconds();
        static_cast<ForceStatistics&>(statistics) = run_and_agree([&] {
            return at_sources ? solver_->evaluate_sources(numbers, where)
                              : solver_->evaluate(points, where);
        });
        statistics.seconds = wall_clock_seconds() - start;
        const std::string line =
            softening_jump_text(solver_->options(), statistics.softening_jump.value_or(0));
        if (!line.empty())
            warn_in_python(line);
        return statistics;
    }

    /// Computes dL/dx and dL/dm from dL/da and dL/dphi of all sources: arrays or None.
    Statistics adjoint(nb::handle accelerations, nb::handle potentials, nb::handle positions,
                       nb::handle masses)
    {
        ExclusiveCall call(flag_, "Solver");
        if (processes_)
            throw Error(Fault::usage, "vjp: needs a single process (comm)");
        require_built("vjp");
        const std::size_t n = solver_->size();
        const auto array = [&](nb::handle given, const char* name, int components, Access access) {
            Array taken;
            if (!given.is_none())
                taken = Array(given, name, components, access, n, "sources");
            require_device(taken);
            return taken;
        };
        const Array acceleration = array(accelerations, "acceleration", 3, Access::read),
                    potential = array(potentials, "potential", 1, Access::read),
                    position = array(positions, "positions", 3, Access::write),
                    mass = array(masses, "masses", 1, Access::write);
        for (const Array* read : {&acceleration, &potential}) {
            position.refuse_overlap(*read);
            mass.refuse_overlap(*read);
        }
        mass.refuse_overlap(position);
        Statistics statistics;
        if (n == 0)
            return statistics;
        const Released released;
        for (const Array* given : {&acceleration, &potential, &position, &mass})
            given->wait();
        const double start = wall_clock_seconds();
        static_cast<ForceStatistics&>(statistics) = solver_->evaluate_adjoint(
            {acceleration.view(), potential.view()}, {position.view(), mass.view()});
        statistics.seconds = wall_clock_seconds() - start;
        return statistics;
    }

    void neighbours(nb::handle targets, nb::handle radii, std::size_t max,
                    std::optional<Numbers> self, Counts count, Counts list)
    {
        ExclusiveCall call(flag_, "Solver");
        if (processes_)
            throw Error(Fault::usage, "neighbours: need a single process");
        require_built("neighbours");
        Array position(targets, "targets", 3, Access::read);
        const std::size_t n = position.count();
        Array radius(radii, "radius", 1, Access::read, n, "targets");
        require_device(position);
        require_device(radius);
        if (self && self->size() != n)
            throw Error(Fault::input, "self_index: " + std::to_string(self->size()) +
                                          " values for " + std::to_string(n) +
                                          " targets: must be one per target");
        if (count.size() != n || list.size() != n * max)
            throw Error(Fault::input, "neighbours: count and list: must have one row per target");
        if (n == 0)
            return;
        const FieldTargets points{n, position.view(), {}, span_of(self)};
        const Released released;
        position.wait();
        radius.wait();
        solver_->neighbours(points, radius.view(), max, {count.data(), count.size()},
                            {list.data(), list.size()});
    }

    std::size_t size() const { return is_built_ ? solver_->size() : 0; }
    std::string device() const { return solver_->device(); }
    nb::dict options() const
    {
        SolverOptions in_force = solver_->options();
        in_force.accuracy = keyed_.options.accuracy;
        return describe_options(in_force);
    }

private:
    /// Runs work that may refuse its arguments. Its result must be equal on all processes.
    template <class Work>
    void meet(const Work& work)
    {
        processes_ ? processes_->meet([&] { return std::string(work()); }) : void(work());
    }

    /// Runs work that all processes do collectively.
    template <class Work>
    auto run_and_agree(const Work& work) -> decltype(work())
    {
        return processes_ ? processes_->run_and_agree(work) : work();
    }

    /// Returns the sum over all processes.
    std::size_t of_all(std::size_t own)
    {
        std::uint64_t all[] = {own};
        if (processes_)
            processes_->ranks().sum(all);
        return std::size_t(all[0]);
    }

    /// Makes the solver for these options. An accuracy goal is applied later, when sources are set.
    void make_solver_of(SolverOptions options)
    {
        options.accuracy.reset();
        if (processes_) // arrays are on the host
            solver_ = processes_->run_and_agree(
                [&] { return make_distributed_field(options, processes_->ranks()); });
        else
            solver_ = make_field_solver(options);
        gpu_ = processes_ ? -1 : first_gpu(solver_->options().device);
    }

    /// Remakes the solver if build() switches per-particle softening on or off; refit() must not.
    void set_per_particle(bool per_particle, bool refit)
    {
        const bool was_per_particle = keyed_.options.softening.per_particle;
        if (refit && per_particle != was_per_particle)
            throw Error(Fault::usage,
                        "softenings: must be given to both build() and refit(), or to neither");
        KeyedOptions wanted = keyed_;
        wanted.set_softenings(per_particle);
        if (refit || per_particle == was_per_particle)
            return;
        make_solver_of(wanted.options);
        keyed_ = wanted;
        chosen_ = false;
    }

    void require_built(const char* call) const
    {
        if (!is_built_)
            throw StateError(std::string(call) + ": no sources: call build() first");
    }

    void require_device(const Array& array) const
    {
        if (processes_ && array.gpu() >= 0)
            throw Error(Fault::usage,
                        "arrays: on a GPU: must be on the host for several processes (comm)");
        require_gpu(array.gpu(), gpu_, "solver");
    }

    std::vector<Index> checked(const Numbers& active) const
    {
        std::vector<Index> numbers(active.size());
        for (std::size_t k = 0; k < active.size(); ++k) {
            const std::int64_t i = active.data()[k];
            if (i < 0 || std::size_t(i) >= solver_->size())
                throw Error(Fault::input,
                            "active: " + std::to_string(i) +
                                ": must be the index of a source, 0 or more and below " +
                                std::to_string(solver_->size()));
            numbers[k] = Index(i);
        }
        return numbers;
    }

    std::shared_ptr<Processes> processes_; ///< null: this process only
    KeyedOptions keyed_;                   ///< as given by the caller
    std::unique_ptr<FieldSolver> solver_;
    bool chosen_ = false; ///< options were chosen from the goal and the first sources
    ExclusiveCall::Flag flag_;
    bool is_built_ = false;
    int gpu_ = -1;
};

/// Throws if results overlap arguments that the call reads. `results`: quantity -> array;
/// `arguments`: name -> (array, components).
void refuse_overlap(nb::dict results, nb::dict arguments)
{
    for (auto [result, room] : results)
        for (std::size_t k = 0; k < 4; ++k) {
            if (nb::cast<std::string>(result) != quantities[k])
                continue;
            const Array into(room, quantities[k], components_of[k], Access::write);
            for (auto [name, argument] : arguments) {
                const auto [array, components] = nb::cast<std::pair<nb::object, int>>(argument);
                if (!array.is_none())
                    into.refuse_overlap(
                        Array(array, nb::cast<std::string>(name), components, Access::read));
            }
        }
}

nb::dict phases(const Statistics& statistics)
{
    nb::dict d;
    for (const Profile::Phase& phase : statistics.profile.phases())
        d[phase.name.c_str()] = phase.seconds;
    return d;
}

} // namespace

void bind_field(nb::module_& m)
{
    nb::class_<Statistics>(m, "Statistics", "Statistics of a call of a solver.")
        .def_ro("seconds", &Statistics::seconds, "Wall-clock time within C++.")
        .def_ro("particle_particle", &Statistics::particle_particle, "Pairs of particles summed.")
        .def_ro("particle_cell", &Statistics::particle_cell, "Pairs of a particle and a cell.")
        .def_ro("expansions", &Statistics::expansions, "Cells expanded about a group.")
        .def_ro("targets", &Statistics::targets)
        .def_ro("groups", &Statistics::groups)
        .def_ro("cells", &Statistics::cells)
        .def_ro("bytes_to_device", &Statistics::bytes_to_device)
        .def_ro("bytes_from_device", &Statistics::bytes_from_device)
        .def_ro("device_busy", &Statistics::device_busy, "Seconds in which kernels ran.")
        .def_prop_ro("phases", &phases, nb::sig("def phases(self) -> dict[str, float]"),
                     "Seconds by phase of the host.");

    nb::class_<Field>(m, "Field", "The solver behind chamomile.Solver.")
        .def(nb::init<nb::dict, std::shared_ptr<Processes>>(), nb::arg("options"),
             nb::arg("processes").none())
        .def("set", &Field::set, nb::arg("positions").none(), nb::arg("masses").none(),
             nb::arg("velocities").none(), nb::arg("softenings").none(), nb::arg("refit"))
        .def("evaluate", &Field::evaluate, nb::arg("at"), nb::arg("own").none(),
             nb::arg("active").none(), nb::arg("results"))
        .def("adjoint", &Field::adjoint, nb::arg("acceleration").none(),
             nb::arg("potential").none(), nb::arg("positions").none(), nb::arg("masses").none())
        .def("neighbours", &Field::neighbours, nb::arg("targets").none(), nb::arg("radius").none(),
             nb::arg("max"), nb::arg("own").none(), nb::arg("count"), nb::arg("list"))
        .def_prop_ro("size", &Field::size)
        .def_prop_ro("device", &Field::device)
        .def_prop_ro("options", &Field::options, nb::sig("def options(self) -> dict[str, object]"));

    m.def("refuse_overlap", &refuse_overlap, nb::arg("results"), nb::arg("arguments"),
          "Raises InputError if a result overlaps an argument.");
}

} // namespace chamomile::python
