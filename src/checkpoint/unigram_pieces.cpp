#include "checkpoint/unigram_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/printable.hpp>
#include <limits>

#include "checkpoint/characters.hpp"
#include "checkpoint/names.hpp"
#include "checkpoint/sentence_pieces.hpp"

namespace farfield::checkpoint {

using model::Token;

namespace {

#include "checkpoint/clusters.inc"

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD, for a byte that begins no character
constexpr double unknown_penalty = 10;

/// The number of bytes of the first grapheme cluster of a text. Clusters of 6 bytes or more need no exact end. Unicode
/// Standard Annex 29, without Hangul, flags and emoji, whose clusters have 6 bytes or more.
std::size_t length_of_cluster(std::string_view text) {
    if (text.starts_with("\r\n")) return 2;
    const auto [first, begin] = code_at(text);
    if (is_in(separate, first)) return begin;
    std::size_t length = begin;
    bool is_preceding = is_in(preceding, first);
    while (length < text.size()) {
        const auto [code, bytes] = code_at(text.substr(length));
        if (!is_in(joining, code) && (!is_preceding || is_in(separate, code))) break;
        is_preceding = is_in(preceding, code);
        length += bytes;
    }
    return length;
}

bool is_white(std::string_view text) {
    return is_in(white_space, code_at(text).first);
}

std::string_view without_white(std::string_view text, bool left, bool right) {
    while (left && !text.empty() && is_white(text)) text.remove_prefix(code_at(text).second);
    while (right && !text.empty()) {
        std::size_t last = text.size() - 1;
        while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xc0U) == 0x80U) --last;
        if (!is_white(text.substr(last))) break;
        text.remove_suffix(text.size() - last);
    }
    return text;
}

/// Replaces two or more blanks by one text.
std::string without_repeats(std::string_view text, std::string_view one) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_not_of(' ', at), text.size());
        if (end >= at + 2) result += one;
        if (end == at + 1) result += ' ';
        at = end;
        if (at < text.size()) result += text[at++];
    }
    return result;
}

std::uint64_t edge_of(std::uint32_t node, char byte) {
    return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
}

}  // namespace

UnigramPieces::UnigramPieces(const Source& file) {
    read_changes(file);
    read_pieces(file);
}

void UnigramPieces::read_changes(const Source& file) {
    const auto is_set = [&file](std::string_view key, bool usual) {
        const tensor::GgufValue* const given = file.value(key);
        return given == nullptr ? usual : given->number != 0;
    };
    file.read_list(steps_key, [this](const tensor::GgufValue& value) { steps_.push_back(value.text); });
    is_folder_ = !steps_.empty();
    adds_blank_ = is_set("tokenizer.ggml.add_space_prefix", true);
    merges_blanks_ = is_set("tokenizer.ggml.remove_extra_whitespaces", false);
    std::string bytes;
    file.read_list(charsmap_key, [&bytes](const tensor::GgufValue& value) {
        bytes += static_cast<char>(static_cast<int>(value.number) & 0xff);
    });
    if (!bytes.empty()) charsmap_.emplace(std::move(bytes), file.path());
}

void UnigramPieces::read_pieces(const Source& file) {
    std::vector<std::string> strings;
    std::vector<double> types;
    file.read_list(tokens_key, [&](const tensor::GgufValue& value) { strings.push_back(value.text); });
    file.read_list(types_key, [&](const tensor::GgufValue& value) { types.push_back(value.number); });
    file.read_list(scores_key, [&](const tensor::GgufValue& value) { scores_.push_back(value.number); });
    if (types.empty()) types.assign(strings.size(), normal_type);
    // A folder's list of scores ends before tokens that were added.
    if (scores_.empty() || (is_folder_ ? scores_.size() > strings.size() : scores_.size() != strings.size()))
        refuse(file, fmt::format("'{}' has {} values", scores_key, scores_.size()), fmt::format("{}", strings.size()));
    const auto bad = std::find_if(scores_.begin(), scores_.end(), [](double score) { return !std::isfinite(score); });
    if (bad != scores_.end())
        refuse(file, fmt::format("value {} of '{}' is {}", bad - scores_.begin(), scores_key, *bad), "a number");
    read_unknown(file, scores_.size());
    ends_.push_back(no_token);
    bytes_.fill(no_token);
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < scores_.size(); ++i) {
        const auto token = static_cast<Token>(i);
        const bool is_normal = types[i] == normal_type;
        if (is_folder_ || is_normal) lowest = std::min(lowest, scores_[i]);
        if (is_folder_ || is_normal) add_piece(strings[i], token);
        const std::string byte = types[i] == byte_type ? SentencePieces::bytes_of(strings[i], byte_type) : "";
        if (byte.size() == 1) bytes_[static_cast<unsigned char>(byte[0])] = token;
        if (types[i] == unknown_type && unknown_ == no_token) unknown_ = token;
    }
    if (unknown_ == no_token)
        refuse(file, "the tokenizer has no token for unknown characters", "'tokenizer.ggml.unknown_token_id'");
    unknown_score_ = lowest - unknown_penalty;
}

