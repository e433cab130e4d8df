// AMUSE's worker calls, implemented with chamomile::GravityCode. They never print, exit or throw.
#include <exception>
#include <memory>
#include <string>

#include <stopcond.h>

#include "chamomile/interfaces/amuse/gravity_code.hpp"
#include "worker_code.h"

using namespace chamomile;

namespace {

std::unique_ptr<GravityCode> code;
std::string last_error, handed_out;

/// Runs a call on the code. Returns 0, or -1 and stores the error message.
template <class Call>
int guarded(Call call) noexcept
{
    try {
        if (!code) {
            last_error = "order of calls: call initialize_code first";
            return -1;
        }
        call(*code);
        return 0;
    } catch (const std::exception& error) {
        try {
            last_error = chamomile::spelled(chamomile::line_of(error),
                                            {.names = &chamomile::plain_names_of_runs()});
        } catch (...) {
        }
    } catch (...) {
    }
    return -1;
}

int hand_out(const std::string& text, char** value)
{
    handed_out = text;
    *value = handed_out.data();
    return 0;
}

bool enabled(int condition)
{
    int result = 0;
    return is_stopping_condition_enabled(condition, &result) == 0 && result != 0;
}

StopLimits limits()
{
    StopLimits limits;
    limits.collisions = enabled(COLLISION_DETECTION);
    if (enabled(TIMEOUT_DETECTION))
        limits.seconds = timeout_parameter;
    if (enabled(NUMBER_OF_STEPS_DETECTION))
        limits.steps = std::uint64_t(number_of_steps_parameter > 0 ? number_of_steps_parameter : 1);
    if (enabled(OUT_OF_BOX_DETECTION))
        limits.box = out_of_box_parameter;
    limits.box_about_center_of_mass = use_center_of_mass_parameter != 0;
    return limits;
}

void report(const Stop& stop)
{
    const int kind = stop.kind == StopKind::collision         ? COLLISION_DETECTION
                     : stop.kind == StopKind::timeout         ? TIMEOUT_DETECTION
                     : stop.kind == StopKind::number_of_steps ? NUMBER_OF_STEPS_DETECTION
                                                              : OUT_OF_BOX_DETECTION;
    const int at = next_index_for_stopping_condition();
    if (at < 0 || set_stopping_condition_info(at, kind) != 0)
        return; // no room for more
    for (std::size_t k = 0; k < stop.particles.size(); ++k)
        set_stopping_condition_particle_index(at, int(k), stop.particles[k]);
}

template <class Change>
int change_state(int number, Change change)
{
    return guarded([&](GravityCode& code) {
        ParticleState state = code.state(number);
        change(state);
        code.set_state(number, state);
    });
}

template <class Read>
int read_state(int number, Read read)
{
    return guarded([&](GravityCode& code) { read(code.state(number)); });
}

void split(const Vec3<double>& from, double* x, double* y, double* z)
{
    *x = from.x;
    *y = from.y;
    *z = from.z;
}

} // namespace

int initialize_code()
{
    try {
        code = std::make_unique<GravityCode>();
    } catch (...) {
        return -1;
    }
    initialize_stopping_conditions();
    for (const int condition :
         {COLLISION_DETECTION, TIMEOUT_DETECTION, NUMBER_OF_STEPS_DETECTION, OUT_OF_BOX_DETECTION})
        set_support_for_condition(condition);
    return 0;
}

int cleanup_code()
{
    code.reset();
    return 0;
}

int get_error(char** value)
{
    return hand_out(last_error, value);
}

int commit_parameters()
{
    return guarded([](GravityCode& code) { code.commit_parameters(); });
}
int recommit_parameters()
{
    return commit_parameters();
}
int commit_particles()
{
    return guarded([](GravityCode& code) { code.commit_particles(); });
}
int recommit_particles()
{
    return commit_particles();
}
int synchronize_model() // no-op: evolve_model synchronizes all particles
{
    return guarded([](GravityCode&) {});
}

int new_particle(int* number, double mass, double x, double y, double z, double vx, double vy,
                 double vz, double radius)
{
    return guarded([&](GravityCode& code) {
        *number = code.add({mass, {x, y, z}, {vx, vy, vz}, radius});
    });
}
int delete_particle(int number)
{
    return guarded([&](GravityCode& code) { code.remove(number); });
}
int get_state(int number, double* mass, double* x, double* y, double* z, double* vx, double* vy,
              double* vz, double* radius)
{
    return read_state(number, [&](const ParticleState& s) {
        *mass = s.mass;
        split(s.position, x, y, z);
        split(s.velocity, vx, vy, vz);
        *radius = s.radius;
    });
}
int set_state(int number, double mass, double x, double y, double z, double vx, double vy,
              double vz, double radius)
{
    return change_state(number, [&](ParticleState& s) {
        s = {mass, {x, y, z}, {vx, vy, vz}, radius};
    });
}
int get_mass(int number, double* mass)
{
    return read_state(number, [&](const ParticleState& s) { *mass = s.mass; });
}
int set_mass(int number, double mass)
{
    return change_state(number, [&](ParticleState& s) { s.mass = mass; });
}
int get_radius(int number, double* radius)
{
    return read_state(number, [&](const ParticleState& s) { *radius = s.radius; });
}
int set_radius(int number, double radius)
{
    return change_state(number, [&](ParticleState& s) { s.radius = radius; });
}
int get_softening_length(int number, double* length)
{
    return guarded([&](GravityCode& code) { *length = code.softening(number); });
}
int set_softening_length(int number, double length)
{
    return guarded([&](GravityCode& code) { code.set_softening(number, length); });
}
int get_position(int number, double* x, double* y, double* z)
{
    return read_state(number, [&](const ParticleState& s) { split(s.position, x, y, z); });
}
int set_position(int number, double x, double y, double z)
{
    return change_state(number, [&](ParticleState& s) { s.position = {x, y, z}; });
}
int get_velocity(int number, double* vx, double* vy, double* vz)
{
    return read_state(number, [&](const ParticleState& s) { split(s.velocity, vx, vy, vz); });
}
int set_velocity(int number, double vx, double vy, double vz)
{
    return change_state(number, [&](ParticleState& s) { s.velocity = {vx, vy, vz}; });
}
int get_acceleration(int number, double* ax, double* ay, double* az)
{
    return guarded([&](GravityCode& code) { split(code.acceleration(number), ax, ay, az); });
}
int get_potential(int number, double* potential)
{
    return guarded([&](GravityCode& code) { *potential = code.potential(number); });
}

