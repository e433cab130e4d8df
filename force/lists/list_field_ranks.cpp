// ListField: work on particles distributed over ranks.
#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {

/// Returns the number of points on all ranks.
std::size_t ListField::count_of_all(std::size_t own) const
{
    std::uint64_t all = own;
    if (parts_.domains)
        parts_.domains->ranks().sum(std::span(&all, 1));
    return std::size_t(all);
}

void ListField::repair_rows(const Request& given)
{
    if (!given.position.on_device)
        return repair_rows_on_host(given);
    Request request = given;
    const auto fetch = [&](ArrayView& view, int components) {
        std::vector<double> rows =
            view ? read(view, given.count, components) : std::vector<double>();
        view = {};
        for (int c = 0; !rows.empty() && c < components; ++c)
            view.component[c] = reinterpret_cast<std::byte*>(rows.data() + c);
        view.stride = std::ptrdiff_t(components * sizeof(double));
        return rows;
    };
    const std::vector<double> position = fetch(request.position, 3),
                              acceleration = fetch(request.acceleration, 3),
                              potential = fetch(request.potential, 1),
                              softening = fetch(request.softening, 1);
    request.rung = nullptr; // all particles: non-targets keep finite sums from earlier
    request.active = {};
    request.part->active = request.part->count;
    repair_rows_on_host(request);
    write(acceleration, given.count, given.acceleration);
    write(potential, given.count, given.potential);
}

void ListField::repair_rows_on_host(const Request& request)
{
    DomainTreeBuilder& domains = *parts_.domains;
    auto [all, number] = domains.gather(plan_.id);
    domains.ranks().run_and_agree([&] {
        struct Row {
            GlobalIndex number;
            std::size_t i;
        };
        std::vector<Row> singular;
        std::vector<std::size_t> tracers;
        const bool all_active = request.are_all_active();
        for (std::size_t k = 0; k < (all_active ? request.count : request.active.size()); ++k) {
            const std::size_t i = all_active ? k : request.active[k];
            const Vec3<double> a = request.acceleration.load_vector(i);
            if (std::isfinite(a.x + a.y + a.z +
                              (request.potential ? request.potential.load(i) : 0)))
                continue;
            if (i < number.size())
                singular.push_back({number[i], i});
            else
                tracers.push_back(i);
        }
        const auto store = [&](std::size_t i, const Vec3<double>& a, double potential) {
            request.acceleration.store_vector(i, a);
            if (request.potential)
                request.potential.store(i, 0, potential);
        };
        std::ranges::sort(singular, {}, &Row::number); // the error names the first
        if (long_range_ && !singular.empty())
            refuse_singular_target(all, Index(singular.front().number), softening_.pair);
        SolverOptions exact = options_;
        exact.softening = softening_.pair;
        std::vector<Index> numbers;
        for (const Row& row : singular)
            numbers.push_back(Index(row.number));
        repair_singular_targets(all, numbers, exact, Quantities::acceleration_potential);
        for (const Row& row : singular)
            store(row.i, all.acceleration[row.number], all.potential[row.number]);
        for (const std::size_t i : tracers) {
            if (long_range_)
                throw singular_point(request.part->number_of(i) - all.size());
            const double length =
                all.softening.empty()
                    ? 0
                    : std::min(request.softening.load(i), sources_.particles().longest_softening);
            const double G = options_.gravitational_constant;
            const TargetSum sum = sum_of_single_target(all, request.position.load_vector(i), -1,
                                                       softening_.pair, length);
            const Vec3<double> a = G * sum.acceleration;
            const double potential = G * sum.potential;
            if (!std::isfinite(a.x + a.y + a.z + potential))
                throw Error(Fault::numeric, "target " +
                                                item(request.part->number_of(i) - all.size()) +
                                                ": field: not finite");
            store(i, a, potential);
        }
    });
}

} // namespace chamomile
