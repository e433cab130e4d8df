/// \file  What each rank does of a store of particles on ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/particle_store.hpp"

namespace chamomile {

/// A StoreOrder tells the ranks which call of a ParticleStore to make, with its arguments.
struct StoreOrder {
    enum class Call {
        load,
        take,
        loaded,
        gather,
        rows,
        set_due,
        request,
        count_tracers,
        add_external,
        begin_step,
        restore,
        kick_and_drift,
        kick,
        has_finite_positions,
        place,
        change_levels,
        choose_first_steps,
        choose_steps,
        count_steps,
        shortest_time
    };
    Call call;
    std::uint64_t count = 0;          ///< of the particles of all ranks, of those due or of a list
    std::uint64_t begin = 0, end = 0; ///< of a range of particles
    Column value = {};
    int first = 0, lowest = 0;
    double whole = 0, time = 0;
    std::uint64_t may_rise = 0;
    bool potentials = false;
    Vec3<double> origin = {};
    StoreOptions options = {};
    KickAndDrift move = {};
    LevelFactors factors = {};
    BlockRule rule = {};
    ExternalTerms terms = {};
};

/// A StoreAnswer is what a call returns, of all ranks on rank 0.
struct StoreAnswer {
    LevelCounts levels = {};
    std::uint64_t count = 0;
    double least = std::numeric_limits<double>::infinity();
    bool is_finite = true;

    void add(const StoreAnswer& other);
};

/// A StorePart holds a rank's part of the particles that rank 0 has loaded, in a store of the host:
/// a run of them at first, and the sources of its domain, in the order of the tree, once the ranks
/// have exchanged them. That is done before the second step, and later where too many are on
/// another rank, by what the last evaluation of a tree has told.
class StorePart final : public RankGuest {
public:
    explicit StorePart(Communicator& ranks) : ranks_(ranks) {}

    /// On rank 0 these are the caller's particles, and a block of a value of them, which are to be
    /// loaded.
    const Particles* all = nullptr;
    std::span<const std::byte> block = {};
    /// These are the particles of all that are asked for, and their points or rows.
    std::span<const Index> which = {};
    std::span<MovingPoint> points = {};
    std::span<std::byte> rows = {};

    const StoreAnswer& answer() const { return answer_; }
    const StepCounts& step_counts() const { return step_counts_; }

    void carry_out(std::span<const std::byte> message) override;
    Request request() override;

private:
    /// A Numbered is a particle's number among all and its place here.
    struct Numbered {
        Index number, place;
        friend auto operator<=>(const Numbered&, const Numbered&) = default;
    };

    StoreAnswer make(const StoreOrder& order);
    void load(const StoreOrder& order);
    void take(const StoreOrder& order);
    void end_load();
    void begin_step();
    bool are_misplaced();
    void exchange();
    template <class T>
    void exchange(std::vector<T>& values, bool are_kept = true);
    void gather(const Vec3<double>& origin);
    void send_rows(const StoreOrder& order);
    void count_steps();
    template <class T>
    void deal(const std::vector<T>* values, std::vector<T>& own);
    template <class T>
    void take(std::uint64_t begin, std::vector<T>& own);
    /// Own particles that were asked for: where they are here, and among the asked.
    struct Found {
        std::vector<Index> here, asked;
        std::uint64_t begin = 0, end = 0; ///< of the range that they are of; equal: of none
        bool is_new = true;               ///< rank 0 does not know yet what was asked

        void clear()
        {
            here.clear();
            asked.clear();
            begin = end = 0;
            is_new = true;
        }
        /// Takes so many, of which pair(k) returns place and place among those that were asked for.
        template <class Pair>
        void fill(std::size_t n, const Pair& pair);
        void push_back(Index place, Index among)
        {
            here.push_back(place);
            asked.push_back(among);
        }
    };
    void sort_numbers();
    void find_range(std::uint64_t begin, std::uint64_t end);
    void find_list();
    template <class T>
    void send(const std::vector<T>& values, std::vector<T>& found);
    template <class T>
    void send_found(std::span<const T> values, std::span<T> into);

    Communicator& ranks_;
    Particles own_;
    std::unique_ptr<ParticleStore> store_;
    std::uint64_t count_ = 0, due_ = 0; ///< of all ranks
    bool asks_potentials_ = false;
    bool has_columns_ = false, has_orbits_ = false; ///< StepColumns
    bool has_softenings_ = false, has_ids_ = false; ///< on some rank
    std::vector<Index> number_;                     ///< of each particle among all, once exchanged
    std::vector<Numbered> by_number_;               ///< made where it is needed
    Found found_;                                   ///< what was asked for last, at most a block
    std::vector<Index> asked_of_all_;               ///< on rank 0
    std::vector<Vec3<double>> vectors_;             ///< values of what was found
    std::vector<double> reals_;                     ///< likewise
    std::optional<StepColumns> columns_;            ///< of now, while they are sent or loaded
    std::uint64_t exchanges_ = 0;                   ///< of particles between ranks, so far
    std::uint64_t steps_ = 0;                       ///< begun since all were loaded
    PartPlaces places_;                             ///< empty, or of the last evaluation
    std::unique_ptr<std::byte[]> left_;             ///< values that leave, while they are exchanged
    StoreAnswer answer_;
    StepCounts step_counts_;
    Inbox inbox_;
};

/// Serves the solvers and stores of rank 0 until end_serving() is called there, as serve_solver()
/// does.
void serve_particles(Communicator& ranks);

} // namespace chamomile
