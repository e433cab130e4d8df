#include "chamomile/run/view/request.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "chamomile/core/number_text.hpp"
#include "chamomile/run/view/page.hpp"

namespace chamomile {
namespace {

using Kind = ViewRequest::Kind;

ViewRequest refusal(int status, std::string text)
{
    ViewRequest request;
    request.status = status;
    request.text = std::move(text);
    return request;
}

/// Returns whether the host is this machine, by a name that cannot point elsewhere. Any port is
/// allowed, because `ssh -L` changes it.
bool is_this_machine(std::string_view host)
{
    for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
        if (!host.starts_with(name))
            continue;
        const std::string_view port = host.substr(name.size());
        return port.empty() || (port.front() == ':' && port.size() <= 6 &&
                                port.find_first_not_of("0123456789", 1) == port.npos);
    }
    return false;
}

/// Compares in constant time, so that timing does not reveal the position of a difference.
bool is_same_secret(std::string_view given, std::string_view secret)
{
    unsigned different = given.size() != secret.size();
    for (std::size_t k = 0; k < secret.size(); ++k)
        different |= unsigned(secret[k] ^ (k < given.size() ? given[k] : 0));
    return different == 0;
}

/// Returns the parts of the text between separators.
std::vector<std::string_view> parts(std::string_view text, char separator)
{
    std::vector<std::string_view> all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        all.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

/// A Query maps the fields after the "?" of a target.
using Query = std::map<std::string_view, std::string_view>;

std::optional<Query> query_of(std::string_view text)
{
    Query query;
    if (text.empty())
        return query;
    for (const std::string_view field : parts(text, '&')) {
        const std::size_t equals = field.find('=');
        if (equals == field.npos ||
            !query.emplace(field.substr(0, equals), field.substr(equals + 1)).second)
            return std::nullopt;
    }
    return query;
}

template <class T>
std::optional<T> number_in(const Query& query, std::string_view name)
{
    const auto field = query.find(name);
    return field == query.end() ? std::nullopt : parsed_number<T>(field->second);
}

ViewRequest frame_request(const Query& query)
{
    const auto after = number_in<std::uint64_t>(query, "after");
    const auto points = number_in<std::uint64_t>(query, "points");
    const auto types = number_in<std::uint64_t>(query, "types");
    if (!after || !points || !types || *types > 63)
        return refusal(400, "frame: needs after=, points= and types=");
    ViewRequest request;
    request.kind = Kind::frame;
    request.wish.after = *after;
    request.wish.points = std::size_t(std::min<std::uint64_t>(*points, max_view_points));
    request.wish.types = unsigned(*types);
    const auto box = query.find("box");
    if (box == query.end())
        return request;
    double numbers[4];
    const std::vector<std::string_view> texts = parts(box->second, ',');
    bool fits = texts.size() == 4;
    for (std::size_t k = 0; fits && k < 4; ++k) {
        const auto number = parsed_number<double>(texts[k]);
        fits = number && std::abs(*number) < 1e300;
        numbers[k] = number.value_or(0);
    }
    if (!fits || !(numbers[3] > 0))
        return refusal(400, "frame: box: needs x,y,z,half");
    request.wish.center = {numbers[0], numbers[1], numbers[2]};
    request.wish.half = numbers[3];
    return request;
}

ViewRequest command_request(std::string_view name, const Query& query)
{
    static const std::map<std::string_view, ViewCommand> commands = {
        {"pause", ViewCommand::pause},
        {"go", ViewCommand::go},
        {"step", ViewCommand::step},
        {"pace", ViewCommand::pace},
        {"checkpoint", ViewCommand::checkpoint},
        {"stop", ViewCommand::stop},
        {"show", ViewCommand::show}};
    const auto command = commands.find(name);
    if (command == commands.end())
        return refusal(404, "command: unknown");
    ViewRequest request;
    request.kind = Kind::command;
    request.command = command->second;
    if (request.command == ViewCommand::pace || request.command == ViewCommand::show) {
        const auto number = number_in<double>(query, "number");
        if (!number || !(*number >= 0) || *number > 1e9)
            return refusal(400, "command: needs number=");
        request.number = *number;
    }
    return request;
}

} // namespace

ViewRequest judge(const RequestHead& head, std::string_view token)
{
    if (head.has_body)
        return refusal(413, "body: must be empty");
    if (head.is_ambiguous)
        return refusal(400, "header: given twice");
    if (!is_this_machine(head.host))
        return refusal(421, "Host: must be 127.0.0.1 or localhost");
    if (!head.origin.empty() && head.origin != "http://" + std::string(head.host))
        return refusal(403, "Origin: must be this page");
    const std::size_t mark = std::min(head.target.find('?'), head.target.size());
    const std::string_view path = head.target.substr(0, mark);
    const bool is_page = head.method == "GET" && find_page_file(path);
    // A link from another page may open the page itself, because it holds no data.
    const bool is_own = head.site.empty() || head.site == "same-origin" || head.site == "none";
    if (!is_own && !(is_page && head.mode == "navigate"))
        return refusal(403, "Sec-Fetch-Site: must be this page");
    if (is_page) {
        ViewRequest request;
        request.kind = Kind::page;
        request.text = path;
        return request;
    }
    if (!is_same_secret(head.token, token))
        return refusal(403, std::string(view_token_header) + ": must be the token of this view");
    const std::optional<Query> query =
        query_of(mark < head.target.size() ? head.target.substr(mark + 1) : std::string_view());
    if (!query)
        return refusal(400, "target: cannot be read");
    if (head.method == "GET" && path == "/scene") {
        ViewRequest request;
        request.kind = Kind::scene;
        return request;
    }
    if (head.method == "GET" && path == "/frame")
        return frame_request(*query);
    if (head.method == "POST" && path.starts_with("/do/"))
        return command_request(path.substr(4), *query);
    return refusal(404, "not found");
}

} // namespace chamomile
