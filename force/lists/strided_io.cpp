#include "chamomile/force/lists/strided_io.hpp"

#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile {

std::vector<double> read_rows(const ArrayView& view, std::size_t n, int components,
                              const std::string& device)
{
    const auto width = std::size_t(components);
    std::vector<double> rows(n * width);
    if (view && view.on_device) {
        read_from_device(first_gpu(device), view, n, rows.data());
    } else if (view) {
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < width; ++c)
                rows[i * width + c] = view.load(i, int(c));
    }
    return rows;
}

void write_rows(const std::vector<double>& rows, std::size_t n, const ArrayView& view,
                const std::string& device)
{
    const auto width = std::size_t(view.components());
    if (view && view.on_device) {
        write_to_device(first_gpu(device), rows.data(), n, view);
    } else if (view) {
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < width; ++c)
                view.store(i, int(c), rows[i * width + c]);
    }
}

} // namespace chamomile
