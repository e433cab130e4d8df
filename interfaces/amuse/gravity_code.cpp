#include "chamomile/interfaces/amuse/gravity_code.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/force/pairs/laws/softened_pairs.hpp"
#include "chamomile/integrate/simulation.hpp"

namespace chamomile {
namespace {

[[noreturn]] void refuse(const std::string& line)
{
    throw Error(Fault::usage, line);
}

void require_state(const ParticleState& s)
{
    for (const double value : {s.mass, s.radius, s.position.x, s.position.y, s.position.z,
                               s.velocity.x, s.velocity.y, s.velocity.z})
        if (!std::isfinite(value))
            throw Error(Fault::input, "particle: " + std::to_string(value) + ": must be finite");
    if (s.mass < 0 || s.radius < 0)
        throw Error(Fault::input, "particle: mass and radius: must be 0 or more");
}

} // namespace

void GravityCode::set_option(const std::string& name, const std::string& value)
{
    if (!IntegratorOptionsReader().take(name, value))
        refuse("option: " + name + ": unknown" + suggestion(name, run_keys()));
    parameters.others[name] = value;
}

/// Returns the scheme of the parameters. AMUSE sets all parameters, so only values different from
/// their defaults count as given.
IntegratorOptionsReader GravityCode::scheme() const
{
    const GravityParameters& p = parameters;
    if (!(p.eps2 >= 0) || !std::isfinite(p.eps2))
        refuse("eps2: " + std::to_string(p.eps2) + ": must be 0 or more");
    const GravityParameters usual;
    IntegratorOptionsReader keyed;
    keyed.take("softening", number_text(std::sqrt(p.eps2)));
    keyed.take("precision", p.precision);
    if (p.tolerance != usual.tolerance)
        keyed.take("tolerance", number_text(p.tolerance));
    for (const auto& [name, value, common] :
         {std::tuple("integrator", p.integrator, usual.integrator),
          std::tuple("solver", p.solver, usual.solver),
          std::tuple("device", p.device, usual.device)})
        if (value != common)
            keyed.take(name, value);
    for (const auto& [name, value] : p.others)
        keyed.take(name, value);
    const Scheme& scheme = keyed.scheme;
    const bool hermite = scheme.kind == SchemeKind::hermite;
    if (hermite || p.eta != usual.eta)
        keyed.take("eta", number_text(p.eta));
    if (hermite && !keyed.given.contains("eta-start"))
        keyed.take("eta_start", number_text(p.eta));
    if (!hermite && !scheme.individual && !scheme.adaptive && !scheme.eta)
        keyed.take("step", number_text(p.time_step));
    if (hermite || keyed.options.solver == SolverKind::direct)
        keyed.given.erase("tolerance"); // tolerance then applies only to fields at points
    keyed.resolve();
    return keyed;
}

void GravityCode::commit_parameters()
{
    IntegratorOptionsReader keyed = scheme();
    if (!std::isfinite(parameters.begin_time))
        refuse("begin time: must be finite");
    started_ = has_potentials_ = false;
    made_ = {};
    fields_.clear();
    pairs_.reset();
    made_ = make_integrator(keyed.options, keyed.scheme);
    keyed_ = std::move(keyed);
    if (phase_ == Phase::running)
        set_softenings();
    if (step_ == 0)
        time_ = parameters.begin_time;
    if (phase_ == Phase::no_parameters)
        phase_ = Phase::editing;
}

std::size_t GravityCode::index(int number) const
{
    const auto found = index_.find(number);
    if (found == index_.end())
        refuse("particle " + std::to_string(number) + ": unknown");
    return found->second;
}

/// Records a change of particles. Velocities and radii do not affect forces, so a leapfrog with
/// shared steps on the host continues.
void GravityCode::changed(Change change)
{
    if (phase_ == Phase::no_parameters)
        refuse("order of calls: call commit_parameters first");
    if (phase_ == Phase::running)
        phase_ = Phase::changed;
    if (change == Change::motion) {
        started_ =
            started_ && made_.leapfrog && !made_.leapfrog->block_steps() && !made_.is_resident();
        return;
    }
    started_ = has_potentials_ = false;
    ++generation_;
}

int GravityCode::add(const ParticleState& state)
{
    require_state(state);
    changed(Change::forces);
    const std::size_t at = size();
    particles_.resize(at + 1);
    radius_.resize(at + 1);
    own_softening_.push_back(-1);
    numbers_.push_back(next_);
    index_[next_] = at;
    particles_.id[at] = std::uint64_t(next_);
    set_state(next_, state);
    return next_++;
}

void GravityCode::remove(int number)
{
    const std::size_t at = index(number);
    changed(Change::forces);
    const auto offset = std::ptrdiff_t(at);
    particles_.id.erase(particles_.id.begin() + offset);
    particles_.mass.erase(particles_.mass.begin() + offset);
    particles_.position.erase(particles_.position.begin() + offset);
    particles_.velocity.erase(particles_.velocity.begin() + offset);
    particles_.resize(size() - 1); // other arrays are uniform or recomputed
    radius_.erase(radius_.begin() + offset);
    own_softening_.erase(own_softening_.begin() + offset);
    numbers_.erase(numbers_.begin() + offset);
    index_.erase(number);
    for (std::size_t k = at; k < numbers_.size(); ++k)
        index_[numbers_[k]] = k;
}

ParticleState GravityCode::state(int number) const
{
    const std::size_t k = index(number);
    return {particles_.mass[k], particles_.position[k], particles_.velocity[k], radius_[k]};
}

void GravityCode::set_state(int number, const ParticleState& state)
{
    const std::size_t k = index(number);
    require_state(state);
    const bool same = state.mass == particles_.mass[k] && state.position == particles_.position[k];
    changed(same ? Change::motion : Change::forces);
    particles_.mass[k] = state.mass;
    particles_.position[k] = state.position;
    particles_.velocity[k] = state.velocity;
    radius_[k] = state.radius;
}

double GravityCode::softening(int number) const
{
    const double own = own_softening_[index(number)];
    return own < 0 ? std::sqrt(parameters.eps2) : own;
}

void GravityCode::set_softening(int number, double length)
{
    const std::size_t k = index(number);
    if (!(length >= 0) || !std::isfinite(length))
        throw Error(Fault::input, "particle: softening length: " + std::to_string(length) +
                                      ": must be finite and 0 or more");
    changed(Change::forces);
    own_softening_[k] = length;
}

int GravityCode::first_number() const
{
    if (numbers_.empty())
        refuse("particles: none: must be one or more");
    return numbers_.front();
}

int GravityCode::next_number(int number) const
{
    const std::size_t k = index(number) + 1;
    if (k == numbers_.size())
        refuse("particle " + std::to_string(number) + ": the last: no next particle");
    return numbers_[k];
}

void GravityCode::commit_particles()
{
    if (phase_ == Phase::no_parameters)
        refuse("order of calls: call commit_parameters first");
    set_softenings();
    phase_ = Phase::running;
}

/// Sets per-particle softening. Remakes the integrator if its use was switched on or off.
void GravityCode::set_softenings()
{
    const bool per_particle = std::any_of(own_softening_.begin(), own_softening_.end(),
                                          [](double own) { return own >= 0; });
    particles_.softening.clear();
    for (std::size_t k = 0; per_particle && k < size(); ++k)
        particles_.softening.push_back(softening(numbers_[k]));
    if (size() == 0)
        return;
    const bool was_per_particle = keyed_.options.softening.per_particle;
    keyed_.set_softenings(per_particle);
    if (per_particle == was_per_particle)
        return;
    started_ = has_potentials_ = false;
    made_ = {};
    made_ = make_integrator(keyed_.options, keyed_.scheme);
}

void GravityCode::require_running() const
{
    if (phase_ != Phase::running)
        refuse(phase_ == Phase::changed
                   ? "order of calls: particles have changed: call recommit_particles first"
                   : "order of calls: call commit_particles first");
}

void GravityCode::start()
{
    if (started_)
        return;
    made_.integrator->start(particles_, Quantities::acceleration_potential, {step_, time_});
    started_ = has_potentials_ = true;
}

std::vector<Stop> GravityCode::evolve(double t, const StopLimits& limits)
{
    require_running();
    Simulation simulation(particles_, *made_.integrator, time_, t); // refuses t in the past
    std::vector<Stop> stops;
    if (size() > 0 && !simulation.at_end()) {
        start();
        has_potentials_ = started_ = false; // until the steps have succeeded
        simulation.go_on_after(step_);
        const std::uint64_t first = step_;
        const double begin = wall_clock_seconds();
        simulation.after_each_step([&](Simulation& now) {
            ++generation_;
            step_ = now.step();
            time_ = now.time();
            step_length_ = now.step_length();
            find_stops(limits, step_ - first, wall_clock_seconds() - begin, stops);
            if (!stops.empty())
                now.stop();
        });
        simulation.run();
        started_ = true;
    }
    if (stops.empty())
        time_ = t;
    return stops;
}

void GravityCode::update_potentials()
{
    require_running();
    if (size() == 0 || has_potentials_)
        return;
    if (started_)
        made_.integrator->evaluate(particles_, Quantities::acceleration_potential, {step_, time_});
    else
        start();
    has_potentials_ = true;
}

Vec3<double> GravityCode::acceleration(int number)
{
    update_potentials();
    return particles_.acceleration[index(number)];
}

double GravityCode::potential(int number)
{
    update_potentials();
    return particles_.potential[index(number)];
}

double GravityCode::potential_energy()
{
    update_potentials();
    return sums().potential;
}

Diagnostics GravityCode::sums() const
{
    return are_tracers(particles_) ? Diagnostics()
                                   : diagnose(particles_, LagrangianRadii::left_out);
}

Vec3<double> GravityCode::center_of_mass_velocity() const
{
    const Diagnostics all = sums();
    return all.mass > 0 ? (1 / all.mass) * all.momentum : Vec3<double>{};
}

double GravityCode::radius() const
{
    const Vec3<double> center = center_of_mass();
    double max = 0;
    for (const Vec3<double>& x : particles_.position)
        max = std::max(max, norm(x - center));
    return max;
}

} // namespace chamomile
