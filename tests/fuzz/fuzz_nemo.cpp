// The NEMO format only.
#include "tests/fuzz/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace chamomile;
    return tests::read_with([](const std::string& path) { return read_nemo(InputFile(path)); },
                            data, size);
}
