// Text laws.
#include "chamomile/force/pairs/text/law_text.hpp"
#include "tests/fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace chamomile;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    tests::expect_no_more_than_errors([&] {
        const LawText law = read_law(text, "law");
        std::vector<double> parameters, target(law.target.size(), 0.5),
            source(law.source.size(), 0.25), sums(law.sum.size());
        for (const LawParameter& parameter : law.parameters)
            parameters.push_back(parameter.value);
        add_pair(law, parameters, target, source, sums);
    });
    return 0;
}
