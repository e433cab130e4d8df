#include "chamomile/run/journal.hpp"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile {

Journal::~Journal()
{
    clear_status();
    if (file_)
        std::fclose(file_);
}

void Journal::open(const std::filesystem::path& file, bool append)
{
    file_ = std::fopen(file.c_str(), append ? "a" : "w");
    if (!file_)
        throw Error(Fault::output, file.string() + ": cannot be created: " + std::strerror(errno));
    path_ = file.string();
    put(kept_);
    kept_.clear();
}

void Journal::print(const std::string& line)
{
    if (prints_on_screen()) {
        clear_status();
        std::fprintf(screen_.stream, "%s\n", spelled(line, command_line_spelling()).c_str());
        std::fflush(screen_.stream);
    }
    record(line);
}

void Journal::warn(const std::string& line)
{
    clear_status();
    if (screen_.warn)
        screen_.warn(line);
    record("warning      " + line);
}

void Journal::detail(const std::string& line)
{
    if (verbosity() == Verbosity::verbose)
        print(line);
}

void Journal::record(const std::string& line)
{
    const std::string text = one_line(spelled(line, command_line_spelling())) + "\n";
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
        print(line);
}

void Journal::show_status(const std::string& line)
{
    if (!on_terminal() || !prints_on_screen())
        return;
    std::fprintf(screen_.stream, "\r%s\033[K", line.c_str());
    std::fflush(screen_.stream);
    status_shown_ = true;
}

bool Journal::on_terminal() const
{
    return screen_.stream && ::isatty(::fileno(screen_.stream));
}

void Journal::clear_status()
{
    if (status_shown_)
        std::fputs("\r\033[K", screen_.stream);
    status_shown_ = false;
}

} // namespace chamomile
