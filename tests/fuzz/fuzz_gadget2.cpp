// The GADGET-2 format only. Fuzzing reaches deeper than for all formats, where most inputs fail at
// the first bytes.
#include "tests/fuzz/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace chamomile;
    return tests::read_with(
        [](const std::string& path) { return tests::brought(read_gadget2(path, max_on_one_rank)); },
        data, size);
}
