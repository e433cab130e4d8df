#include "chamomile/io/pictures/image.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include <png.h>

#include "chamomile/io/pending_file.hpp"

namespace chamomile {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason)
{
    throw Error(Fault::output, path.string() + ": " + reason);
}

[[noreturn]] void refuse_write(const std::filesystem::path& path)
{
    throw bad_output(path, "file", std::strerror(errno), "cannot be written");
}

// libpng reports errors through longjmp, which must not skip C++ destructors. These two functions
// therefore only store the message and leave.
void record_error(png_structp png, png_const_charp message)
{
    auto* text = static_cast<std::string*>(png_get_error_ptr(png));
    text->assign(message);
    png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

/// Encodes all rows. Returns false and sets `message` on failure. Must not contain objects with a
/// destructor, because of longjmp.
bool encode(const Image& image, std::span<png_text> texts, std::FILE* file, std::string& message)
{
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, record_error, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    if (!info) {
        png_destroy_write_struct(&png, nullptr);
        message = "out of memory";
        return false;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, png_uint_32(image.width()), png_uint_32(image.height()), 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    if (!texts.empty())
        png_set_text(png, info, texts.data(), int(texts.size()));
    png_write_info(png, info);
    for (int y = 0; y < image.height(); ++y)
        png_write_row(png, image.at(0, y).data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

} // namespace

void write_png(const Image& image, const std::filesystem::path& path)
{
    if (image.width() < 1 || image.height() < 1)
        refuse(path, "a picture without pixels");
    PendingFile pending(path);
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        std::fopen(pending.temporary().c_str(), "wb"), std::fclose);
    if (!file)
        refuse(path, std::strerror(errno));
    std::vector<png_text> texts;
    for (const auto& [name, text] : image.texts) {
        png_text& one = texts.emplace_back();
        one.compression = PNG_TEXT_COMPRESSION_NONE;
        one.key = const_cast<char*>(name.c_str());
        one.text = const_cast<char*>(text.c_str());
        one.text_length = text.size();
    }
    std::string message;
    if (!encode(image, texts, file.get(), message))
        std::ferror(file.get()) ? refuse_write(path) : refuse(path, message);
    if (std::fclose(file.release()) != 0)
        refuse_write(path);
    pending.commit();
}

} // namespace chamomile
