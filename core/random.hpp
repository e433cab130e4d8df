/// \file  One stream of random numbers per particle, so that threads may draw in any order.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns four random words from a counter and a key by Philox 4x32 with 10 rounds (Salmon,
/// Moraes, Dror & Shaw 2011).
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key)
{
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t(0xD2511F53) * counter[0];
        const std::uint64_t b = std::uint64_t(0xCD9E8D57) * counter[2];
        counter = {std::uint32_t(b >> 32) ^ counter[1] ^ key[0], std::uint32_t(b),
                   std::uint32_t(a >> 32) ^ counter[3] ^ key[1], std::uint32_t(a)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return counter;
}

/// Random numbers for one particle. They depend only on seed, component and particle.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint32_t component, std::uint64_t particle)
        : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)}, counter_{
                                                                    0, component,
                                                                    std::uint32_t(particle),
                                                                    std::uint32_t(particle >> 32)}
    {}

    /// Returns 64 random bits.
    std::uint64_t word()
    {
        if (left_ == 0) {
            words_ = philox(counter_, key_);
            ++counter_[0];
            left_ = 4;
        }
        left_ -= 2;
        return std::uint64_t(words_[left_]) << 32 | words_[left_ + 1];
    }

    /// Returns a number uniform between 0 and 1, both excluded, with 52 random bits.
    double uniform() { return (double(word() >> 12) + 0.5) * 0x1p-52; }

    /// Returns a normal number of mean 0 and variance 1 (Box & Muller 1958).
    double normal()
    {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

    /// Returns a vector of the given length in a random direction.
    Vec3<double> direction(double length)
    {
        const double z = 2 * uniform() - 1, angle = 2 * std::numbers::pi * uniform();
        const double flat = length * std::sqrt(1 - z * z);
        return {flat * std::cos(angle), flat * std::sin(angle), length * z};
    }

private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_, words_{};
    std::uint32_t left_ = 0;
};

} // namespace chamomile
