#include "app/measure/reference.hpp"

#include <algorithm>
#include <utility>

#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/exact_sums.hpp"

namespace chamomile::app {
namespace {

constexpr double long_sum = 2e9; // pairs; ten seconds on two cores
constexpr std::size_t checked_targets = 1000;
constexpr double allowed_difference = 1e-12;

} // namespace

const char* device_word(ReferenceDevice device)
{
    return device == ReferenceDevice::cpu ? "cpu" : device == ReferenceDevice::gpu ? "gpu" : "auto";
}

std::vector<OptionRow<ReferenceRequest>> reference_rows(Range sample_range)
{
    OptionRows<ReferenceRequest> rows;
    rows.group("Measurement");
    rows.number("sample", &ReferenceRequest::sample, sample_range,
                std::string("particles that are compared with the direct sum in double") +
                    (sample_range.contains(0) ? "; 0: none" : ""));
    rows.choice("reference", &ReferenceRequest::device,
                {{"auto", ReferenceDevice::automatic},
                 {"cpu", ReferenceDevice::cpu},
                 {"gpu", ReferenceDevice::gpu}},
                "device for this sum above 2e9 pairs, by the direct solver in double; up to 1000 "
                "targets are checked pair by pair");
    return rows.take();
}

void require_reference(const Options& options, ReferenceDevice device, bool in_box)
{
    refuse_idle(options, {{in_box && device == ReferenceDevice::gpu, "reference",
                           "sums in a periodic box are made on the processor"}});
}

Reference::Reference(Particles& particles, std::vector<Index> targets,
                     double gravitational_constant, ReferenceDevice device, double box)
    : particles_(particles), targets_(std::move(targets)),
      gravitational_constant_(gravitational_constant), device_(device), box_(box)
{}

const ReferenceSums& Reference::sums(Softening softening)
{
    const auto [place, is_new] = sums_.try_emplace({softening.kind, softening.length});
    if (is_new) {
        const bool is_long =
            box_ == 0 && double(particles_.size()) * double(targets_.size()) > long_sum;
        text_ = formatted(box_ > 0 ? "%zu targets by Ewald's sums in double"
                                   : "%zu targets pair by pair in double",
                          targets_.size());
        place->second = is_long ? by_solver(softening)
                                : exact_sums(particles_, targets_,
                                             {softening, {}, gravitational_constant_, box_});
    }
    return place->second;
}

ReferenceSums Reference::by_solver(Softening softening)
{
    SolverOptions options;
    options.solver = SolverKind::direct;
    options.precision = Precision::double_precision;
    options.device = device_word(device_);
    options.softening = softening;
    options.gravitational_constant = gravitational_constant_;
    const auto solver = make_solver(options);
    ReferenceSums sums = sums_by(*solver, particles_, targets_);

    std::vector<Index> checked;
    const std::vector<Index> places = sample_targets(targets_.size(), checked_targets);
    for (Index place : places)
        checked.push_back(targets_[place]);
    const ReferenceSums exact =
        reference_sum(particles_, checked, softening, gravitational_constant_);
    double largest = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
        sums.absolute_sum[places[k]] = exact.absolute_sum[k];
        largest = std::max(largest,
                           norm_of_any_size(sums.acceleration[places[k]] - exact.acceleration[k]) /
                               exact.absolute_sum[k]);
        largest = std::max(largest, std::abs(sums.potential[places[k]] / exact.potential[k] - 1));
    }
    if (!(largest < allowed_difference))
        throw Error(Fault::numeric, "reference: " + solver->device() + ": " +
                                        formatted("%.1e", largest) +
                                        " away from the CPU: must be below " +
                                        formatted("%.0e", allowed_difference) +
                                        "; --reference cpu does without it");
    text_ =
        formatted("%zu targets by %s in double, %zu of them pair by pair too: %.0e apart at most",
                  targets_.size(), solver->device().c_str(), places.size(), largest);
    return sums;
}

} // namespace chamomile::app
