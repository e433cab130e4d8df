/// \file  Request heads, as parsed by Boost.Beast.
#pragma once

#include <utility> // Boost.Asio 1.74 needs it before its own headers

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "chamomile/run/view/request.hpp"

namespace chamomile {

using HeadParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

inline constexpr std::size_t max_head_bytes = 8192;

/// Returns the fields that judge() needs. They refer to texts of the parser.
RequestHead head_of(const HeadParser& parser);

} // namespace chamomile
