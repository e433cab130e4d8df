// Sums of pictures over ranks, against one rank.
#include <doctest/doctest.h>

#include "chamomile/core/pictures/picture_sums.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/initial/models/galaxy.hpp"
#include "chamomile/initial/models/plummer.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("rank_pictures");

namespace {

/// Returns the particles of one of `ranks` uneven parts, dealt in turn.
Particles part_of(const Particles& all, int rank, int ranks)
{
    Particles part;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (int(i * i % 13) % ranks == rank) {
            part.position.push_back(all.position[i]);
            part.velocity.push_back(all.velocity[i]);
            part.potential.push_back(all.mass[i] * double(i % 7));
            part.mass.push_back(all.mass[i]);
            part.type.push_back(all.type[i]);
        }
    return part;
}

void check_on_ranks(const PictureRequest& request, const Particles& particles)
{
    std::vector<double> one;
    for (const int ranks : {1, 2, 3, 7}) {
        std::vector<double> found;
        run_ranks(ranks, [&](Communicator& own) {
            const Particles mine = part_of(particles, own.rank(), own.size());
            const auto sum = picture_sum(request, PicturedParticles(mine), own);
            if (own.rank() == 0)
                found = sum;
        });
        if (ranks == 1)
            one = found;
        CAPTURE(int(request.sum));
        CAPTURE(ranks);
        CHECK(!found.empty());
        CHECK(found == one);
    }
}

} // namespace

TEST_CASE("sums of a picture match bitwise for any number of ranks")
{
    const Particles galaxy = make_galaxy({.particles = 4000}).particles;
    PictureRequest request{.frame = {.azimuth = 30, .inclination = 70, .width = 40, .height = 30},
                           .types = 0x3e};
    for (const PictureSum sum : {PictureSum::center, PictureSum::densest, PictureSum::width}) {
        request.sum = sum;
        check_on_ranks(request, galaxy);
    }
    for (const Pictured quantity : {Pictured::velocity, Pictured::potential}) {
        request.quantity = quantity;
        request.sum = PictureSum::lowest;
        check_on_ranks(request, galaxy);
        request.sum = PictureSum::map;
        request.frame.field_of_view = 9;
        request.frame.depth = 2;
        request.lowest = -100;
        for (request.power = 0; request.power <= 2; ++request.power)
            check_on_ranks(request, galaxy);
        request.power = 0;
    }
    request.weighed = 0x0c;
    check_on_ranks(request, galaxy);
    request.frame.box = {5}; // with periodic images
    check_on_ranks(request, galaxy);
    request.sum = PictureSum::densest;
    check_on_ranks(request, galaxy);
    check_on_ranks(request,
                   make_plummer({.particles = 9}).particles); // fewer than the search ends with
}

TEST_CASE("the width of a picture holds 98 % of the mass")
{
    Particles line;
    line.resize(200);
    for (std::size_t i = 0; i < 200; ++i) {
        line.mass[i] = 1;
        line.position[i] = {double(i + 1) * (i % 2 ? 1 : -1), 0, 0};
    }
    Communicator alone;
    PictureRequest request{
        .sum = PictureSum::width, .frame = {.width = 1, .height = 1}, .types = 2};
    const auto width = [&] { return picture_sum(request, PicturedParticles(line), alone)[0]; };
    CHECK(width() == 2.6 * 196);
    line.mass[199] = 0;
    CHECK(width() == 2.6 * 196);
    for (Vec3<double>& place : line.position)
        place.x = place.x < -150 ? -3 : 0;
    CHECK(width() == 2.6 * 3);
    line.position.assign(200, {});
    CHECK(width() == 1);
}
