#include "chamomile/run/view/server.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility> // Boost.Asio 1.74 needs it before its own headers
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/system/signals_blocked.hpp"
#include "chamomile/run/view/head.hpp"
#include "chamomile/run/view/page.hpp"

namespace chamomile {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Failure = boost::system::error_code;
using std::chrono::seconds;

/// A viewer's browser opens up to six connections; further viewers wait in the system's queue. A
/// stranger has not shown the token. One stranger too many closes the oldest, so that silent
/// connections block nobody.
constexpr std::ptrdiff_t max_viewers = 16, max_strangers = 16;
/// Timeouts for a request of a stranger, and for a frame to become available.
constexpr seconds stranger_time(5), frame_time(10);

/// Returns the timeout of a viewer, who may draw, sleep or be slow: CHAMOMILE_VIEW_TIMEOUT seconds,
/// or 60. It also limits the sending of any response.
seconds viewer_time()
{
    const char* const given = std::getenv("CHAMOMILE_VIEW_TIMEOUT");
    return seconds(given && std::atoi(given) > 0 ? std::atoi(given) : 60);
}

/// Returns 128 random bits as hexadecimal digits.
std::string random_token()
{
    unsigned char bytes[16];
    if (::getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes))
        throw Error(Fault::usage, "{view}: the system has no random numbers");
    std::string token;
    for (const unsigned char byte : bytes)
        for (const int digit : {byte >> 4, byte & 15})
            token += "0123456789abcdef"[digit];
    return token;
}

} // namespace

/// All connections of a server, used only in the server's thread.
class ViewServer::Connections {
public:
    Connections(const ViewPlace& place, ViewAnswers answers, const std::string& token)
        : framing_(place.framing), answers_(std::move(answers)), token_(token), acceptor_(io_),
          end_(io_)
    {
        listen(place);
        const SignalsBlocked blocked;
        thread_ = std::thread([this] {
            ::setpriority(PRIO_PROCESS, id_t(::gettid()), 10); // the run has priority
            accept();
            io_.run();
        });
    }

    ~Connections()
    {
        asio::post(io_, [this] { close(); });
        thread_.join();
        over_ = true;
    }

    int port() const { return port_; }
    void notify()
    {
        asio::post(io_, [this] { look_again(); });
    }

private:
    class Connection;

    void listen(const ViewPlace& asked)
    {
        const asio::ip::tcp::endpoint place(asio::ip::address_v4::loopback(),
                                            static_cast<unsigned short>(asked.port.value_or(0)));
        acceptor_.open(place.protocol());
        acceptor_.set_option(asio::socket_base::reuse_address(true));
        Failure failure;
        acceptor_.bind(place, failure);
        if (!failure)
            acceptor_.listen(asio::socket_base::max_listen_connections, failure);
        if (failure)
            throw Error(Fault::usage, asked.option + ": " + std::to_string(asked.port.value_or(0)) +
                                          ": " + failure.message() +
                                          "; give another port, or no port");
        port_ = acceptor_.local_endpoint().port();
    }

    void accept();
    void look_again();
    void close();
    void forget(Connection* connection)
    {
        std::erase(all_, connection);
        if (over_)
            return;
        if (closing_ && all_.empty())
            io_.stop();
        else if (!closing_ && !accepting_)
            accept();
    }

    ViewFraming framing_;
    ViewAnswers answers_;
    std::string token_;
    int port_ = 0;
    bool accepting_ = false, closing_ = false, over_ = false;
    std::vector<Connection*> all_; ///< oldest first; ~io_context removes the last
    asio::io_context io_{1};
    asio::ip::tcp::acceptor acceptor_;
    asio::steady_timer end_;
    std::thread thread_;
};

/// A Connection reads and answers one request after another.
class ViewServer::Connections::Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(asio::ip::tcp::socket&& socket, Connections& server)
        : server_(server), stream_(std::move(socket)), patience_(server.io_)
    {
        server_.all_.push_back(this);
        Failure ignored;
        stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    }
    ~Connection() { server_.forget(this); }

    void read()
    {
        if (server_.closing_)
            return;
        parser_.emplace();
        parser_->header_limit(max_head_bytes);
        stream_.expires_after(is_viewer_ ? viewer_time() : stranger_time);
        http::async_read_header(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](Failure failure, std::size_t) { self->take(failure); });
    }

    /// Answers the waiting request if its frame is available.
    void look_again()
    {
        if (!wish_)
            return;
        if (server_.closing_)
            return answer(http::status::gone, "text/plain", "the run has ended", true);
        if (std::optional<std::string> frame = server_.answers_.frame(*wish_))
            answer(http::status::ok, "application/octet-stream", std::move(*frame));
    }

    bool is_viewer() const { return is_viewer_; }

    /// Closes the connection immediately.
    void cut() { stream_.close(); }

    /// Closes the connection unless a response is being sent.
    void close()
    {
        look_again();
        if (!response_)
            stream_.cancel();
    }

