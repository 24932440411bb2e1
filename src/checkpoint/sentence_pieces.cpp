#include "checkpoint/sentence_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <farfield/core/printable.hpp>

#include "checkpoint/characters.hpp"
#include "checkpoint/names.hpp"

namespace farfield::checkpoint {

using model::Token;

namespace {

/// The byte of a token such as "<0x0A>".
std::optional<unsigned char> byte_of(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return {};
    unsigned value = 0;
    const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
    if (error != std::errc() || end != token.data() + 5) return {};
    return static_cast<unsigned char>(value);
}

std::string shown(const std::string& text) {
    return core::printable_line(core::shortened(text));
}

}  // namespace

std::string SentencePieces::bytes_of(const std::string& token, double type) {
    if (stands_for_itself(type)) return token;
    if (const auto byte = type == byte_type ? byte_of(token) : std::nullopt) return {static_cast<char>(*byte)};
    return replaced(token, blank_mark, " ");
}

SentencePieces::SentencePieces(const Source& file) {
    bytes_.fill(no_token);
    read_blank(file);
    read_tokens(file);
    read_scores(file);
    if (ranks_.empty()) read_merges(file);
    if (ranks_.empty() && merges_.empty())
        refuse(file, fmt::format("'{}' is missing or empty", scores_key), "a list of the scores of tokens");
}

void SentencePieces::read_blank(const Source& file) {
    const auto is_set = [&file](std::string_view key, bool usual) {
        const tensor::GgufValue* const given = file.value(key);
        return given == nullptr ? usual : given->number != 0;
    };
    if (is_set("tokenizer.ggml.remove_extra_whitespaces", false))
        refuse(file, "'tokenizer.ggml.remove_extra_whitespaces' is true, which is not supported", "false");
    blank_ = is_set("tokenizer.ggml.add_space_prefix", true) ? Blank::always : Blank::never;
    // A folder can specify more than GGUF.
    const tensor::GgufValue* const given = file.value(blank_if_none_key);
    if (given != nullptr) blank_ = given->text == "first" ? Blank::first_if_none : Blank::always_if_none;
}

void SentencePieces::read_tokens(const Source& file) {
    file.read_list(types_key, [&](const tensor::GgufValue& value) { types_.push_back(value.number); });
    file.read_list(tokens_key, [&](const tensor::GgufValue& value) { strings_.push_back(value.text); });
    if (types_.empty()) types_.assign(strings_.size(), normal_type);
    if (types_.size() != strings_.size())
        refuse(file, fmt::format("'{}' has {} values", types_key, types_.size()), fmt::format("{}", strings_.size()));
    for (std::size_t i = 0; i < strings_.size(); ++i) {
        const auto token = static_cast<Token>(i);
        if (types_[i] == byte_type) {
            const auto byte = byte_of(strings_[i]);
            if (!byte)
                refuse(file,
                       fmt::format("token {} of '{}' is '{}', of the type of bytes", i, tokens_key, shown(strings_[i])),
                       "<0x00> to <0xFF>");
            bytes_[*byte] = token;
        } else if (types_[i] == normal_type || types_[i] == unused_type) {
            tokens_.emplace(strings_[i], token);
        } else if (types_[i] == unknown_type) {
            unknown_ = token;
        }
    }
    if (const tensor::GgufValue* const given = file.value("tokenizer.ggml.unknown_token_id")) {
        if (std::trunc(given->number) != given->number || given->number < 0 ||
            given->number >= static_cast<double>(strings_.size()))
            refuse(file, fmt::format("'tokenizer.ggml.unknown_token_id' is {}", given->number),
                   fmt::format("0 to {}", strings_.size() - 1));
        unknown_ = static_cast<Token>(given->number);
    }
}

void SentencePieces::read_scores(const Source& file) {
    std::vector<double> scores;
    file.read_list(scores_key, [&](const tensor::GgufValue& value) { scores.push_back(value.number); });
    if (scores.empty()) return;
    if (scores.size() != strings_.size())
        refuse(file, fmt::format("'{}' has {} values", scores_key, scores.size()), fmt::format("{}", strings_.size()));
    const auto bad = std::find_if(scores.begin(), scores.end(), [](double score) { return !std::isfinite(score); });
    if (bad != scores.end())
        refuse(file, fmt::format("value {} of '{}' is {}", bad - scores.begin(), scores_key, *bad), "a number");
    std::vector<double> falling = scores;
    std::sort(falling.begin(), falling.end(), std::greater<>());
    for (const double score : scores) {
        const auto found = std::lower_bound(falling.begin(), falling.end(), score, std::greater<>());
        ranks_.push_back(static_cast<std::size_t>(found - falling.begin()));
    }
}

void SentencePieces::read_merges(const Source& file) {
    std::size_t rank = 0;
    file.read_list(merges_key, [&](const tensor::GgufValue& value) {
        const std::string_view text = value.text;
        const std::size_t blank = text.find(' ', 1);
        const Token left = token_of(text.substr(0, blank));
        const Token right = blank == std::string_view::npos ? no_token : token_of(text.substr(blank + 1));
        const Token both = blank == std::string_view::npos
                               ? no_token
                               : token_of(std::string(text.substr(0, blank)).append(text.substr(blank + 1)));
        if (left == no_token || right == no_token || both == no_token)
            refuse(file, fmt::format("merge {} of '{}' is '{}'", rank, merges_key, shown(value.text)),
                   "two tokens with a blank between, whose join is a token");
        merges_.emplace(pair_of(left, right), Merge{rank++, both});
    });
}

Token SentencePieces::token_of(std::string_view piece) const {
    const auto found = tokens_.find(piece);
    return found == tokens_.end() ? no_token : found->second;
}

std::optional<Merge> SentencePieces::join(std::string_view text, const PiecePart& left, const PiecePart& right) const {
    if (!ranks_.empty()) {
        const Token both = token_of(text.substr(left.begin, left.size + right.size));
        return both == no_token ? std::nullopt : std::optional(Merge{ranks_[static_cast<std::size_t>(both)], both});
    }
    if (left.token == no_token || right.token == no_token) return std::nullopt;
    const auto found = merges_.find(pair_of(left.token, right.token));
    return found == merges_.end() ? std::nullopt : std::optional(found->second);
}

bool SentencePieces::is_unused(Token token) const {
    return token != no_token && types_[static_cast<std::size_t>(token)] == unused_type;
}

/// The token of a part; if it has none, the tokens of its bytes, or the unknown token. An unused token is only an
/// intermediate step of merges, and is split again into the parts from which it was merged.
void SentencePieces::put(std::string_view piece, const Splits& splits, std::vector<Token>& tokens) const {
    const Token token = token_of(piece);
    if (token != no_token && !is_unused(token)) return tokens.push_back(token);
    if (const auto split = splits.find(piece); split != splits.end()) {
        put(piece.substr(0, split->second), splits, tokens);
        return put(piece.substr(split->second), splits, tokens);
    }
    const bool has_bytes = std::all_of(piece.begin(), piece.end(),
                                       [&](char c) { return bytes_[static_cast<unsigned char>(c)] != no_token; });
    if (has_bytes) {
        for (const char c : piece) tokens.push_back(bytes_[static_cast<unsigned char>(c)]);
    } else if (unknown_ != no_token && (tokens.empty() || tokens.back() != unknown_)) {
        tokens.push_back(unknown_);
    }
}

void SentencePieces::encode(std::string_view text, bool is_first, std::vector<Token>& tokens) const {
    if (text.empty()) return;
    std::string marked = replaced(text, " ", blank_mark);
    const bool is_free = !marked.starts_with(blank_mark);
    const bool is_wanted = blank_ == Blank::always || (blank_ == Blank::always_if_none && is_free) ||
                           (blank_ == Blank::first_if_none && is_free && is_first);
    if (is_wanted) marked.insert(0, blank_mark);
    const std::string_view whole = marked;
    std::vector<PiecePart> parts;
    for (std::size_t at = 0; at < whole.size();) {
        const std::size_t length = length_of_character(whole.substr(at));
        append_part(parts, token_of(whole.substr(at, length)), at, length);
        at += length;
    }
    Splits splits;
    merge_parts(parts, [&](const PiecePart& left, const PiecePart& right) {
        const std::optional<Merge> merge = join(whole, left, right);
        if (merge && is_unused(merge->token))
            splits.insert_or_assign(whole.substr(left.begin, left.size + right.size), left.size);
        return merge;
    });
    std::vector<Token> found;  // neighbours share one unknown token, but not across control tokens
    for (const PiecePart& part : parts) put(whole.substr(part.begin, part.size), splits, found);
    tokens.insert(tokens.end(), found.begin(), found.end());
}

}  // namespace farfield::checkpoint
