/// \file  The particles of one rank of several, which all run the same leapfrog.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "chamomile/integrate/particle_store.hpp"

namespace chamomile {

/// A RankStore has this rank's share of the particles of all ranks in a store of the host, and
/// makes each call for them. What must be known of all is reduced, so that every rank gets the
/// same. All ranks make its calls together.
///
/// The attached particles of a rank are its home: those of rank 0 come first among all, then those
/// of rank 1 and so on. The particles live there at first, and on the rank of their domain, in the
/// order of the tree, once the ranks have exchanged them. They do before the second step, and later
/// where too many are on another rank, by the places that the last evaluation told. fetch() brings
/// what moves home.
class RankStore final : public ParticleStore {
public:
    /// Keeps a reference. `on_host`: forces come from the processor, where particles without mass
    /// at the end are no sources.
    RankStore(Communicator& ranks, const StoreOptions& options, bool on_host)
        : ParticleStore(options), inner_(make_host_store(options)), ranks_(ranks), on_host_(on_host)
    {}

    void load(StepColumns columns) override;
    void fetch() override;
    StepColumns columns() override;
    Particles& here() override { return own_; }
    PartOfAll part(Communicator& ranks) override
    {
        return {ranks, part_.count, part_.first, number_};
    }
    void keep_alone() override { is_alone_ = true; }
    void gather(std::span<const Index> which, const Vec3<double>& origin,
                std::span<MovingPoint> into) override
    {
        fetch();
        gather_points(*particles_, which, origin, into);
    }

    void set_due(int first, std::uint64_t count) override;
    Request request(bool potentials) override;
    Request request_here() override;
    void add_external(const ExternalField& field, double time) override
    {
        inner_->add_external(field, time);
    }
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
    double sum_of_squared_velocities() override;

private:
    /// A Way leads from this rank's particles to their homes.
    struct Way {
        std::vector<Index> from;         ///< places here, by the rank of their home
        std::vector<std::size_t> begins; ///< of each rank in it, and the end
        Inbox to;                        ///< places at this home of what arrives
    };

    void require_same_columns();
    bool are_misplaced();
    void migrate();
    template <class T>
    void migrate(std::vector<T>& values);
    bool has_steps(Column column) const;
    void find_home();
    template <class T>
    void bring_home(const std::vector<T>& values, std::vector<T>& home);

    std::unique_ptr<ParticleStore> inner_;
    Communicator& ranks_;
    bool on_host_;
    Particles own_;
    RequestPart part_; ///< what the ranks have together, and the first number of this rank's home
    std::vector<std::uint64_t> homes_; ///< first number of each rank's home, and the end
    std::vector<Index> number_;        ///< of each particle among all, once exchanged
    std::optional<Way> home_;          ///< once it is asked for
    PartPlaces places_;                ///< empty, or of the last evaluation
    std::uint64_t steps_ = 0;          ///< begun since all were loaded
    bool is_fetched_ = false;          ///< the particles at home are those of now
    bool is_alone_ = false;            ///< keep_alone()
};

} // namespace chamomile
