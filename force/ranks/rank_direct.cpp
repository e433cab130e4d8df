// A direct sum on several ranks. Each rank gathers all particles and sums at one part of the
// targets, cut as on one rank, so that results are bitwise equal.
#include <algorithm>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/ranks/rank_figures.hpp"
#include "chamomile/force/ranks/rank_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

/// A DirectSum is the sum at one particle, named by its global number.
struct DirectSum {
    Index number;
    double potential;
    Vec3<double> acceleration;
};

class RankDirectSolver final : public AdjustableSolver {
public:
    RankDirectSolver(const SolverOptions& options, Communicator& ranks)
        : ranks_(ranks), options_(options), solver_(make_direct_solver(options))
    {}

    ForceStatistics evaluate(const Request& request) override
    {
        const Traffic before = ranks_.traffic();
        const GlobalCounts& all = *request.part;
        agreed([&] { check_number(all.count); }); // each rank gathers them
        const bool keeps = request.keeps_tree && all.count > 0 && in_cells_ == all.count;
        Profile profile;
        std::vector<Index> active;
        const SofteningLengths lengths =
            softening_lengths(all.softenings, request.softening_length, options_);
        {
            const TimedPhase phase(profile, "deal");
            gather(request, lengths.min.has_value(), keeps);
            active = gather_active(request);
        }
        ForceStatistics statistics;
        std::vector<DirectSum> sums;
        ranks_.run_and_agree([&] { statistics = sum(request, lengths, active, keeps, sums); });
        in_cells_ = all.count;
        statistics.profile.add("deal", profile.seconds("deal"));
        {
            const TimedPhase phase(statistics.profile, "results");
            give_back(sums, request);
        }
        const std::size_t n = masses_.all<double>().size();
        const Traffic now = ranks_.traffic();
        statistics.targets = sums.size();
        share_figures(statistics,
                      {.imported_particles = n - std::min(n, sums.size()),
                       .work = statistics.particle_particle,
                       .partners = std::uint64_t(ranks_.size() - 1),
                       .import_bytes = now.bytes - before.bytes},
                      before, ranks_);
        return statistics;
    }

    void adjust(const SolverOptions& resolved) override
    {
        const std::string device = options_.device;
        options_ = resolved;
        options_.device = device;
        solver_ = make_direct_solver(options_);
        in_cells_ = 0;
    }
    std::string device() const override { return solver_->device(); }
    const SolverOptions& options() const override { return options_; }

private:
    template <class T>
    void gather(std::span<const T> mine, Inbox& inbox)
    {
        ranks_.gather(std::as_bytes(mine), Communicator::Sizes::any, inbox);
    }

    /// Gathers the particles of all ranks on every rank, in rank order.
    void gather(const Request& request, bool per_particle, bool keeps)
    {
        TreeParticles particles{request.count, request.position, request.mass};
        particles.softening = request.softening;
        gather(dense_.positions(particles), positions_);
        if (!keeps) {
            in_cells_ = 0; // until cells are made
            gather(dense_.masses(particles), masses_);
            gather(request.id, ids_);
        }
        if (per_particle)
            gather(request.count > 0 ? dense_.softenings(particles) : std::span<const double>(),
                   softenings_);
        first_ = {0};
        for (int r = 0; r < ranks_.size(); ++r)
            first_.push_back(first_.back() + positions_.from<Vec3<double>>(r).size());
    }

    /// Returns the global numbers of active particles, ascending; empty if all are active.
    std::vector<Index> gather_active(const Request& request)
    {
        if (request.are_all_active())
            return {};
        std::vector<Index> active(request.active.begin(), request.active.end());
        std::ranges::sort(active);
        active.erase(std::unique(active.begin(), active.end()), active.end());
        for (Index& i : active)
            i += Index(first_[std::size_t(ranks_.rank())]);
        return ranks_.all_gather(std::span<const Index>(active));
    }

    /// Sums at this rank's part of the targets.
    ForceStatistics sum(const Request& of_rank, const SofteningLengths& lengths,
                        std::span<const Index> active, bool keeps, std::vector<DirectSum>& sums)
    {
        const GlobalCounts& all = *of_rank.part;
        const std::span<const Vec3<double>> positions = positions_.all<Vec3<double>>();
        const std::size_t n = positions.size();
        acceleration_.resize(n);
        potential_.resize(all.has_potentials ? n : 0);
        Request request{.count = n,
                        .position = view_of(positions),
                        .mass = view_of(masses_.all<double>()),
                        .id = ids_.all<std::uint64_t>(),
                        .acceleration = view_of(std::span(acceleration_)),
                        .active = active,
                        .keeps_tree = keeps,
                        .are_all_sources = all.tracers == 0 || options_.device != "cpu"};
        if (all.has_potentials)
            request.potential = view_of(std::span(potential_));
        if (lengths.min) {
            request.softening = view_of(softenings_.all<double>());
            request.softening_length = of_rank.softening_length;
        } else
            request.softening_length = lengths.length;
        std::vector<Index> numbers;
        const ForceStatistics statistics =
            solver_->evaluate_part(request, {ranks_.rank(), ranks_.size()}, numbers);
        is_summed_.assign(n, 0);
        for (const Index i : numbers)
            is_summed_[i] = 1;
        list_where(
            n, [&](std::size_t i) { return is_summed_[i]; }, numbers);
        sums.resize(numbers.size());
#pragma omp parallel for if (numbers.size() > worth_threads) schedule(static)
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const Index i = numbers[k];
            sums[k] = {i, all.has_potentials ? potential_[i] : 0, acceleration_[i]};
        }
        return statistics;
    }

    /// Sends the sums, ascending by number, to the ranks that own the particles.
    void give_back(std::span<const DirectSum> sums, const Request& request)
    {
        std::vector<std::span<const DirectSum>> to;
        const auto place = [&](std::size_t number) {
            return std::size_t(std::ranges::lower_bound(sums, number, {}, &DirectSum::number) -
                               sums.begin());
        };
        for (std::size_t r = 0; r + 1 < first_.size(); ++r)
            to.push_back(sums.subspan(place(first_[r]), place(first_[r + 1]) - place(first_[r])));
        ranks_.all_to_all<DirectSum>(to, returned_);
        const std::span<const DirectSum> mine = returned_.all<DirectSum>();
        const std::size_t own = first_[std::size_t(ranks_.rank())];
#pragma omp parallel for if (mine.size() > worth_threads) schedule(static)
        for (std::size_t k = 0; k < mine.size(); ++k) {
            request.acceleration.store_vector(mine[k].number - own, mine[k].acceleration);
            if (request.potential)
                request.potential.store(mine[k].number - own, 0, mine[k].potential);
        }
    }

    Communicator& ranks_;
    SolverOptions options_;
    std::unique_ptr<DirectSolver> solver_;
    DenseCopy dense_;
    Inbox positions_, masses_, softenings_, ids_, returned_; ///< of all ranks
    std::vector<std::size_t> first_; ///< first global number per rank, and the total
    std::size_t in_cells_ = 0;       ///< particles in the kept cells; 0: no cells are kept
    std::vector<Vec3<double>> acceleration_;
    std::vector<double> potential_;
    std::vector<char> is_summed_;
};

} // namespace

std::unique_ptr<AdjustableSolver> make_rank_direct_solver(const SolverOptions& options,
                                                          Communicator& ranks)
{
    return std::make_unique<RankDirectSolver>(options, ranks);
}

} // namespace chamomile