void UnigramPieces::read_unknown(const Source& file, std::size_t count) {
    const tensor::GgufValue* const given = file.value(unknown_key);
    if (given == nullptr) return;
    if (std::trunc(given->number) != given->number || given->number < 0 || given->number >= static_cast<double>(count))
        refuse(file, fmt::format("'{}' is {}", unknown_key, given->number), fmt::format("0 to {}", count - 1));
    unknown_ = static_cast<Token>(given->number);
}

void UnigramPieces::add_piece(std::string_view piece, Token token) {
    std::uint32_t node = 0;
    for (const char byte : piece) {
        const auto [edge, is_new] = edges_.try_emplace(edge_of(node, byte), static_cast<std::uint32_t>(ends_.size()));
        if (is_new) ends_.push_back(no_token);
        node = edge->second;
    }
    if (node != 0) ends_[node] = token;
}

/// SentencePiece's normalizer: removes blanks at both ends and repeated blanks if the file says so.
std::string UnigramPieces::as_sentencepiece(std::string_view text) const {
    std::string result;
    bool is_behind_blank = merges_blanks_;
    while (!text.empty()) {
        const std::optional<Charsmap::Match> match = charsmap_ ? charsmap_->longest(text) : std::nullopt;
        const auto [code, bytes] = code_at(text);
        std::string_view next = match ? match->text : code == invalid_code ? replacement : text.substr(0, bytes);
        while (is_behind_blank && next.starts_with(' ')) next.remove_prefix(1);
        if (!next.empty()) is_behind_blank = merges_blanks_ && next.ends_with(' ');
        result += next;
        text.remove_prefix(match ? match->bytes : bytes);
    }
    while (merges_blanks_ && result.ends_with(' ')) result.pop_back();
    if (result.empty() && merges_blanks_) return result;
    return replaced(adds_blank_ ? ' ' + result : result, " ", blank_mark);
}

/// Applies the table like `tokenizers`: a whole grapheme cluster below 6 bytes is replaced by the replacement of its
/// shortest prefix in the table; otherwise each character is replaced.
std::string UnigramPieces::by_clusters(std::string_view text) const {
    std::string result;
    const auto put = [&](std::string_view part) {
        const std::optional<Charsmap::Match> match = charsmap_->shortest(part);
        if (match) result += match->text;
        return match.has_value();
    };
    while (!text.empty()) {
        const std::string_view cluster = text.substr(0, length_of_cluster(text));
        if (cluster.size() >= 6 || !put(cluster)) {
            for (std::size_t at = 0; at < cluster.size();) {
                const std::string_view character = cluster.substr(at, code_at(cluster.substr(at)).second);
                if (!put(character)) result += character;
                at += character.size();
            }
        }
        text.remove_prefix(cluster.size());
    }
    return result;
}

std::string UnigramPieces::by_steps(std::string_view text) const {
    std::string result(text);
    for (const std::string_view step : steps_) {
        if (step == charsmap_step && charsmap_) result = by_clusters(result);
        if (step == strip_left_step || step == strip_right_step)
            result = without_white(result, step == strip_left_step, step == strip_right_step);
        if (step == one_blank_step) result = without_repeats(result, " ");
        if (step == one_mark_step) result = without_repeats(result, blank_mark);
        if (step == mark_step) result = replaced(result, " ", blank_mark);
        if (step == prepend_step && !result.empty()) result.insert(0, blank_mark);
    }
    return result;
}

