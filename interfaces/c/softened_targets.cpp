#include "chamomile/interfaces/c/softened_targets.hpp"

#include <cmath>

#include "chamomile/core/text/spelling.hpp"
#include "chamomile/interfaces/c/views.hpp"

namespace chamomile::c {
namespace {

/// A Gathered is a contiguous copy of some items of a view.
class Gathered {
public:
    Gathered(const ArrayView& all, const std::vector<std::size_t>& members)
        : all_(all), members_(members), width_(all.components()),
          values_(members.size() * std::size_t(width_))
    {}
    void read()
    {
        for (std::size_t k = 0; k < members_.size(); ++k)
            for (int c = 0; c < width_; ++c)
                values_[k * std::size_t(width_) + std::size_t(c)] = all_.load(members_[k], c);
    }
    void write() const
    {
        for (std::size_t k = 0; k < members_.size(); ++k)
            for (int c = 0; c < width_; ++c)
                all_.store(members_[k], c, values_[k * std::size_t(width_) + std::size_t(c)]);
    }
    ArrayView view()
    {
        ArrayView view;
        for (int c = 0; c < width_; ++c)
            view.component[c] = reinterpret_cast<std::byte*>(values_.data() + c);
        view.stride = std::ptrdiff_t(sizeof(double)) * width_;
        return view;
    }

private:
    const ArrayView& all_;
    const std::vector<std::size_t>& members_;
    int width_;
    std::vector<double> values_;
};

void evaluate_members(chm_context& context, FieldSolver& solver, const FieldTargets& all,
                      const std::vector<std::size_t>& members, const FieldResults& results)
{
    Gathered position(all.position, members), velocity(all.velocity, members);
    position.read();
    velocity.read();
    std::vector<std::int64_t> self;
    for (std::size_t i : members)
        if (!all.self.empty())
            self.push_back(all.self[i]);
    Gathered acceleration(results.acceleration, members), potential(results.potential, members),
        tidal(results.tidal, members), jerk(results.jerk, members);
    context.timed([&] {
        return solver.evaluate({members.size(), position.view(), velocity.view(), self},
                               {acceleration.view(), potential.view(), tidal.view(), jerk.view()});
    });
    for (const Gathered* gathered : {&acceleration, &potential, &tidal, &jerk})
        gathered->write();
}

} // namespace

void evaluate(chm_context& context, const SoftenedTargets& targets, const FieldResults& results)
{
    const FieldTargets& points = targets.points;
    std::map<double, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < points.count; ++i) {
        const double eps = targets.softening.load(i);
        if (!(eps >= 0) || !std::isfinite(eps))
            throw Error(Fault::input, "softening: target " + item(i) + ": " + std::to_string(eps) +
                                          ": must be 0 or more");
        groups[eps].push_back(i);
    }
    if (groups.size() == 1) {
        FieldSolver& solver = context.softened_solver(groups.begin()->first);
        context.timed([&] { return solver.evaluate(points, results); });
        return;
    }
    for (const ArrayView& view : {points.position, points.velocity, results.acceleration,
                                  results.potential, results.tidal, results.jerk})
        if (view.on_device)
            refuse("softening: several values: must be one value for targets on a GPU");
    for (const auto& [eps, members] : groups)
        evaluate_members(context, context.softened_solver(eps), points, members, results);
}

} // namespace chamomile::c
