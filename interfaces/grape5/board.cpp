#include "chamomile/interfaces/grape5/board.hpp"

namespace chamomile {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

template <class Source>
std::span<const Source> first(const std::vector<Source>& sources, std::size_t n)
{
    if (n > sources.size())
        throw Error(Fault::usage, "n: " + std::to_string(n) +
                                      ": must be at most the number of loaded particles, " +
                                      std::to_string(sources.size()));
    return {sources.data(), n};
}

template <class Source>
void require_loaded(std::span<const Source> sources)
{
    for (std::size_t j = 0; j < sources.size(); ++j)
        if (!all_finite(as_rows(sources.subspan(j, 1))))
            throw Error(Fault::input,
                        "j-particle " + std::to_string(j) + ": not loaded, or not finite");
}

} // namespace

std::size_t Board::grow(int adr, int nj, const char* what)
{
    const std::size_t end = checked_count("adr", adr) + checked_count("nj", nj);
    if (end > max_sources)
        throw Error(Fault::usage, std::string(what) + ": " + std::to_string(end) +
                                      ": must be at most " + std::to_string(max_sources));
    return end;
}

void Board::load_positions(int adr, int nj, Row* x)
{
    const std::size_t end = grow(adr, nj, "j-particles");
    require_pointer("xj", x, std::size_t(nj));
    if (sources_.size() < end)
        sources_.resize(end, {{nothing, nothing, nothing}, nothing});
    for (std::size_t j = std::size_t(adr); j < end; ++j)
        sources_[j].position = vector_of(x[j]);
}

void Board::load_masses(int adr, int nj, const double* m)
{
    const std::size_t end = grow(adr, nj, "j-particles");
    require_pointer("mj", m, std::size_t(nj));
    if (sources_.size() < end)
        sources_.resize(end, {{nothing, nothing, nothing}, nothing});
    for (std::size_t j = std::size_t(adr); j < end; ++j)
        sources_[j].mass = m[j];
}

void Board::load_softenings(int adr, int nj, const double* eps2)
{
    const std::size_t end = grow(adr, nj, "j-particles");
    if (!eps2 && eps2_of_sources_.empty())
        return;
    if (eps2_of_sources_.size() < end)
        eps2_of_sources_.resize(end, 0.0);
    for (std::size_t j = std::size_t(adr); j < end; ++j)
        eps2_of_sources_[j] = eps2 ? checked_softening("epsj2", eps2[j]) : 0;
}

void Board::load_cells(int adr, int nj, Row* x, const double* m, const double (*q)[6])
{
    const std::size_t end = grow(adr, nj, "cells");
    require_pointer("xj", x, std::size_t(nj));
    require_pointer("mj", m, std::size_t(nj));
    require_pointer("qj", q, std::size_t(nj));
    if (cells_.size() < end)
        cells_.resize(end, {{nothing, nothing, nothing}});
    for (std::size_t j = std::size_t(adr); j < end; ++j)
        cells_[j] = {vector_of(x[j]), m[j], q[j][0], q[j][1], q[j][2], q[j][3], q[j][4], q[j][5]};
}

void Board::set_targets(int ni, Row* x, double eps2)
{
    has_targets_ = has_results_ = false;
    const std::size_t n = checked_count("ni", ni);
    require_pointer("xi", x, n);
    checked_softening("eps2", eps2);
    targets_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        targets_[i].position = vector_of(x[i]);
    eps2_ = eps2;
    eps2_of_targets_.clear();
    has_targets_ = true;
}

void Board::set_softenings(int ni, const double* eps2)
{
    require_targets();
    has_targets_ = has_results_ = false; // until their softening is set
    if (checked_count("ni", ni) != targets_.size())
        throw Error(Fault::usage, "ni: " + std::to_string(ni) +
                                      ": must be the number of i-particles, " +
                                      std::to_string(targets_.size()));
    require_pointer("eps", eps2, targets_.size());
    std::vector<double> values(eps2, eps2 + targets_.size());
    for (const double value : values)
        checked_softening("eps", value);
    eps2_of_targets_ = std::move(values);
    has_targets_ = true;
}

