#include "chamomile/run/journal.hpp"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "app/warning.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/io/one_line.hpp"

namespace chamomile {

Journal::~Journal()
{
    clear_status();
    if (file_)
        std::fclose(file_);
}

void Journal::open(const std::filesystem::path& file, bool goes_on)
{
    file_ = std::fopen(file.c_str(), goes_on ? "a" : "w");
    if (!file_)
        throw Error(Fault::output, file.string() + ": cannot be created: " + std::strerror(errno));
    path_ = file.string();
    put(kept_);
    kept_.clear();
}

void Journal::tell(const std::string& line)
{
    if (verbosity_ != Verbosity::quiet) {
        clear_status();
        std::printf("%s\n", line.c_str());
        std::fflush(stdout);
    }
    record(line);
}

void Journal::warn(const std::string& line)
{
    clear_status();
    app::warn(line);
    record("warning      " + line);
}

void Journal::detail(const std::string& line)
{
    if (verbosity_ == Verbosity::verbose)
        tell(line);
}

void Journal::record(const std::string& line)
{
    const std::string text = one_line(line) + "\n";
    if (!file_)
        kept_ += text;
    else
        put(text);
}

void Journal::put(const std::string& text)
{
    if ((std::fputs(text.c_str(), file_) < 0 || std::fflush(file_) != 0) && failure_ == 0)
        failure_ = errno;
}

void Journal::sync()
{
    if (file_ && ::fsync(::fileno(file_)) != 0 && errno != EINVAL && failure_ == 0)
        failure_ = errno;
}

void Journal::require_written() const
{
    if (failure_ != 0)
        throw Error(Fault::output, path_ + ": cannot be written: " + std::strerror(failure_));
}

void Journal::show_work(const std::string& line)
{
    if (on_terminal())
        show_status(line);
    else
        tell(line);
}

void Journal::show_status(const std::string& line)
{
    if (!on_terminal() || verbosity_ == Verbosity::quiet)
        return;
    std::printf("\r%s\033[K", line.c_str());
    std::fflush(stdout);
    status_shown_ = true;
}

bool Journal::on_terminal() const
{
    return isatty(STDOUT_FILENO);
}

void Journal::clear_status()
{
    if (status_shown_)
        std::printf("\r\033[K");
    status_shown_ = false;
}

} // namespace chamomile