void UnigramPieces::encode(std::string_view text, bool is_first, std::vector<Token>& tokens) const {
    if (text.empty()) return;
    if (!is_folder_) return encode_piece(as_sentencepiece(text), tokens);
    const std::string whole = by_steps(text);
    const bool cuts = std::find(steps_.begin(), steps_.end(), words_step) != steps_.end();
    if (!cuts) return take_word(whole, is_first, tokens);
    std::string word;
    for (std::size_t at = 0; at < whole.size();) {
        const std::string_view rest = std::string_view(whole).substr(at);
        const std::size_t bytes = code_at(rest).second;
        if (is_white(rest)) {
            take_word(std::move(word), false, tokens);
            word.clear();
        } else {
            word += rest.substr(0, bytes);
        }
        at += bytes;
    }
    take_word(std::move(word), false, tokens);
}

/// `tokenizers`' Metaspace.
void UnigramPieces::take_word(std::string word, bool is_first, std::vector<Token>& tokens) const {
    const auto has = [this](std::string_view step) {
        return std::find(steps_.begin(), steps_.end(), step) != steps_.end();
    };
    if (has(metaspace_step)) word = replaced(word, " ", blank_mark);
    const bool is_wanted = has(always_step) || (has(first_step) && is_first);
    if (is_wanted && !word.empty() && !word.starts_with(blank_mark)) word.insert(0, blank_mark);
    std::string_view rest = word;
    while (has(split_step) && !rest.empty()) {
        const std::size_t end = std::min(rest.find(blank_mark, 1), rest.size());
        encode_piece(rest.substr(0, end), tokens);
        rest.remove_prefix(end);
    }
    encode_piece(rest, tokens);
}

void UnigramPieces::encode_piece(std::string_view text, std::vector<Token>& tokens) const {
    constexpr std::size_t none = std::string_view::npos;
    struct Best {
        double sum = 0;
        std::size_t begin = std::string_view::npos;
        Token token = no_token;
    };
    std::vector<Best> best(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = code_at(text.substr(at)).second;
        const auto offer = [&](std::size_t end, double score, Token token) {
            const double sum = is_folder_
                                   ? best[at].sum + score
                                   : static_cast<float>(static_cast<float>(best[at].sum) + static_cast<float>(score));
            if (best[end].begin == none || sum > best[end].sum) best[end] = {sum, at, token};
        };
        bool is_known = false;
        std::uint32_t node = 0;
        for (std::size_t end = at; end < text.size();) {
            const auto edge = edges_.find(edge_of(node, text[end++]));
            if (edge == edges_.end()) break;
            node = edge->second;
            if (ends_[node] == no_token) continue;
            offer(end, scores_[static_cast<std::size_t>(ends_[node])], ends_[node]);
            is_known = is_known || end == at + length;
        }
        if (!is_known) offer(at + length, unknown_score_, unknown_);
        at += length;
    }
    struct Part {
        std::size_t begin, end;
        Token token;
    };
    std::vector<Part> parts;
    for (std::size_t end = text.size(); end > 0; end = parts.back().begin)
        parts.push_back({best[end].begin, end, best[end].token});
    std::reverse(parts.begin(), parts.end());
    for (std::size_t i = 0; i < parts.size();) {
        const std::size_t first = i++;
        if (parts[first].token != unknown_) {
            tokens.push_back(parts[first].token);
            continue;
        }
        while (i < parts.size() && parts[i].token == unknown_) ++i;
        put_unknown(text.substr(parts[first].begin, parts[i - 1].end - parts[first].begin), tokens);
    }
}

void UnigramPieces::put_unknown(std::string_view text, std::vector<Token>& tokens) const {
    // `tokenizers` looks up the whole text again.
    if (const Token whole = is_folder_ ? token_of(text) : no_token; whole != no_token) return tokens.push_back(whole);
    const auto token_of_byte = [this](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
    const bool has_bytes =
        std::all_of(text.begin(), text.end(), [&](char byte) { return token_of_byte(byte) != no_token; });
    if (!has_bytes) return tokens.push_back(unknown_);
    for (const char byte : text) tokens.push_back(token_of_byte(byte));
}

Token UnigramPieces::token_of(std::string_view piece) const {
    std::uint32_t node = 0;
    for (const char byte : piece) {
        const auto edge = edges_.find(edge_of(node, byte));
        if (edge == edges_.end()) return no_token;
        node = edge->second;
    }
    return ends_[node];
}

}  // namespace farfield::checkpoint