void Board::require_targets() const
{
    if (!has_targets_)
        throw Error(Fault::usage, "order of calls: no i-particles: call g5_set_xi first");
}

template <class Law>
std::vector<typename Law::template Target<double>> Board::softened_targets() const
{
    std::vector<typename Law::template Target<double>> targets(targets_.size());
    for (std::size_t i = 0; i < targets.size(); ++i)
        targets[i] = {targets_[i].position, eps2_of_targets_.empty() ? eps2_ : eps2_of_targets_[i]};
    return targets;
}

template <class Law>
void Board::sum(PairSolver& solver, const Law& law,
                const std::vector<typename Law::template Target<double>>& targets,
                std::span<const typename Law::template Source<double>> sources)
{
    using Sum = typename Law::template Sum<double>;
    std::vector<Sum> sums(targets.size());
    try {
        solver.sum({as_rows(std::span(targets)), as_rows(sources), {}, {}},
                   as_rows(std::span(sums)));
    } catch (const Error& error) {
        if (error.fault() == Fault::input)
            require_loaded(sources);
        throw;
    }
    repair<Law>(law, targets, sources, sums, [](std::size_t, std::size_t) { return true; });
    sums_.resize(4 * targets.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const Vec3<double>& a = sums[i].acceleration;
        sums_[4 * i] = a.x;
        sums_[4 * i + 1] = a.y;
        sums_[4 * i + 2] = a.z;
        if constexpr (requires { sums[i].potential; })
            sums_[4 * i + 3] = sums[i].potential;
        else
            sums_[4 * i + 3] = 0;
    }
    has_results_ = true;
}

void Board::sum_sources(const std::shared_ptr<const ForceTable>& table)
{
    require_targets();
    has_results_ = false;
    const std::span<const Source> sources = first(sources_, used_);
    if (table) {
        if (table != table_) {
            PairOptions options = options_of_environment();
            options.device = "cpu";
            options.cutoff = std::sqrt(table->cut2);
            tabulated_ = make_pair_solver(TabulatedForce{table.get()}, options);
            table_ = table;
        }
        using Law = TabulatedForce;
        std::vector<Law::Target<double>> targets;
        for (const Target& i : targets_)
            targets.push_back({i.position});
        std::vector<Law::Source<double>> pulling;
        for (const Source& j : sources)
            pulling.push_back({j.position, j.mass});
        sum(*tabulated_, Law{table.get()}, targets, std::span<const Law::Source<double>>(pulling));
        return;
    }
    if (eps2_ > 0 && eps2_of_targets_.empty() && eps2_of_sources_.empty()) {
        const GravityPotential law{std::sqrt(eps2_)};
        sum(uniform_.with(law), law, targets_, sources);
        return;
    }
    std::vector<SoftenedPairs::Source<double>> pulling;
    pulling.reserve(sources.size());
    for (std::size_t j = 0; j < sources.size(); ++j)
        pulling.push_back({sources[j].position, sources[j].mass,
                           j < eps2_of_sources_.size() ? eps2_of_sources_[j] : 0});
    const SoftenedPairs law;
    sum(softened_.with(law), law, softened_targets<SoftenedPairs>(),
        std::span<const SoftenedPairs::Source<double>>(pulling));
}

void Board::sum_cells()
{
    require_targets();
    has_results_ = false;
    const SoftenedQuadrupoles law;
    sum(quadrupoles_.with(law), law, softened_targets<SoftenedQuadrupoles>(),
        first(cells_, used_cells_));
}

void Board::results(int ni, double (*a)[3], double* potential, int sign) const
{
    const std::size_t n = checked_count("ni", ni);
    if (!has_results_)
        throw Error(Fault::usage, "order of calls: no results: call g5_run first, with success");
    if (n > targets_.size())
        throw Error(Fault::usage, "ni: " + std::to_string(ni) + ": must be at most " +
                                      std::to_string(targets_.size()));
    require_pointer("a", a, n);
    require_pointer("p", potential, n);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(&sums_[4 * i], 3, a[i]);
        potential[i] = sign < 0 ? sums_[4 * i + 3] : 0 - sums_[4 * i + 3];
    }
}

} // namespace chamomile
