#include "chamomile/run/structures/comoving_run.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile {
namespace {

/// Relative density difference from Omega_m that gives a note: neutrinos or radiation may cause it.
constexpr double noted_difference = 1e-3;

/// Checks the density. Omega_m may differ from the file's value, which set the units.
void require_density(const std::string& file, Snapshot& state)
{
    infer_units(state);
    if (!has_density_of_background(state))
        throw Error(Fault::input,
                    file + ": " + density_text(state) + ": units, box, G or Omega_m are wrong");
    set_density(state);
}

void scale(std::vector<Vec3<double>>& vectors, double factor)
{
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < vectors.size(); ++i)
        vectors[i] = factor * vectors[i];
}

} // namespace

Background background_of(const ComovingFrame& frame)
{
    return {.omega_matter = frame.omega_matter,
            .omega_lambda = frame.omega_lambda,
            .omega_radiation = frame.omega_radiation,
            .w0 = frame.w0,
            .wa = frame.wa,
            .hubble = frame.hubble};
}

std::string density_text(const Snapshot& state)
{
    return formatted("density: %.4g of the critical density, but Omega_m is %.4g",
                     density_over_critical(state), state.comoving->omega_matter);
}

void set_density(Snapshot& state)
{
    if (has_critical_density(state) && state.box_size > 0 &&
        std::abs(density_over_critical(state) / state.comoving->omega_matter - 1) >
            noted_difference)
        add_note(state, density_text(state));
}

std::vector<double> listed_outputs(const CosmologyRequest& request)
{
    std::vector<double> times;
    for (double a : request.output_scale_factors)
        times.push_back(std::log(a));
    for (double z : request.output_redshifts)
        times.push_back(std::log(scale_factor_of(z)));
    return times;
}

void set_background(const CosmologyRequest& request, const std::string& file, Snapshot& state)
{
    const auto refuse = [&](const std::string& what) {
        throw Error(Fault::input, file + ": " + what);
    };
    if (!state.comoving)
        refuse(std::string("plain coordinates: must be a comoving file for a cosmological run, ") +
               (state.format.starts_with("Tipsy")
                    ? "Tipsy with {box-length}, such as 50Mpc/h, and {h}"
                    : "with Redshift and Omegas"));
    if (!(state.box_size > 0))
        refuse("no box: must have the side of a periodic box (BoxSize) for a cosmological run");
    if (!state.units.physical)
        refuse("N-body units: must be physical units for a cosmological run, such as kpc/h, 1e10 "
               "Msun/h and km/s");
    ComovingFrame& frame = *state.comoving;
    const auto take = [](double& value, const std::optional<double>& given) {
        value = given.value_or(value);
    };
    if (const double h = frame.hubble; h > 0 && request.hubble.value_or(h) != h)
        add_note(state, "h: uses " + number_text(*request.hubble) + ", as given, instead of " +
                            number_text(h) + " in the file");
    take(frame.omega_matter, request.omega_matter);
    take(frame.omega_lambda, request.omega_lambda);
    take(frame.omega_radiation, request.omega_radiation);
    take(frame.w0, request.w0);
    take(frame.wa, request.wa);
    take(frame.hubble, request.hubble);
    take(frame.physical_softening, request.physical_softening);
    if (!(frame.omega_matter > 0))
        refuse("Omega_m: " + number_text(frame.omega_matter) + ": give {omega-m}");
    if (!(frame.hubble > 0))
        refuse("h: " + number_text(frame.hubble) + ": give {hubble}");
    const double a = frame.scale_factor;
    if (state.time != 0 && !(std::abs(state.time - a) <= 1e-3 * a))
        refuse("time: " + number_text(state.time) + ": must be the scale factor " + number_text(a));
    const double end =
        request.end_scale_factor.value_or(scale_factor_of(request.end_redshift.value_or(0)));
    try {
        validate(background_of(frame), std::min(a, end), std::max(a, end));
    } catch (const Error& error) {
        refuse(error.line());
    }
    require_density(file, state);
    const Outside found = outside(state, state.box_size);
    if (found.sides > 1)
        refuse(formatted("positions: %.3g sides outside the box of %g: units or box are wrong",
                         found.sides, state.box_size));
    if (const std::string line = outside_text(found); !line.empty())
        state.notes.push_back(line);
    state.time = a;
}

void make_canonical(Snapshot& state)
{
    const Periodicity box{state.box_size};
    scale(state.particles.velocity, state.comoving->scale_factor);
    for (Vec3<double>& position : state.particles.position)
        position = box.wrapped(position);
    if (state.deferred) {
        state.deferred->multiply(Column::velocity, state.comoving->scale_factor);
        state.deferred->wrap(box);
    }
}

std::shared_ptr<const Clock> clock_of(const CosmologyRequest& request, const Snapshot& state)
{
    if (!request.asked)
        return {std::shared_ptr<const Clock>(), &Clock::newtonian()};
    const ComovingFrame& frame = *state.comoving;
    return std::make_shared<ComovingClock>(
        ComovingOptions{.background = background_of(frame),
                        .hubble_rate = state.units.hubble_rate(frame.hubble),
                        .longest_step = request.longest_step,
                        .physical_softening = frame.physical_softening});
}

std::string background_text(const ComovingFrame& frame)
{
    std::string text = formatted("Omega_m %.6g, Omega_Lambda %.6g, h %.6g", frame.omega_matter,
                                 frame.omega_lambda, frame.hubble);
    if (frame.omega_radiation != 0)
        text += formatted(", Omega_r %.6g", frame.omega_radiation);
    if (frame.w0 != -1 || frame.wa != 0)
        text += formatted(", w %.6g %+.6g (1 - a)", frame.w0, frame.wa);
    if (frame.physical_softening > 0)
        text += formatted(", eps at most %.6g / a", frame.physical_softening);
    return text;
}

std::string epochs_text(double start, double end)
{
    const double a = std::exp(start), b = std::exp(end);
    return formatted("from a = %.6g, z = %.6g to a = %.6g, z = %.6g", a, redshift_of(a), b,
                     redshift_of(b));
}

void make_peculiar(Snapshot& state)
{
    scale(state.particles.velocity, 1 / state.comoving->scale_factor);
}

ScaledVelocities::ScaledVelocities(Snapshot& state, double factor)
    : velocity_(state.particles.velocity)
{
    if (factor == 1)
        return;
    kept_ = velocity_;
    scale(velocity_, factor);
}

ScaledVelocities::~ScaledVelocities()
{
    std::copy(kept_.begin(), kept_.end(), velocity_.begin());
}

PeculiarVelocities::PeculiarVelocities(Snapshot& state)
    : ScaledVelocities(state, state.comoving ? 1 / state.comoving->scale_factor : 1)
{}

std::span<const Vec3<double>> PeculiarRows::read_vectors(Column value, const RowSelection& rows)
{
    const std::span<const Vec3<double>> values = rows_.read_vectors(value, rows);
    if (value != Column::velocity || factor_ == 1)
        return values;
    velocities_.assign(values.begin(), values.end());
    scale(velocities_, factor_);
    return velocities_;
}

} // namespace chamomile
