/// \file  The program with its subcommands, in the order of `chamomile --help`.
#include "app/command.hpp"
#include "app/idle_threads.hpp"
#include "app/program.hpp"

int main(int argc, char** argv)
{
    using namespace chamomile::app;
    require_stack();
    let_idle_threads_sleep(argc, argv);
    static constexpr Command commands[] = {
        {"model", "writes initial conditions: spheres, galaxies, encounters", model},
        {"run", "evolves particles; writes snapshots, energies, pictures", run},
        {"force", "computes accelerations and potentials of a snapshot's particles", force},
        {"orbit", "follows orbits in external potentials: pericenters, periods, speeds", orbit},
        {"pairs", "sums over pairs by any law: a text of a few lines or a built-in one", pairs},
        {"power", "measures the power spectrum of a periodic box", power},
        {"halos", "finds halos by friends of friends and measures them", halos},
        {"profile", "measures density, mass and velocities by radius", profile},
        {"bound", "finds the particles bound to their own center", bound},
        {"plot", "draws energies, radii, steps, spectra and profiles of a run", plot},
        {"render", "makes pictures of snapshots", render},
        {"view", "shows the snapshots of a run in a browser", view},
        {"info", "tells what is in a snapshot", info},
        {"convert", "rewrites a snapshot in another format", convert},
        {"join", "puts snapshots together, at places or on an orbit", join},
        {"accuracy", "compares the tree with the direct sum in double precision", accuracy},
        {"bench", "measures time per phase and pairs per second", bench},
        {"devices", "lists what can evaluate forces here", devices},
        {"doctor", "prints the installed parts and what is missing, for reports", doctor},
        {"cite", "prints BibTeX entries of what a run used", cite},
        {"completion", "prints completions for bash, zsh or fish", completion},
        {"manual", "writes the pages of the manual", manual},
    };
    return run_program(
        "Chamomile computes the gravity of N particles with a hybrid treecode on CPUs "
        "and GPUs.",
        commands, {argv + 1, argv + argc});
}
