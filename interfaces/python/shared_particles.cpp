// The particles of a simulation shared by several mpi4py processes. Each process has its own
// particles in a snapshot. The first also holds all particles, from which the ranks take them.
#include <algorithm>
#include <numeric>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "chamomile/core/number_text.hpp"
#include "chamomile/integrate/ranks/rank_run.hpp"
#include "chamomile/io/snapshot.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/processes.hpp"

namespace chamomile::python {
namespace {

/// Snapshot properties that the first process broadcasts.
struct SnapshotHeader {
    double time, box_size, gravitational_constant;
    bool has_constant, has_accelerations, has_potentials, is_whole, has_softening, has_softenings;
    Softening softening;
};

class SharedParticles {
public:
    SharedParticles(nb::object snapshot, std::shared_ptr<Processes> processes)
        : processes_(std::move(processes)), snapshot_(std::move(snapshot)),
          own_(nb::cast<Snapshot&>(snapshot_)), service_(ranks()), server_(ranks(), &service_)
    {}

    /// Returns, as text, properties that all processes must share.
    std::string alike() const
    {
        std::string text;
        const auto add = [&text](double value) { text += number_text(value) + " "; };
        add(own_.time);
        add(own_.box_size);
        add(own_.G());
        add(own_.has_stated_units);
        if (const auto& softening = own_.softening; softening && !softening->per_particle) {
            add(softening->length);
            add(double(softening->kind));
        }
        add(own_.comoving ? own_.comoving->scale_factor : -1);
        for (const auto& [name, values] : own_.particles.extra)
            text += name + " ";
        return text + own_.units.description();
    }

    /// Gathers all particles on the first process, and returns their snapshot (None elsewhere).
    /// Later calls gather only moving columns and masses, which the user may have changed.
    nb::object gather()
    {
        processes_->run_and_agree([&] {
            const std::vector<std::uint64_t> counts =
                ranks().all_gather(std::uint64_t(own_.particles.size()));
            begin_.assign(1, 0);
            for (const std::uint64_t count : counts)
                begin_.push_back(begin_.back() + count);
            if (begin_.back() >= std::uint64_t(Index(-1)))
                throw Error(Fault::usage, "particles: " + std::to_string(begin_.back()) +
                                              " on all processes: must be below 4294967295");
            const bool is_first_time = !has_collected_;
            if (is_first_time)
                begin_collecting();
            for_each_column(
                [&](Column column, const std::string&, const auto& own, auto& all) {
                    if (moves(column) || column == Column::mass || is_first_time)
                        collect_values(own, all);
                },
                own_.particles, particles_of_all());
            has_collected_ = true;
        });
        return all_.is_valid() ? all_ : nb::none();
    }

    /// Broadcasts the snapshot's properties and scatters moving columns and softenings from the
    /// first process. If `everything`, also masses, ids and types.
    void scatter(bool everything)
    {
        const nb::gil_scoped_release released;
        processes_->run_and_agree([&] {
            Snapshot* all = all_.is_valid() ? nb::inst_ptr<Snapshot>(all_) : nullptr;
            SnapshotHeader header{};
            if (all)
                header = properties_of(*all);
            const Inbox from_first = ranks().broadcast(std::as_bytes(std::span(&header, 1)));
            header = from_first.from<SnapshotHeader>(0)[0];
            take(header);
            if (!header.is_whole) // lost after a failure
                return;
            own_.particles.softening.resize(header.has_softenings ? own_.particles.size() : 0);
            for_each_column(
                [&](Column column, const std::string&, auto& own, const auto& all) {
                    if (moves(column) || column == Column::softening ||
                        (everything && column != Column::extra))
                        scatter_values(all, own);
                },
                own_.particles, particles_of_all());
        });
    }

    /// First process: ends follow() on the other processes, with `what` as its result.
    void tell(const nb::bytes& what)
    {
        end_serving(ranks());
        ranks().broadcast(std::as_bytes(std::span(what.c_str(), what.size())));
    }

    /// Other processes: run the rank server until tell() on the first process, and return its data.
    nb::bytes follow()
    {
        Inbox header;
        {
            const nb::gil_scoped_release released;
            const ThreadsInUse threads(processes_->threads());
            server_.serve();
            header = ranks().broadcast({}, Timeout::endless);
        }
        const std::span<const char> bytes = header.from<char>(0);
        return nb::bytes(bytes.data(), bytes.size());
    }

private:
    Communicator& ranks() { return processes_->ranks(); }

