#include "chamomile/interfaces/grape6/cluster.hpp"

#include <utility>

namespace chamomile {
namespace {

bool finite(const Vec3<double>& x)
{
    return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z);
}

} // namespace

void Cluster::load(int address, const JParticle& p)
{
    const std::size_t at = checked_count("address", address);
    if (at >= max_sources)
        throw Error(Fault::usage, "address: " + std::to_string(address) + ": must be below " +
                                      std::to_string(max_sources));
    if (!finite(p.x) || !finite(p.v) || !finite(p.a2) || !finite(p.j6) || !finite(p.s18) ||
        !std::isfinite(p.t) || !std::isfinite(p.mass))
        throw Error(Fault::input, "j-particle " + std::to_string(address) + ": must be finite");
    if (particles_.size() <= at)
        particles_.resize(at + 1);
    JParticle& place = particles_[at];
    same_ids_ = same_ids_ && place.loaded && place.id == p.id;
    place = p;
    place.loaded = true;
    current_ = false;
}

void Cluster::set_time(double t)
{
    if (!std::isfinite(t))
        throw Error(Fault::input, "ti: " + std::to_string(t) + ": must be finite");
    if (t != time_)
        current_ = false;
    time_ = t;
}

void Cluster::predict(int nj)
{
    const std::size_t n = checked_count("nj", nj);
    if (n > particles_.size())
        throw NeverMade("nj: " + std::to_string(nj) +
                        ": must be at most the number of loaded addresses, " +
                        std::to_string(particles_.size()));
    if (current_ && n <= predicted_)
        return;
    if (!same_ids_ || ids_.size() != n) {
        predicted_ = 0;
        same_ids_ = ids_sorted_ = false;
        ids_.resize(n);
        for (std::size_t j = 0; j < n; ++j) {
            if (!particles_[j].loaded)
                throw NeverMade("j-particle " + std::to_string(j) + ": not loaded");
            ids_[j] = particles_[j].id;
        }
        same_ids_ = true;
    }
    sources_.resize(n);
    const JParticle* from = particles_.data();
    Source* to = sources_.data();
    const double now = time_;
#pragma omp parallel for schedule(static) if (n > 8192)
    for (std::size_t j = 0; j < n; ++j) {
        const JParticle& p = from[j];
        const double dt = now - p.t;
        to[j].position = p.x + dt * (p.v + dt * (p.a2 + dt * (p.j6 + (0.75 * dt) * p.s18)));
        to[j].velocity = p.v + dt * (2.0 * p.a2 + (3 * dt) * (p.j6 + dt * p.s18));
        to[j].mass = p.mass;
    }
    predicted_ = n;
    current_ = true;
    split_ = false;
}

void Cluster::sort_ids()
{
    if (ids_sorted_)
        return;
    sorted_.clear();
    for (std::size_t j = 0; j < ids_.size(); ++j)
        sorted_.emplace_back(ids_[j], std::uint32_t(j));
    std::sort(sorted_.begin(), sorted_.end());
    ids_sorted_ = true;
}

void Cluster::exclude_own(std::size_t nj, const IParticles& targets)
{
    sort_ids();
    excluded_.clear();
    excluded_begin_.assign(1, 0);
    for (std::size_t i = 0; i < targets.count; ++i) {
        auto own = std::lower_bound(sorted_.begin(), sorted_.end(),
                                    std::pair(targets.id[i], std::uint32_t(0)));
        for (; own != sorted_.end() && own->first == targets.id[i]; ++own)
            if (own->second < nj)
                excluded_.push_back(own->second);
        excluded_begin_.push_back(excluded_.size());
    }
}

void Cluster::sum(int nj, const IParticles& targets, const ForceResults& results)
{
    forget_results();
    const std::size_t sources = checked_count("nj", nj), n = targets.count;
    if (sources > predicted_)
        throw Error(Fault::usage,
                    "order of calls: call g6calc_firsthalf first, with at least nj j-particles");
    require_pointer("index", targets.id, n);
    require_pointer("xi", targets.x, n);
    require_pointer("vi", targets.v, n);
    require_pointer("acc", results.acceleration, n);
    require_pointer("jerk", results.jerk, n);
    require_pointer("pot", results.potential, n);
    const double eps = std::sqrt(checked_softening("eps2", targets.eps2));
    const GravityJerk law{eps};

    std::vector<GravityJerk::Target<double>> rows(n);
    places_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        rows[i] = {vector_of(targets.x[i]), vector_of(targets.v[i])};
        const double h2 = targets.h2 ? targets.h2[i] : 0;
        places_[i] = {{targets.x[i][0], targets.x[i][1], targets.x[i][2]}, h2, targets.id[i]};
    }
    exclude_own(sources, targets);
    const std::span<const Source> pulling(sources_.data(), sources);
    std::vector<GravityJerk::Sum<double>> sums(n);
    solver_.with(law).sum({as_rows(std::span(std::as_const(rows))),
                           as_rows(pulling),
                           {},
                           {excluded_begin_, excluded_}},
                          as_rows(std::span(sums)));
    mend(rows, pulling, eps, sums);
    for (std::size_t i = 0; i < n; ++i) {
        store(sums[i].acceleration, results.acceleration[i]);
        store(sums[i].jerk, results.jerk[i]);
        results.potential[i] = sums[i].potential;
    }
    seen_ = sources;
    has_targets_ = true;
    has_radii_ = targets.h2 != nullptr;
    if (results.nearest)
        find_nearest(results);
}

void Cluster::mend(std::span<const GravityJerk::Target<double>> targets,
                   std::span<const Source> sources, double eps,
                   std::span<GravityJerk::Sum<double>> sums) const
{
    const auto sees = [&](std::size_t i, std::size_t j) {
        const auto first = excluded_.begin() + std::ptrdiff_t(excluded_begin_[i]),
                   last = excluded_.begin() + std::ptrdiff_t(excluded_begin_[i + 1]);
        if (std::find(first, last, std::uint32_t(j)) != last)
            return false;
        if (eps == 0 && sources[j].position == targets[i].position)
            throw Error(Fault::input, "j-particle " + std::to_string(j) +
                                          ": at the position of target " + std::to_string(i) +
                                          ", id " + std::to_string(places_[i].id) +
                                          ": needs a softening > 0");
        return true;
    };
    repair<GravityJerk>(GravityJerk{eps}, targets, sources, sums, sees);
}

} // namespace chamomile
