#include "app/command_ranks.hpp"

#include "app/command_files.hpp"
#include "app/options/rank_options.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/io/file_rows.hpp"

namespace chamomile::app {

void CommandRanks::add(Options& options)
{
    options.add(rank_options(), solver_);
}

void CommandRanks::resolve(const Options& options, const std::string& device)
{
    solver_.device = device == "auto" ? "cpu" : device;
    resolve_ranks(options, solver_, {&solver_.device, 1});
}

LedParticles* CommandRanks::start()
{
    if (!asks_ranks(solver_))
        return nullptr;
    own_ = make_own_ranks(solver_, serve_particles);
    led_ = std::make_unique<LedParticles>(*solver_.ranks);
    led_->ranks().set_time_limit(solver_.peer_timeout);
    return led_.get();
}

Snapshot CommandRanks::read(const std::string& file, bool needs_all)
{
    if (!start())
        return read_particles(file);
    Snapshot snapshot = open_particles(file, Masses::needed, MovingCheck::later);
    const Particles& particles = snapshot.particles;
    led_->begin(particles.size());
    led_->scatter(Column::mass, std::span(particles.mass));
    led_->scatter_types(particles.type);
    if (needs_all)
        led_->scatter(Column::id, std::span(particles.id));
    if (!snapshot.deferred || !led_->read(*snapshot.deferred, needs_all)) {
        check_moving(snapshot, file);
        const std::shared_ptr<ParticleReader> rows = rows_of(snapshot);
        led_->scatter(Column::position, *rows, particles.size());
        if (needs_all)
            led_->scatter(Column::velocity, *rows, particles.size());
    }
    std::vector<std::uint64_t>().swap(snapshot.particles.id);
    return snapshot;
}

} // namespace chamomile::app
