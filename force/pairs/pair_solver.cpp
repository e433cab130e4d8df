// Checks options and rows, and chooses the host or a device.
#include "chamomile/force/pairs/pair_solver.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/text/spelling.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/pairs/host_pair_solver.hpp"

namespace chamomile {
namespace {

void check(const LawCode& code, const PairOptions& o)
{
    const auto refuse = [&](const std::string& line) {
        throw Error(Fault::usage, code.name + ": " + line);
    };
    if (!(o.cutoff > 0))
        refuse("cut-off: " + std::to_string(o.cutoff) + ": must be above 0");
    if (std::isfinite(o.cutoff) && !code.positions)
        refuse("cut-off: needs a law with positions");
    if (o.group_size < 0 || o.group_size > 1 << 16)
        refuse("group size: " + std::to_string(o.group_size) + ": must be 1 to 65536, or 0");
    for (const double side : {o.period.x, o.period.y, o.period.z}) {
        if (!(side >= 0) || !std::isfinite(side))
            refuse("period: " + std::to_string(side) + ": must be 0 or more");
        if (side > 0 && !(2 * o.cutoff <= side))
            refuse("period: " + std::to_string(side) + ": must be at least twice the cut-off, " +
                   std::to_string(o.cutoff));
    }
}

} // namespace

void check_rows(const LawCode& code, const PairTask& task, std::span<const double> sums)
{
    const auto refuse = [&](const std::string& line) {
        throw Error(Fault::input, code.name + ": " + line);
    };
    const auto rows = [&](std::span<const double> values, int width, const char* what) {
        if (values.size() % std::size_t(width) != 0)
            refuse(std::string(what) + ": " + std::to_string(values.size()) +
                   " values: must be rows of " + std::to_string(width));
        const std::size_t n = values.size() / std::size_t(width);
        if (n > (std::size_t(1) << 32) - pair_tile)
            refuse(std::string(what) + ": " + std::to_string(n) + ": must be below 2^32");
        if (task.systems.is_checked)
            return n;
        double probe = 0; // NaN if some value is not finite
#pragma omp parallel for simd if (values.size() > worth_threads) reduction(+ : probe)
        for (std::size_t k = 0; k < values.size(); ++k)
            probe += 0 * values[k];
        for (std::size_t k = 0; probe != 0 && k < values.size(); ++k)
            if (!std::isfinite(values[k]))
                refuse(std::string(what) + ": row " + std::to_string(k / std::size_t(width)) +
                       ": value " + std::to_string(k % std::size_t(width)) + ": " +
                       std::to_string(values[k]) + ": must be finite");
        return n;
    };
    const std::size_t sources = rows(task.sources, code.shape.source, "sources");
    const SmallSystems& systems = task.systems;
    const bool are_apart = systems.empty();
    const std::size_t targets =
        are_apart ? rows(task.targets, code.shape.target, "targets") : sources;
    if (sums.size() != targets * std::size_t(code.shape.sum))
        refuse("sums: " + std::to_string(sums.size()) + " values: must be " +
               std::to_string(targets) + " rows of " + std::to_string(code.shape.sum));
    if (!task.self.empty() && task.self.size() != targets)
        refuse("self: " + std::to_string(task.self.size()) + " numbers: must be one per target, " +
               std::to_string(targets));
    for (const std::uint32_t s : task.self)
        if (s >= sources && s != no_source)
            refuse("self: " + std::to_string(s) + ": must be below " + std::to_string(sources));
    if (!are_apart) {
        const std::span<const std::uint64_t> offsets = systems.offsets;
        if (offsets.front() != 0 || offsets.back() != sources ||
            !std::is_sorted(offsets.begin(), offsets.end()))
            refuse("systems: offsets: must ascend from 0 to the number of sources, " +
                   std::to_string(sources));
        if (!task.targets.empty() || !task.self.empty() || !task.excluded.begin.empty())
            refuse("systems: targets, self, excluded pairs: must be empty");
        if (code.shape.target + 1 != code.shape.source || systems.left_out < 0 ||
            systems.left_out > code.shape.target)
            refuse("systems: value left out: " + std::to_string(systems.left_out) +
                   ": must make a source's row a target's");
    }
    const Exclusions& e = task.excluded;
    if (e.begin.empty())
        return;
    if (e.begin.size() != targets + 1 || e.begin.back() > e.sources.size())
        refuse("excluded pairs: rows: must be one per target, " + std::to_string(targets));
    for (std::size_t i = 0; i < targets; ++i)
        if (e.begin[i] > e.begin[i + 1])
            refuse("excluded pairs: row " + item(i) + ": must not end before it begins");
    for (std::uint64_t k = e.begin.front(); k < e.begin.back(); ++k)
        if (e.sources[k] >= sources)
            refuse("excluded pairs: source " + item(e.sources[k]) + ": must be below " +
                   std::to_string(sources));
}

std::unique_ptr<PairSolver> make_pair_solver(const LawCode& code, const void* law,
                                             const PairOptions& options)
{
    check(code, options);
    const int gpu = choose_gpu(options.device);
    return gpu < 0 ? make_host_pair_solver(code, law, options)
                   : make_cuda_pair_solver(gpu, code, law, options);
}

} // namespace chamomile
