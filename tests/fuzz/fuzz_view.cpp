// Requests to a live view: parser, guards, and frames for accepted requests.
#include <algorithm>
#include <cstdlib>

#include <boost/asio/buffer.hpp>

#include "chamomile/run/view/frame.hpp"
#include "chamomile/run/view/head.hpp"

namespace {

using namespace chamomile;

ViewSample sample_of_hundred()
{
    Particles particles;
    particles.resize(100);
    for (std::size_t i = 0; i < 100; ++i) {
        particles.mass[i] = 1;
        particles.type[i] = std::uint8_t(i % 6);
        particles.position[i] = {double(i), double(i % 10), 1};
    }
    ViewSample sample;
    ViewSampler(particles).gather(source_of(particles), 100, 63, sample);
    return sample;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::string token(32, 'a');
    static const ViewSample sample = sample_of_hundred();
    HeadParser parser;
    parser.header_limit(max_head_bytes);
    boost::system::error_code failure;
    parser.put(boost::asio::buffer(data, size), failure);
    if (failure || !parser.is_header_done())
        return 0;
    const RequestHead head = head_of(parser);
    const ViewRequest request = judge(head, token);
    using Kind = ViewRequest::Kind;
    const bool is_secret = request.kind != Kind::refused && request.kind != Kind::page;
    if (is_secret && (head.token != token || head.has_body || head.is_ambiguous))
        std::abort();
    if (request.kind == Kind::command && head.method != "POST")
        std::abort();
    if (request.kind == Kind::frame && frame_of(sample, request.wish).size() > 4096 + 8 * 100)
        std::abort();
    return 0;
}
