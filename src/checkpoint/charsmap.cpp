#include "checkpoint/charsmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>

namespace farfield::checkpoint {
namespace {

[[noreturn]] void refuse_charsmap(const std::string& file, std::string found) {
    core::Place place;
    place.file = file;
    throw core::UserError({core::Diagnostic{
        place, std::move(found), "SentencePiece's table: the bytes of its double array, the array, and texts", {}}});
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

/// The parts of a unit of the double array.
bool has_leaf(std::uint32_t unit) {
    return (unit >> 8 & 1) != 0;
}
std::uint32_t value_of(std::uint32_t unit) {
    return unit & 0x7fffffffU;
}
std::uint32_t label_of(std::uint32_t unit) {
    return unit & 0x800000ffU;
}
std::uint32_t offset_of(std::uint32_t unit) {
    return unit >> 10 << ((unit & 0x200U) >> 6);
}

}  // namespace

Charsmap::Charsmap(const std::string& bytes, std::string file) : file_(std::move(file)) {
    const std::size_t size = bytes.size() < 4 ? 0 : number_at(bytes, 0);
    if (size == 0 || size % 4 != 0 || size > bytes.size() - 4)
        refuse_charsmap(file_,
                        fmt::format("'precompiled_charsmap' of {} bytes has an array of {}", bytes.size(), size));
    for (std::size_t at = 4; at < size + 4; at += 4) units_.push_back(number_at(bytes, at));
    texts_ = bytes.substr(size + 4);
    if (texts_.empty() || texts_.back() != '\0')
        refuse_charsmap(file_, "the last text of 'precompiled_charsmap' does not end");
}

std::uint32_t Charsmap::unit(std::size_t index) const {
    if (index >= units_.size())
        refuse_charsmap(file_, fmt::format("'precompiled_charsmap' refers to unit {} of {}", index, units_.size()));
    return units_[index];
}

std::optional<Charsmap::Match> Charsmap::find(std::string_view text, bool is_first_enough) const {
    std::optional<Match> found;
    std::size_t at = offset_of(unit(0));
    for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        at ^= byte;
        const std::uint32_t here = unit(at);
        if (label_of(here) != byte) break;
        at ^= offset_of(here);
        if (!has_leaf(here)) continue;
        const std::size_t begin = value_of(unit(at));
        if (begin >= texts_.size())
            refuse_charsmap(
                file_, fmt::format("'precompiled_charsmap' refers to byte {} of texts of {}", begin, texts_.size()));
        found = Match{i + 1, std::string_view(texts_.c_str() + begin)};
        if (is_first_enough) break;
    }
    return found;
}

}  // namespace farfield::checkpoint
