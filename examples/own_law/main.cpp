// In a cubic crystal of Morse atoms at the distance of min energy, inner atoms feel no net force.
#include <cmath>
#include <cstdio>
#include <vector>

#include <chamomile/force/pairs/pair_solver.hpp>

#include "morse.hpp"

int main()
{
    const int side = 12;
    std::vector<Morse::Target<double>> atoms;
    for (int x = 0; x < side; ++x)
        for (int y = 0; y < side; ++y)
            for (int z = 0; z < side; ++z)
                atoms.push_back({{1.1 * x, 1.1 * y, 1.1 * z}});
    std::vector<Morse::Source<double>> sources;
    std::vector<std::uint32_t> self;
    for (const auto& atom : atoms) {
        self.push_back(std::uint32_t(sources.size()));
        sources.push_back({atom.position});
    }
    std::vector<Morse::Sum<double>> sums(atoms.size());
    const auto solver = chamomile::make_pair_solver(Morse{});
    solver->sum(
        {chamomile::as_rows(std::span(atoms)), chamomile::as_rows(std::span(sources)), self, {}},
        chamomile::as_rows(std::span(sums)));

    // The forces obey Newton's third law, and the energy of an inner atom equals a plain sum.
    chamomile::Vec3<double> net;
    double forces = 0, energy = 0, plain = 0;
    for (const auto& sum : sums) {
        net += sum.force;
        forces += norm(sum.force);
    }
    const std::size_t inner = std::size_t(side * side + side + 1) * (side / 2);
    energy = sums[inner].energy;
    for (std::size_t j = 0; j < atoms.size(); ++j)
        if (j != inner) {
            const auto r = atoms[j].position - atoms[inner].position;
            const double e = std::exp(6 * (1.12 - std::sqrt(r.x * r.x + r.y * r.y + r.z * r.z)));
            plain += e * (e - 2);
        }
    std::printf("%s: energy of an inner atom %.6f, by a plain sum %.6f; net force %.1e of all\n",
                solver->device().c_str(), energy, plain, norm(net) / forces);
    return std::abs(energy / plain - 1) < 1e-6 && norm(net) < 1e-5 * forces ? 0 : 1;
}
