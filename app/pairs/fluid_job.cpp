#include "app/pairs/fluid_job.hpp"

#include <algorithm>

#include "chamomile/core/error.hpp"

namespace chamomile::app {

std::string earlier_checkpoint(const std::string& checkpoint)
{
    return checkpoint + ".1";
}

FluidJob::FluidJob(const FluidRun& run, const std::map<std::string, std::string>& options)
    : run_(run), options_(options), fluid_(run.fluid)
{
    if (run_.equilibrate == 0)
        averages_.emplace(fluid_);
}

void FluidJob::exchange(Archive& archive)
{
    archive("fluid/options", options_);
    archive("fluid/step", step_);
    archive("fluid/counted", counted_);
    archive("fluid/potential", potential_);
    fluid_.exchange(archive);
    bool measures = averages_.has_value();
    archive("fluid/measures", measures);
    if (measures && !averages_)
        averages_.emplace(fluid_);
    if (measures)
        averages_->exchange(archive);
}

void FluidJob::restore(CheckpointReader& archive)
{
    const auto options = options_;
    exchange(archive);
    options_ = options; // keep the current options
    restored_ = archive.path();
    std::error_code none;
    is_ours_ = std::filesystem::equivalent(restored_, run_.checkpoint, none);
}

std::string FluidJob::execute(const std::function<void()>& after)
{
    const std::uint64_t end = run_.equilibrate + run_.steps, begin = step_;
    std::optional<StopRequests> requests;
    if (!run_.checkpoint.empty()) {
        const std::filesystem::path folder = std::filesystem::path(run_.checkpoint).parent_path();
        requests.emplace(folder.empty() ? "." : folder, run_.max_walltime);
    }
    while (step_ < end) {
        take_step();
        after();
        if (!requests)
            continue;
        requests->record_step();
        const std::string reason = step_ < end ? requests->reason(step_ > begin) : "";
        const bool is_first = requests->has_limit() && checkpoint_seconds_ == 0;
        const bool is_due = run_.checkpoint_walltime > 0 &&
                            wall_clock_seconds() - checkpoint_time_ >= run_.checkpoint_walltime;
        if (requests->wants_checkpoint() || is_first || is_due || !reason.empty() || step_ == end) {
            write_checkpoint();
            requests->record_checkpoint(checkpoint_seconds_);
        }
        if (!reason.empty())
            return reason;
    }
    return "";
}

void FluidJob::take_step()
{
    fluid_.step();
    ++step_;
    if (step_ <= run_.equilibrate)
        return equilibrate();
    const std::uint64_t k = step_ - run_.equilibrate;
    if (k % run_.every == 0 || k == run_.steps)
        averages_->add(k, fluid_.state());
}

/// Rescales velocities every few steps. The last rescaling sets the mean, not the momentary,
/// kinetic energy to the temperature.
void FluidJob::equilibrate()
{
    constexpr std::uint64_t between = 10;
    if (step_ % between == 0) {
        if (2 * step_ > run_.equilibrate) {
            potential_ += fluid_.state().potential;
            ++counted_;
        }
        fluid_.rescale(fluid_.kinetic_wanted());
    }
    if (step_ < run_.equilibrate)
        return;
    if (counted_ > 0) {
        const double kinetic =
            fluid_.kinetic_wanted() + potential_ / double(counted_) - fluid_.state().potential;
        if (kinetic > 0)
            fluid_.rescale(kinetic);
    }
    averages_.emplace(fluid_);
}

/// Keeps the previous checkpoint under another name, if this run wrote it.
void FluidJob::keep_earlier()
{
    const std::filesystem::path earlier = earlier_checkpoint(run_.checkpoint);
    std::error_code none, fault; // a missing one does no harm
    if (!is_ours_ && std::filesystem::equivalent(restored_, earlier, none))
        return;
    std::filesystem::remove(earlier, none);
    if (!is_ours_)
        return;
    std::filesystem::create_hard_link(run_.checkpoint, earlier, fault);
    if (fault)
        std::filesystem::copy_file(run_.checkpoint, earlier, none);
}

void FluidJob::write_checkpoint()
{
    const double start = wall_clock_seconds();
    keep_earlier();
    chamomile::write_checkpoint(run_.checkpoint, [this](Archive& archive) { exchange(archive); });
    is_ours_ = true;
    checkpoint_time_ = wall_clock_seconds();
    checkpoint_seconds_ = std::max(checkpoint_seconds_, checkpoint_time_ - start);
}

} // namespace chamomile::app
