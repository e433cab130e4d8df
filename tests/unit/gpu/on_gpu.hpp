/// \file  Arrays in memory of the first GPU.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/strided_io.hpp"

namespace chamomile::tests {

/// An array in memory of the first GPU.
struct OnGpu {
    std::shared_ptr<std::byte> memory;
    ArrayView view;

    OnGpu(std::size_t n, int components)
        : memory(device_memory(0, n * std::size_t(components) * sizeof(double)))
    {
        auto* const first = reinterpret_cast<double*>(memory.get());
        const auto stride = std::ptrdiff_t(components) * std::ptrdiff_t(sizeof(double));
        view = components == 3 ? vectors_at(first, stride) : numbers_at(first, stride);
        view.on_device = true;
    }
    OnGpu(const ArrayView& from, std::size_t n) : OnGpu(n, from.components())
    {
        write_to_device(0, read_rows(from, n, from.components(), "cpu").data(), n, view);
    }
    std::vector<double> rows(std::size_t n) const
    {
        std::vector<double> rows(n * std::size_t(view.components()));
        read_from_device(0, view, n, rows.data());
        return rows;
    }
};

} // namespace chamomile::tests
