// Individual steps of particles that stay on the GPU.
#include "chamomile/core/archive.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/integrate/block_leapfrog.hpp"
#include "chamomile/integrate/device_blocks.hpp"
#include "chamomile/integrate/resident.hpp"

namespace chamomile {
namespace {

class ResidentBlocks final : public BlockLeapfrog {
public:
    ResidentBlocks(Solver& solver, const BlockSteps& steps, const Clock& clock)
        : BlockLeapfrog(solver, steps, clock),
          there_(make_device_blocks(choose_gpu(solver.options().device)))
    {}

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override
    {
        is_loaded_ = is_lost_ = false;
        is_current_ = true;
        ForceStatistics statistics = BlockLeapfrog::start(particles, quantities, now);
        load(particles);
        return statistics;
    }

    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override
    {
        require_state();
        is_current_ = false;
        try {
            return BlockLeapfrog::step(particles, length, quantities, now);
        } catch (...) {
            try {
                bring(particles);
            } catch (const Error&) { // the device is lost: the host has what was brought last
            }
            throw;
        }
    }

    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override
    {
        bring(particles);
        is_current_ = !is_loaded_; // where it throws, the device's count
        ForceStatistics statistics = BlockLeapfrog::evaluate(particles, quantities, now);
        is_current_ = true;
        return statistics;
    }

    void bring(Particles& particles) override
    {
        require_state();
        if (!is_current_)
            there_->store(particles);
        is_current_ = true;
    }

    void exchange(Archive& archive, Particles& particles) override
    {
        if (!archive.is_reading()) {
            there_->store_state(state());
            if (splits_forces())
                there_->store_long_range(long_range_);
        }
        BlockLeapfrog::exchange(archive, particles);
        if (archive.is_reading())
            load(particles);
    }

private:
    DeviceBlocks::State state() { return {state_.wish, state_.time, state_.orbit}; }

    void load(const Particles& particles)
    {
        there_->load(particles, state());
        if (splits_forces())
            there_->load_long_range(long_range_);
        is_current_ = is_loaded_ = true;
        is_lost_ = false;
    }

    void require_state() const
    {
        if (is_lost_)
            throw Error(Fault::device, "resident: the state on the GPU is lost");
    }

    Wishes count_wishes() override
    {
        Wishes wishes;
        wishes.shortest = there_->count_wishes(wishes.count);
        return wishes;
    }

    void keep(Particles&) override { there_->keep(); }
    void restore(Particles&) override
    {
        is_lost_ = true;
        try {
            there_->restore();
            is_lost_ = false;
        } catch (const Error&) { // the step's own error is the one to tell
        }
    }

    void place(const Particles&, double length) override
    {
        levels_.begin(0, length, floor(length));
        levels_.set_counts(there_->place(length, levels_.lowest()));
        first_ = 0;
    }

    void kick(Particles& particles, Half half) override
    {
        if (!there_->kick(factors(half), first_) && half == Half::second)
            refuse(particles);
    }

    void advance() override
    {
        levels_.advance();
        first_ = levels_.longest_due();
    }

    void drift(Particles& particles, Moment now) override
    {
        now_ = {now.step, clock_.stated(begin_ + levels_.elapsed())};
        if (!there_->drift(drift_factor(), box_))
            refuse(particles);
    }

    ForceStatistics evaluate_due(Particles& particles, Quantities quantities, Moment now) override
    {
        const bool all = levels_.due_count() == particles.size();
        Request request =
            there_->request(quantities == Quantities::acceleration_potential, all ? 0 : first_);
        describe(request, now);
        if (splits_forces() && levels_.at_end()) {
            request.long_range = LongRangePart::apart;
            request.apart = there_->clear_long_range();
        }
        return solver_.evaluate(request);
    }

    void kick_by_long_range(Particles&, double factor) override
    {
        there_->kick_by_long_range(factor);
    }
    void take_long_range_off(Particles&) override { there_->split(true); }
    void add_long_range(Particles&) override { there_->split(false); }
    double sum_of_squared_velocities(const Particles&) override
    {
        return there_->sum_of_squared_velocities();
    }

    std::uint64_t wish_anew(const Particles&) override
    {
        return there_->wish_anew(rule(begin_ + levels_.elapsed()), levels_.whole(),
                                 levels_.lowest(), first_);
    }

    void change() override
    {
        levels_.set_counts(
            there_->change(levels_.whole(), levels_.lowest(), first_, levels_.may_rise()));
    }

    [[noreturn]] void refuse(Particles& particles)
    {
        there_->store(particles);
        require_finite(particles, particles.position, "position", now_);
        require_finite(particles, particles.acceleration, "acceleration", now_);
        throw Error(Fault::device, "particles on the GPU are not finite, but those copied are");
    }

    std::unique_ptr<DeviceBlocks> there_;
    int first_ = 0;           ///< the level with the longest steps that is due
    bool is_current_ = false; ///< the host's particles are those of now
    bool is_loaded_ = false;  ///< the device has any
    bool is_lost_ = false;    ///< the device's are those of no time
    Moment now_;              ///< as it is stated
};

} // namespace

std::unique_ptr<BlockLeapfrog> make_resident_blocks(Solver& solver, const BlockSteps& steps,
                                                    const Clock& clock)
{
    if (!solver.takes_device_arrays())
        throw Error(Fault::usage, "resident: needs a GPU, and a tree, in boxes with a mesh");
    return std::make_unique<ResidentBlocks>(solver, steps, clock);
}

} // namespace chamomile
