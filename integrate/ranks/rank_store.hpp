/// \file  Storage of particles distributed over ranks.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "chamomile/force/ranks/migration.hpp"
#include "chamomile/integrate/particle_store.hpp"

namespace chamomile {

/// A RankStore keeps local particles in a host or GPU store, forwards each call to it and reduces
/// the result: counts, minima, sums. Its calls are collective; every rank returns the same.
///
/// The attached particles are the home rows of this rank. Global numbers count the home rows of
/// rank 0, then rank 1 and so on. If forces have domains, load() sends sources to the rank of their
/// domain, in tree order. They migrate again before a step if too many are misplaced, by the places
/// of the last evaluation. fetch() sends moving columns home.
class RankStore final : public ParticleStore {
public:
    /// Keeps a reference. `inner` stores the local particles, with the same options. `on_host`: the
    /// processor evaluates forces, and massless particles at the end are tracers. `has_domains`:
    /// forces divide particles into domains.
    RankStore(Communicator& ranks, const StoreOptions& options,
              std::unique_ptr<ParticleStore> inner, bool on_host, bool has_domains)
        : ParticleStore(options), inner_(std::move(inner)), ranks_(ranks), on_host_(on_host),
          has_domains_(has_domains)
    {}

    void load(StepColumns columns) override;
    void fetch() override;
    StepColumns columns() override;
    Particles& here() override
    {
        inner_->here(); // updates own_
        return own_;
    }
    ParticleReader* rows_to_measure() override { return inner_->rows_to_measure(); }
    const Particles& fixed_columns() override { return own_; }
    RankSubset part(Communicator& ranks) override
    {
        return {ranks, part_.count, part_.first, number_};
    }
    void release_host_copy() override { is_alone_ = true; }
    void gather(std::span<const GlobalIndex> which, std::span<PhasePoint> into) override
    {
        fetch();
        gather_points(*particles_, which, into);
    }

    void set_due(int first, std::uint64_t count) override;
    Request request(bool potentials) override;
    Request request_here() override;
    void measure_external(const ExternalField& field, double time) override
    {
        inner_->measure_external(field, time);
    }
    void add_external(const ExternalField& field, double time) override
    {
        inner_->add_external(field, time);
    }
    NestedSets& sets() override { return inner_->sets(); }
    void begin_sets(std::optional<double> long_range_kick, const ExternalField* field,
                    double time) override
    {
        inner_->begin_sets(long_range_kick, field, time);
        inner_->sets().share(ranks_);
    }
    Request request_of_set(std::size_t set, bool potentials) override;
    ArrayView clear_long_range() override { return inner_->clear_long_range(); }
    void add_long_range(double kick) override { inner_->add_long_range(kick); }

    void begin_step() override;
    void restore() override;
    void kick_and_drift(const KickAndDrift& move) override;
    BlockEnd end_block(const LevelFactors& factors, const std::optional<NextLevels>& next) override;
    bool has_finite_positions() override;
    LevelCounts place(double whole, int lowest) override;
    void choose_first_steps(const BlockRule& rule) override { inner_->choose_first_steps(rule); }
    StepCounts count_steps() override;
    double shortest_time(const DynamicalTime& dynamical) override;
    void add_squared_velocities(ExactSums<double>& sums) override;

private:
    /// The exchange from local particles to home rows.
    struct Way {
        std::vector<Index> from;         ///< local indices, ordered by home rank
        std::vector<std::size_t> begins; ///< first entry per home rank, and the end
        Inbox to;                        ///< home row per received value
    };

    /// A Carrier sends columns to other ranks, one after the other.
    struct Carrier {
        Inbox leaving, arriving;

        template <class T>
        std::span<const T> send(std::span<const T> values, std::span<const Index> places,
                                std::span<const std::size_t> begins, Communicator& ranks);
    };

    void fill(StepColumns columns);
    Request with_part(Request request, bool potentials);
    std::vector<GlobalIndex> numbers_among(std::span<const Index> members);
    Way way_home(std::span<const GlobalIndex> numbers);
    std::vector<std::uint64_t> sizes_of(StepColumns& columns);
    void require_same_columns();
    bool are_misplaced();
    void migrate(const Migration& way, StepColumns& columns);
    template <class T>
    void migrate(const Migration& way, std::vector<T>& values, Carrier& carrier);
    bool has_steps(Column column) const;
    template <class T>
    void return_values(const std::vector<T>& values, std::vector<T>& home, Carrier& carrier);

    std::unique_ptr<ParticleStore> inner_;
    Communicator& ranks_;
    bool on_host_, has_domains_;
    Particles own_;
    GlobalCounts part_;                   ///< totals, and the first global number at home
    std::vector<std::uint64_t> homes_;    ///< first global number per home rank, and the end
    std::vector<GlobalIndex> number_;     ///< empty without domains
    std::vector<GlobalIndex> set_number_; ///< of the members of the last set, among them
    std::optional<Way> home_;             ///< made on demand
    MigrationPlan places_;                ///< by the last evaluation, or empty
    std::uint64_t steps_ = 0;             ///< begun since load()
    bool is_fetched_ = true;              ///< home rows are current
    bool is_alone_ = false;               ///< release_host_copy()
};

} // namespace chamomile
