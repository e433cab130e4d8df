/// \file  Heads of requests as Boost.Beast reads them.
#pragma once

#include <utility> // Boost.Asio 1.74 needs it before its own headers

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "chamomile/view/request.hpp"

namespace chamomile {

using HeadParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

inline constexpr std::size_t most_head_bytes = 8192;

/// Returns what the guards look at. It refers to the parser's texts.
RequestHead head_of(const HeadParser& parser);

} // namespace chamomile
