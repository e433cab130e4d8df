#include "chamomile/run/view/head.hpp"

namespace chamomile {
namespace {

std::string_view plain(boost::beast::string_view text)
{
    return {text.data(), text.size()};
}

} // namespace

RequestHead head_of(const HeadParser& parser)
{
    const auto& request = parser.get();
    RequestHead head;
    head.method = plain(request.method_string());
    head.target = plain(request.target());
    head.has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
    const auto take = [&](const char* name, std::string_view& text) {
        const auto [begin, end] = request.equal_range(name);
        for (auto field = begin; field != end; ++field) {
            head.is_ambiguous |= field != begin;
            text = plain(field->value());
        }
    };
    take("Host", head.host);
    take("Origin", head.origin);
    take(view_token_header, head.token);
    take("Sec-Fetch-Site", head.site);
    take("Sec-Fetch-Mode", head.mode);
    return head;
}

} // namespace chamomile
