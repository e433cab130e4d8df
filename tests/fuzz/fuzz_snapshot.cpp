// Snapshots of all formats; a kind that the environment names is all that is read: fuzzing goes
// deeper where most inputs are of one.
#include <cmath>
#include <cstring>

#include "io/snapshot.hpp"
#include "tests/fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace chamomile;
    static tests::InputOfFuzzer input;
    tests::expect_no_more_than_errors([&] {
        const Snapshot snapshot = read_snapshot(input.path_of(data, size));
        const Particles& p = snapshot.particles;
        if (p.size() > size || p.position.size() != p.size() || p.id.size() != p.size())
            std::abort(); // a particle takes a byte at least
        for (const auto& x : p.position)
            if (!std::isfinite(x.x + x.y + x.z))
                std::abort();
    });
    return 0;
}
