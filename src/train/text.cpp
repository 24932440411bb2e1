#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/numerics/philox.hpp>
#include <farfield/train/text.hpp>
#include <utility>

#include "train/streams.hpp"

namespace farfield::train {

namespace {

/// A range of tokens; rows do not cross its ends.
struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;

    /// The number of rows of `length` predictions in it.
    std::size_t rows(std::size_t length) const { return end - begin > length ? end - begin - length : 0; }
};

/// Whether the part with this index belongs to the held-out share, which is spread evenly.
bool is_held_out(std::size_t index, double share) {
    const auto at = static_cast<double>(index);
    return std::floor((at + 1) * share) > std::floor(at * share);
}

class Text : public Source {
public:
    Text(const std::vector<std::string>& documents, const Encoding& encoding, const Split& split)
        : vocabulary_(encoding.vocabulary), encode_(encoding.encode), split_(split) {
        std::string identity = fmt::format("text {} {} {} {}\n", vocabulary_, split.held_out, split.by_document,
                                           split.by_document ? 0 : split.block);
        std::vector<std::size_t> ends;
        for (const std::string& document : documents) {
            const std::vector<Token> tokens = encoding.encode(document);
            if (!split.by_document && !tokens_.empty()) tokens_.push_back(encoding.line_break);
            tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
            ends.push_back(tokens_.size());
        }
        if (!split.by_document) ends = ends_of_blocks();
        std::size_t begin = 0;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            add(is_held_out(i, split.held_out) ? held_out_ : training_, {begin, ends[i]});
            begin = ends[i];
        }
        const auto* bytes = reinterpret_cast<const char*>(tokens_.data());
        identity_ = core::sha256(identity + core::sha256({bytes, tokens_.size() * sizeof(Token)}));
    }

    std::size_t vocabulary() const override { return vocabulary_; }
    std::string identity() const override { return identity_; }
    std::optional<std::vector<Token>> encode(std::string_view text) const override { return encode_(text); }

    Row sample(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::size_t length) const override {
        const std::size_t count = rows(training_, length);
        if (count == 0) refuse(training_, length, "to train on");
        return row_at(training_, numerics::Random(seed, data_stream, step, row).below(count), length);
    }

    Row held_out(std::size_t index, std::size_t count, std::size_t length) const override {
        const std::size_t starts = rows(held_out_, length);
        if (starts < count || count == 0) refuse(held_out_, length, fmt::format("held out for {} segments", count));
        const double at = (static_cast<double>(index) + 0.5) * static_cast<double>(starts) / static_cast<double>(count);
        return row_at(held_out_, static_cast<std::size_t>(at), length);
    }

    std::size_t rows(Part part, std::size_t length) const override { return rows(stretches(part), length); }

    std::size_t longest_row(Part part) const override {
        const std::size_t most = longest(stretches(part));
        return most > 0 ? most - 1 : 0;
    }

private:
    const std::vector<Stretch>& stretches(Part part) const { return part == Part::training ? training_ : held_out_; }

    /// Uses shorter blocks if the text is too short for the held-out share with the requested blocks.
    std::vector<std::size_t> ends_of_blocks() const {
        const auto share = static_cast<std::size_t>(static_cast<double>(tokens_.size()) * split_.held_out);
        const std::size_t block = share > 0 ? std::min(split_.block, share) : split_.block;
        std::vector<std::size_t> ends;
        for (std::size_t end = block; end < tokens_.size(); end += block) ends.push_back(end);
        ends.push_back(tokens_.size());
        return ends;
    }

    /// Adjacent ranges become one, so that rows may cross them; documents stay separate.
    void add(std::vector<Stretch>& stretches, Stretch next) const {
        const bool joined = !split_.by_document && !stretches.empty() && stretches.back().end == next.begin;
        if (joined)
            stretches.back().end = next.end;
        else
            stretches.push_back(next);
    }

    static std::size_t rows(const std::vector<Stretch>& stretches, std::size_t length) {
        std::size_t count = 0;
        for (const Stretch& stretch : stretches) count += stretch.rows(length);
        return count;
    }

    static std::size_t longest(const std::vector<Stretch>& stretches) {
        std::size_t most = 0;
        for (const Stretch& stretch : stretches) most = std::max(most, stretch.end - stretch.begin);
        return most;
    }

    Row row_at(const std::vector<Stretch>& stretches, std::size_t start, std::size_t length) const {
        auto stretch = stretches.begin();
        for (; start >= stretch->rows(length); ++stretch) start -= stretch->rows(length);
        const auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(stretch->begin + start);
        return {{begin, begin + static_cast<std::ptrdiff_t>(length + 1)}, std::vector<float>(length, 1)};
    }

    [[noreturn]] void refuse(const std::vector<Stretch>& stretches, std::size_t length, const std::string& what) const {
        const char* part = split_.by_document ? "document" : "stretch";
        throw core::UserError({core::Diagnostic{
            split_.place,
            fmt::format("the corpus of {} tokens is too short: its longest {} {} has {}", tokens_.size(), part, what,
                        longest(stretches)),
            fmt::format("{} tokens for a row of length {}", length + 1, length),
            "A longer text, a smaller length, fewer segments, or another 'held_out', 'split' or 'block'."}});
    }

    std::size_t vocabulary_;
    std::function<std::vector<Token>(std::string_view)> encode_;
    Split split_;
    std::vector<Token> tokens_;
    std::vector<Stretch> training_;
    std::vector<Stretch> held_out_;
    std::string identity_;
};

}  // namespace

std::shared_ptr<const Source> make_text(const std::vector<std::string>& documents, const Tokeniser& tokeniser,
                                        const Split& split) {
    const auto encode = [tokeniser](std::string_view text) { return tokeniser.encode(text); };
    return make_encoded_text(documents, {tokeniser.vocabulary(), '\n', encode}, split);
}

std::shared_ptr<const Source> make_encoded_text(const std::vector<std::string>& documents, const Encoding& encoding,
                                                const Split& split) {
    return std::make_shared<Text>(documents, encoding, split);
}

}  // namespace farfield::train
