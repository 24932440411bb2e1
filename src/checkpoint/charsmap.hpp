// SentencePiece's table of replacements of characters before a text is split, such as those of Unicode's form NFKC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::checkpoint {

/// A double array over the bytes of UTF-8, and zero-terminated texts. Sources: github.com/google/sentencepiece
/// (normalizer.cc), github.com/s-yata/darts-clone (darts.h).
class Charsmap {
public:
    /// Throws core::UserError that names the file if the bytes are not such a table.
    Charsmap(const std::string& bytes, std::string file);

    struct Match {
        std::size_t bytes;      ///< of the text, above 0
        std::string_view text;  ///< the replacement
    };

    /// The shortest, or the longest, prefix of the text in the table.
    std::optional<Match> shortest(std::string_view text) const { return find(text, true); }
    std::optional<Match> longest(std::string_view text) const { return find(text, false); }

private:
    std::optional<Match> find(std::string_view text, bool is_first_enough) const;
    std::uint32_t unit(std::size_t index) const;

    std::vector<std::uint32_t> units_;
    std::string texts_;
    std::string file_;
};

}  // namespace farfield::checkpoint