private:
    void take(Failure failure)
    {
        if (failure == http::error::header_limit || failure == http::error::buffer_overflow)
            return answer(http::status::request_header_fields_too_large, "text/plain",
                          "head: too large", true);
        if (failure &&
            failure.category() == http::make_error_code(http::error::bad_method).category() &&
            failure != http::error::end_of_stream && failure != http::error::partial_message)
            return answer(http::status::bad_request, "text/plain", "not a request", true);
        if (failure)
            return; // closed or timed out
        obey(judge(head_of(*parser_), server_.token_));
    }

    void obey(const ViewRequest& request)
    {
        using Kind = ViewRequest::Kind;
        if (request.kind == Kind::refused)
            return answer(http::status(request.status), "text/plain", request.text, true);
        if (request.kind == Kind::page) {
            const PageFile& file = *find_page_file(request.text);
            return answer(http::status::ok, std::string(file.type), std::string(file.content),
                          !is_viewer_);
        }
        is_viewer_ = true; // has shown the token
        if (request.kind == Kind::scene)
            return answer(http::status::ok, "application/json", server_.answers_.scene());
        if (request.kind == Kind::command) {
            server_.answers_.command(request.command, request.number);
            return answer(http::status::ok, "application/json", "{}");
        }
        wish_ = request.wish;
        patience_.expires_after(frame_time);
        patience_.async_wait([self = shared_from_this()](Failure failure) {
            if (!failure && self->wish_)
                self->answer(http::status::no_content, "text/plain", "");
        });
        notice_end();
        look_again();
    }

    /// Drops the waiting request if the viewer disconnects.
    void notice_end()
    {
        const std::uint64_t number = ++wishes_;
        stream_.socket().async_wait(
            asio::ip::tcp::socket::wait_read, [self = shared_from_this(), number](Failure failure) {
                Failure ended;
                if (!self->wish_ || number != self->wishes_ ||
                    (!failure && self->stream_.socket().available(ended) > 0))
                    return;
                self->wish_.reset();
                self->patience_.cancel();
            });
    }

    void answer(http::status status, const std::string& type, std::string body, bool last = false)
    {
        wish_.reset();
        ++wishes_; // cancels notice_end()
        patience_.cancel();
        response_.emplace(status, 11);
        response_->set(http::field::content_type, type);
        response_->set(http::field::cache_control, "no-store");
        response_->set("X-Content-Type-Options", "nosniff");
        response_->set("Referrer-Policy", "no-referrer");
        response_->set("Cross-Origin-Resource-Policy", "same-origin");
        response_->set(
            "Content-Security-Policy",
            std::string("default-src 'none'; script-src 'self'; style-src 'self'; "
                        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors ") +
                (server_.framing_ == ViewFraming::none ? "'none'"
                                                       : "http://localhost:* http://127.0.0.1:*"));
        if (server_.framing_ == ViewFraming::none) {
            response_->set("X-Frame-Options", "DENY");
            response_->set("Cross-Origin-Opener-Policy", "same-origin");
        }
        const bool goes_on = !last && !server_.closing_;
        response_->keep_alive(goes_on);
        response_->body() = std::move(body);
        response_->prepare_payload();
        stream_.expires_after(viewer_time());
        http::async_write(stream_, *response_,
                          [self = shared_from_this(), goes_on](Failure failure, std::size_t) {
                              self->response_.reset();
                              if (!failure && goes_on)
                                  return self->read();
                              Failure ignored;
                              self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send,
                                                              ignored);
                          });
    }

    Connections& server_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_{2 * max_head_bytes};
    std::optional<HeadParser> parser_;
    std::optional<http::response<http::string_body>> response_;
    std::optional<FrameWish> wish_; ///< waiting for a frame
    std::uint64_t wishes_ = 0;      ///< number so far
    asio::steady_timer patience_;
    bool is_viewer_ = false;
};

void ViewServer::Connections::accept()
{
    const auto viewers = std::ranges::count_if(all_, &Connection::is_viewer);
    accepting_ = viewers < max_viewers;
    if (!accepting_)
        return;
    if (std::ptrdiff_t(all_.size()) - viewers >= max_strangers) {
        accepting_ = false; // accept() runs again when the connection ends
        return (*std::ranges::find_if_not(all_, &Connection::is_viewer))->cut();
    }
    acceptor_.async_accept([this](Failure failure, asio::ip::tcp::socket socket) {
        accepting_ = false;
        if (closing_)
            return;
        if (!failure)
            std::make_shared<Connection>(std::move(socket), *this)->read();
        if (!accepting_)
            accept();
    });
}

void ViewServer::Connections::look_again()
{
    // An answer may end a connection and remove it from all_.
    const std::vector<Connection*> now = all_;
    for (Connection* connection : now)
        if (std::ranges::find(all_, connection) != all_.end())
            connection->look_again();
}

/// Ends all connections. Responses in progress get a moment to finish.
void ViewServer::Connections::close()
{
    look_again();
    closing_ = true;
    Failure ignored;
    acceptor_.close(ignored);
    const std::vector<Connection*> now = all_;
    for (Connection* connection : now)
        if (std::ranges::find(all_, connection) != all_.end())
            connection->close();
    end_.expires_after(std::chrono::milliseconds(500));
    end_.async_wait([this](Failure failure) {
        if (!failure)
            io_.stop();
    });
    if (all_.empty())
        io_.stop();
}

ViewServer::ViewServer(const ViewPlace& place, ViewAnswers answers)
    : token_(random_token()),
      connections_(std::make_unique<Connections>(place, std::move(answers), token_))
{}

ViewServer::~ViewServer() = default;

int ViewServer::port() const
{
    return connections_->port();
}

void ViewServer::notify()
{
    connections_->notify();
}

} // namespace chamomile
