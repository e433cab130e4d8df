/// \file  A chm_context for tests, and particles as plain doubles.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/particles.hpp"
#include "chamomile/interfaces/c/chamomile.h"

namespace chamomile::tests {

/// A Context computes on the host by default.
struct Context {
    chm_context* c = nullptr;
    Context()
    {
        REQUIRE(chm_create(&c) == CHM_OK);
        set("device", "cpu");
    }
    ~Context() { chm_destroy(c); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    operator chm_context*() const { return c; }
    std::string error() const { return chm_last_error(c); }
    void set(const char* key, const char* value)
    {
        CAPTURE(key);
        CAPTURE(value);
        REQUIRE(chm_set_option(c, key, value) == CHM_OK);
    }
    /// Chooses the direct sum in double.
    void exact()
    {
        set("solver", "direct");
        set("precision", "double");
    }
};

inline std::vector<double> coordinates(const std::vector<Vec3<double>>& vectors)
{
    std::vector<double> x;
    for (const auto& v : vectors)
        x.insert(x.end(), {v.x, v.y, v.z});
    return x;
}

inline void build(Context& context, const Particles& p)
{
    const auto x = coordinates(p.position);
    REQUIRE(chm_set_sources(context, std::int64_t(p.size()), chm_vectors(x.data()),
                            chm_numbers(p.mass.data()), {}) == CHM_OK);
    REQUIRE(chm_build(context) == CHM_OK);
}

} // namespace chamomile::tests
