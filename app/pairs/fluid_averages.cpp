#include "app/pairs/fluid_averages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/text/table.hpp"

namespace chamomile::app {

FluidAverages::FluidAverages(const Fluid& fluid)
    : atoms_(double(fluid.options().n)), step_(fluid.options().step),
      energy_beyond_(fluid.long_range_energy()),
      pressure_beyond_(fluid.options().density * energy_beyond_), first_(fluid.state())
{}

void FluidAverages::add(std::uint64_t step, const FluidState& state)
{
    last_ = state.energy() - first_.energy();
    largest_ = std::max(largest_, std::isnan(last_) ? std::numeric_limits<double>::infinity()
                                                    : std::abs(last_));
    rows_.push_back({double(step), state.potential / atoms_ + energy_beyond_,
                     state.kinetic / atoms_, state.energy() / atoms_ + energy_beyond_,
                     state.temperature, state.pressure + pressure_beyond_});
}

void FluidAverages::exchange(Archive& archive)
{
    archive("averages/potential", first_.potential);
    archive("averages/kinetic", first_.kinetic);
    archive("averages/largest", largest_);
    archive("averages/last", last_);
    archive.records("averages/rows", rows_);
}

FluidAverages::Mean FluidAverages::mean_of(double Row::*field) const
{
    Mean mean;
    for (const Row& row : rows_)
        mean.value += row.*field / double(rows_.size());
    const std::size_t parts = std::min<std::size_t>(10, rows_.size());
    if (parts < 2)
        return mean;
    double squares = 0;
    for (std::size_t p = 0; p < parts; ++p) {
        const std::size_t begin = rows_.size() * p / parts, end = rows_.size() * (p + 1) / parts;
        double part = 0;
        for (std::size_t k = begin; k < end; ++k)
            part += rows_[k].*field / double(end - begin);
        squares += (part - mean.value) * (part - mean.value);
    }
    mean.error = std::sqrt(squares / double(parts * (parts - 1)));
    return mean;
}

double FluidAverages::drift() const
{
    const double scale = std::max(std::abs(first_.energy()), first_.kinetic);
    return largest_ > 0 ? largest_ / scale : 0;
}

std::string FluidAverages::drift_text() const
{
    const double total = std::abs(first_.energy()), kinetic = first_.kinetic;
    return formatted("total energy: change %.2e at the end, %.2e at most, of |E|; %.2e and %.2e of "
                     "the kinetic energy",
                     last_ / total, largest_ / total, last_ / kinetic, largest_ / kinetic);
}

std::string FluidAverages::csv() const
{
    std::string text = "step,time,potential,kinetic,total,temperature,pressure\n";
    for (const Row& row : rows_) {
        text += std::to_string(std::uint64_t(row.step));
        for (const double value : {row.step * step_, row.potential, row.kinetic, row.total,
                                   row.temperature, row.pressure})
            text += ',' + number_text(value);
        text += '\n';
    }
    return text;
}

} // namespace chamomile::app
