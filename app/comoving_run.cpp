#include "app/comoving_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "app/particle_notes.hpp"
#include "app/table.hpp"
#include "core/error.hpp"
#include "core/periodic.hpp"

namespace chamomile::app {
namespace {

/// Beyond which a file's mass cannot be that of its background: units or Omega_m are wrong.
constexpr double density_tolerance = 0.05;
/// Beyond which it is told: such as that of neutrinos or radiation.
constexpr double noted_difference = 1e-3;

constexpr double Mpc_in_cm = 3.085678e24;

/// The mean density over the critical one.
double density_of(const Snapshot& state)
{
    const auto& mass = state.particles.mass;
    const double H0 = hubble_rate(state.units, state.comoving->hubble);
    return std::accumulate(mass.begin(), mass.end(), 0.0) / std::pow(state.box_size, 3) /
           (3 * H0 * H0 / (8 * std::numbers::pi * state.G()));
}

bool fits(double density, double omega_matter)
{
    return std::abs(density / omega_matter - 1) < density_tolerance;
}

/// Files without units that are in Mpc/h, as MUSIC writes them, are told by their density.
void settle_units(const std::string& file, Snapshot& state)
{
    const double omega_matter = state.comoving->omega_matter, density = density_of(state);
    if (fits(density, omega_matter)) {
        if (std::abs(density / omega_matter - 1) > noted_difference)
            state.notes.push_back(formatted("the density is %.6g of the critical one, but Omega_m "
                                            "is %.6g",
                                            density, omega_matter));
        return;
    }
    const bool assumed =
        std::any_of(state.notes.begin(), state.notes.end(), [](const std::string& note) {
            return note.find("states no units") != note.npos;
        });
    if (assumed) {
        state.units.length_in_cm *= 1000;
        if (fits(density_of(state), omega_matter)) {
            state.notes.emplace_back("lengths are taken as Mpc/h, in which the density is that of "
                                     "Omega_m");
            return;
        }
    }
    throw Error(Fault::input,
                file + formatted(": density: %.4g of the critical one, but Omega_m is %.4g: its "
                                 "units, box, G or Omega_m are wrong",
                                 density, omega_matter));
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

double hubble_rate(const Units& units, double hubble)
{
    const double h = units.per_hubble ? 1 : hubble; // lengths and H0 both hold an h
    return 1e7 * h / Mpc_in_cm * units.length_in_cm / units.velocity_in_cm_per_s;
}

void take_background(const Options& options, const CosmologyRequest& request,
                     const std::string& file, Snapshot& state)
{
    const auto refuse = [&](const std::string& what) {
        throw Error(Fault::input, file + ": " + what);
    };
    if (!state.comoving)
        refuse("plain coordinates: a cosmological run needs a comoving file, with Redshift and "
               "Omegas");
    if (!(state.box_size > 0))
        refuse("no box: a cosmological run needs the side of its periodic box (BoxSize)");
    if (options.given("box"))
        throw Error(Fault::usage, "run: --box: the box of a cosmological run is that of the file");
    if (!state.units.physical)
        refuse("N-body units: a cosmological run needs physical ones, such as kpc/h, 1e10 Msun/h "
               "and km/s");
    ComovingFrame& frame = *state.comoving;
    const auto take = [](double& value, const std::optional<double>& given) {
        value = given.value_or(value);
    };
    take(frame.omega_matter, request.omega_matter);
    take(frame.omega_lambda, request.omega_lambda);
    take(frame.omega_radiation, request.omega_radiation);
    take(frame.w0, request.w0);
    take(frame.wa, request.wa);
    take(frame.hubble, request.hubble);
    take(frame.physical_softening, request.physical_softening);
    if (!(frame.omega_matter > 0))
        refuse("Omega_m: " + shortest(frame.omega_matter) + ": give --omega-m");
    if (!(frame.hubble > 0))
        refuse("h: " + shortest(frame.hubble) + ": give --hubble");
    if (frame.hubble > 10)
        refuse("h: " + shortest(frame.hubble) +
               ": H0 in 100 km/s/Mpc, such as 0.7, is needed: give --hubble");
    const double a = frame.scale_factor;
    if (state.time != 0 && !(std::abs(state.time - a) <= 1e-3 * a))
        refuse("time: " + shortest(state.time) + ": is not the scale factor " + shortest(a));
    const double end =
        request.end_scale_factor.value_or(scale_factor_of(request.end_redshift.value_or(0)));
    validate(background_of(frame), std::min(a, end), std::max(a, end));
    settle_units(file, state);
    const Outside found = outside(state.particles, state.box_size);
    if (found.sides > 1)
        refuse(formatted("positions: %.3g sides outside the box of %g: units or box are wrong",
                         found.sides, state.box_size));
    if (const std::string line = outside_text(found); !line.empty())
        state.notes.push_back(line);
    state.time = a;
}

void make_canonical(Snapshot& state)
{
    const double a = state.comoving->scale_factor;
    for (Vec3<double>& velocity : state.particles.velocity)
        velocity = a * velocity;
    for (Vec3<double>& position : state.particles.position)
        position = Periodicity{state.box_size}.wrapped(position);
}

std::shared_ptr<const Clock> clock_of(const RunOptions& run, const Snapshot& state)
{
    if (!run.cosmology.asked)
        return {std::shared_ptr<const Clock>(), &Clock::newtonian()};
    const ComovingFrame& frame = *state.comoving;
    return std::make_shared<ComovingClock>(
        ComovingOptions{.background = background_of(frame),
                        .hubble_rate = hubble_rate(state.units, frame.hubble),
                        .longest_step = run.cosmology.longest_step,
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

PeculiarVelocities::PeculiarVelocities(Snapshot& state) : state_(state)
{
    if (!state.comoving)
        return;
    momenta_.swap(state.particles.velocity);
    try {
        state.particles.velocity.resize(momenta_.size());
    } catch (...) {
        momenta_.swap(state.particles.velocity);
        throw;
    }
    const double a = state.comoving->scale_factor;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < momenta_.size(); ++i)
        state.particles.velocity[i] = (1 / a) * momenta_[i];
}

PeculiarVelocities::~PeculiarVelocities()
{
    if (state_.comoving)
        state_.particles.velocity.swap(momenta_);
}

} // namespace chamomile::app