    /// Creates the snapshot of all particles. Default ids (from 1 per process) become unique.
    void begin_collecting()
    {
        const Particles& own = own_.particles;
        std::uint64_t found[] = {0, 0, 0}; // with and without softenings, with non-default ids
        found[own.softening.empty()] = own.size();
        for (std::size_t i = 0; i < own.size(); ++i)
            found[2] += own.id[i] != i + 1;
        ranks().sum(found);
        if (found[0] > 0 && found[1] > 0)
            throw Error(Fault::usage, "softenings: must be given on all processes or on none");
        if (found[2] == 0)
            std::iota(own_.particles.id.begin(), own_.particles.id.end(),
                      begin_[std::size_t(ranks().rank())] + 1);
        double longest[] = {own_.softening ? -own_.softening->length : 0};
        ranks().min(longest);
        if (ranks().rank() > 0)
            return;
        Snapshot all;
        static_cast<SnapshotFacts&>(all) = own_;
        all.has_accelerations = all.has_potentials = false;
        all.notes.clear();
        if (found[0] > 0) {
            all.softening = own_.softening.value_or(Softening{});
            all.softening->length = -longest[0];
            all.softening->per_particle = true;
        }
        all_ = nb::cast(std::move(all));
    }

    /// Returns all particles on the first process, an empty set elsewhere.
    Particles& particles_of_all()
    {
        none_ = {};
        return all_.is_valid() ? nb::inst_ptr<Snapshot>(all_)->particles : none_;
    }

    template <class T>
    void collect_values(const std::vector<T>& own, std::vector<T>& all)
    {
        ranks().gather(std::span<const T>(own), inbox_);
        const std::span<const T> values = inbox_.all<T>();
        all.assign(values.begin(), values.end());
    }

    template <class T>
    void scatter_values(const std::vector<T>& all, std::vector<T>& own)
    {
        std::vector<std::span<const T>> to{std::size_t(ranks().size())};
        for (std::size_t r = 0; !all.empty() && r < to.size(); ++r)
            to[r] = std::span(all).subspan(begin_[r], begin_[r + 1] - begin_[r]);
        ranks().all_to_all<T>(to, inbox_);
        std::ranges::copy(inbox_.from<T>(0), own.begin()); // in place: views of the array exist
    }

    SnapshotHeader properties_of(const Snapshot& all) const
    {
        const Particles& p = all.particles;
        const std::size_t n = begin_.back();
        return {all.time,
                all.box_size,
                all.gravitational_constant.value_or(0),
                all.gravitational_constant.has_value(),
                all.has_accelerations,
                all.has_potentials,
                p.position.size() == n && p.velocity.size() == n && p.acceleration.size() == n &&
                    p.potential.size() == n && p.mass.size() == n && p.id.size() == n &&
                    p.type.size() == n,
                all.softening.has_value(),
                !p.softening.empty(),
                all.softening.value_or(Softening{})};
    }

    void take(const SnapshotHeader& header)
    {
        own_.time = header.time;
        own_.box_size = header.box_size;
        if (header.has_constant)
            own_.gravitational_constant = header.gravitational_constant;
        if (header.has_softening)
            own_.softening = header.softening;
        own_.has_accelerations = header.has_accelerations;
        own_.has_potentials = header.has_potentials;
    }

    std::shared_ptr<Processes> processes_;
    nb::object snapshot_;
    Snapshot& own_;
    nb::object all_; ///< only on the first process, once collected
    bool has_collected_ = false;
    std::vector<std::uint64_t> begin_; ///< first index of each process among all particles
    Inbox inbox_;
    Particles none_; ///< the empty set of particles_of_all()
    RankRun service_;
    RankDispatcher server_;
};

} // namespace

void bind_shared_particles(nb::module_& m)
{
    nb::class_<SharedParticles>(m, "SharedParticles", "Particles that processes share.")
        .def(
            "__init__",
            [](SharedParticles* self, nb::handle_t<Snapshot> snapshot,
               std::shared_ptr<Processes> processes) {
                new (self) SharedParticles(nb::borrow(snapshot), processes);
            },
            nb::arg("snapshot"), nb::arg("processes"))
        .def("alike", &SharedParticles::alike)
        .def("gather", &SharedParticles::gather, nb::sig("def gather(self) -> Snapshot | None"))
        .def("scatter", &SharedParticles::scatter, nb::arg("everything"))
        .def("tell", &SharedParticles::tell, nb::arg("what"))
        .def("follow", &SharedParticles::follow);
}

} // namespace chamomile::python
