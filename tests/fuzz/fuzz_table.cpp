// Text tables: spectra, transfer functions, and columns of numbers, selected by the first byte.
#include <cmath>
#include <cstdlib>

#include "app/pairs/columns.hpp"
#include "chamomile/initial/cosmology/power_table.hpp"
#include "tests/fuzz/input.hpp"

namespace {

void require_ascending(const std::vector<chamomile::PowerTableRow>& rows)
{
    double before = 0;
    for (const auto& row : rows) {
        if (!(row.k > before) || !std::isfinite(row.value))
            std::abort();
        before = row.k;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace chamomile;
    static tests::InputOfFuzzer input;
    if (size == 0)
        return 0;
    const int kind = data[0] % 3;
    const std::string& path = input.path_of(data + 1, size - 1);
    tests::expect_no_more_than_errors([&] {
        if (kind < 2)
            require_ascending(
                read_power_table(path, kind == 0 ? PowerColumn::second : PowerColumn::matter));
        else if (app::Columns(path, {"x", "y", "m"}).rows_of({"m", "x"}).size() > 2 * size)
            std::abort();
    });
    return 0;
}
