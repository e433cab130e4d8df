// Files of options.
#include "app/options/config_file.hpp"
#include "tests/fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace chamomile;
    static tests::InputOfFuzzer input;
    tests::expect_no_more_than_errors([&] { app::read_config_file(input.path_of(data, size)); });
    return 0;
}