int evolve_model(double t)
{
    reset_stopping_conditions();
    return guarded([&](GravityCode& code) {
        for (const Stop& stop : code.evolve(t, limits()))
            report(stop);
    });
}

int get_eps2(double* eps2)
{
    return guarded([&](GravityCode& code) { *eps2 = code.parameters.eps2; });
}
int set_eps2(double eps2)
{
    return guarded([&](GravityCode& code) { code.parameters.eps2 = eps2; });
}
int get_begin_time(double* t)
{
    return guarded([&](GravityCode& code) { *t = code.parameters.begin_time; });
}
int set_begin_time(double t)
{
    return guarded([&](GravityCode& code) { code.parameters.begin_time = t; });
}
int get_time_step(double* length)
{
    return guarded([&](GravityCode& code) { *length = code.step_length(); });
}
int set_time_step(double length)
{
    return guarded([&](GravityCode& code) { code.parameters.time_step = length; });
}
int get_tolerance(double* tolerance)
{
    return guarded([&](GravityCode& code) { *tolerance = code.parameters.tolerance; });
}
int set_tolerance(double tolerance)
{
    return guarded([&](GravityCode& code) { code.parameters.tolerance = tolerance; });
}
int get_eta(double* eta)
{
    return guarded([&](GravityCode& code) { *eta = code.parameters.eta; });
}
int set_eta(double eta)
{
    return guarded([&](GravityCode& code) { code.parameters.eta = eta; });
}
int get_integrator(char** value)
{
    return guarded([&](GravityCode& code) { hand_out(code.parameters.integrator, value); });
}
int set_integrator(char* value)
{
    return guarded([&](GravityCode& code) { code.parameters.integrator = value; });
}
int get_solver(char** value)
{
    return guarded([&](GravityCode& code) { hand_out(code.parameters.solver, value); });
}
int set_solver(char* value)
{
    return guarded([&](GravityCode& code) { code.parameters.solver = value; });
}
int get_device(char** value)
{
    return guarded([&](GravityCode& code) { hand_out(code.parameters.device, value); });
}
int set_device(char* value)
{
    return guarded([&](GravityCode& code) { code.parameters.device = value; });
}
int get_precision(char** value)
{
    return guarded([&](GravityCode& code) { hand_out(code.parameters.precision, value); });
}
int set_precision(char* value)
{
    return guarded([&](GravityCode& code) { code.parameters.precision = value; });
}

int set_option(char* name, char* value)
{
    return guarded([&](GravityCode& code) { code.set_option(name, value); });
}

int get_time(double* t)
{
    return guarded([&](GravityCode& code) { *t = code.time(); });
}
int get_kinetic_energy(double* energy)
{
    return guarded([&](GravityCode& code) { *energy = code.kinetic_energy(); });
}
int get_potential_energy(double* energy)
{
    return guarded([&](GravityCode& code) { *energy = code.potential_energy(); });
}
int get_total_mass(double* mass)
{
    return guarded([&](GravityCode& code) { *mass = code.mass(); });
}
int get_total_radius(double* radius)
{
    return guarded([&](GravityCode& code) { *radius = code.radius(); });
}
int get_center_of_mass_position(double* x, double* y, double* z)
{
    return guarded([&](GravityCode& code) { split(code.center_of_mass(), x, y, z); });
}
int get_center_of_mass_velocity(double* vx, double* vy, double* vz)
{
    return guarded([&](GravityCode& code) { split(code.center_of_mass_velocity(), vx, vy, vz); });
}
int get_number_of_particles(int* count)
{
    return guarded([&](GravityCode& code) { *count = int(code.size()); });
}
int get_index_of_first_particle(int* number)
{
    return guarded([&](GravityCode& code) { *number = code.first_number(); });
}
int get_index_of_next_particle(int number, int* next)
{
    return guarded([&](GravityCode& code) { *next = code.next_number(number); });
}

int get_gravity_at_point(double* eps, double* x, double* y, double* z, double* ax, double* ay,
                         double* az, int npoints)
{
    return guarded([&](GravityCode& code) {
        code.field({std::size_t(npoints), eps, x, y, z}, ax, ay, az, nullptr);
    });
}
int get_potential_at_point(double* eps, double* x, double* y, double* z, double* phi, int npoints)
{
    return guarded([&](GravityCode& code) {
        code.field({std::size_t(npoints), eps, x, y, z}, nullptr, nullptr, nullptr, phi);
    });
}
