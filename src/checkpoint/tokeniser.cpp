#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <farfield/checkpoint/tokeniser.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/printable.hpp>
#include <functional>
#include <optional>
#include <unordered_map>

#include "checkpoint/merging.hpp"
#include "checkpoint/names.hpp"
#include "checkpoint/pieces.hpp"
#include "checkpoint/sentence_pieces.hpp"
#include "checkpoint/unigram_pieces.hpp"

namespace farfield::checkpoint {

using model::Token;

namespace {

/// GPT-2's characters for bytes: a printable byte of Latin-1 is itself, and the others follow from U+0100 on.
std::array<std::uint32_t, 256> characters_of_bytes() {
    std::array<std::uint32_t, 256> codes{};
    std::uint32_t next = 256;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        const bool is_shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
        codes[byte] = is_shown ? byte : next++;
    }
    return codes;
}

/// The bytes of a text of such characters; nothing if it has other characters.
class ByteReader {
public:
    ByteReader() {
        const auto codes = characters_of_bytes();
        for (std::size_t byte = 0; byte < codes.size(); ++byte) bytes_[codes[byte]] = static_cast<char>(byte);
    }

    std::optional<std::string> read(std::string_view text) const {
        std::string result;
        for (std::size_t at = 0; at < text.size();) {
            std::uint32_t code = static_cast<unsigned char>(text[at++]);
            if (code >= 0x80) {  // up to U+0143: two bytes
                if (code < 0xc2 || code > 0xdf || at == text.size()) return {};
                code = (code & 0x1fU) << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fU);
            }
            const auto found = bytes_.find(code);
            if (found == bytes_.end()) return {};
            result += found->second;
        }
        return result;
    }

private:
    std::unordered_map<std::uint32_t, char> bytes_;
};

}  // namespace

struct Tokeniser::Tables {
    PieceRule rule{};
    std::vector<std::string> strings;  ///< of each token, as bytes
    std::array<Token, 256> bytes{};    ///< or no_token
    std::unordered_map<std::uint64_t, Merge> merges;
    std::vector<Token> controls;                        ///< the longest names first
    std::unordered_map<std::string_view, Token> whole;  ///< tokens that are pieces as they are
    std::optional<SentencePieces> sentence_pieces;      ///< replaces all members about pieces
    std::optional<UnigramPieces> unigram_pieces;        ///< the same
    std::string path;                                   ///< of the checkpoint, for messages

    void read(const Checkpoint& checkpoint);
    void encode_text(std::string_view text, bool is_first, std::vector<Token>& tokens) const;
    void encode_piece(std::string_view piece, std::vector<Token>& tokens) const;
    Token control_at(std::string_view text) const;

private:
    /// The bytes of a token of a type; nothing if it is invalid.
    using BytesOf = std::function<std::optional<std::string>(const std::string& token, double type)>;

    void read_strings(const Checkpoint& checkpoint, const BytesOf& bytes_of);
    void read_merges(const Source& file);
};

namespace {

std::string text_of(const Source& file, std::string_view key) {
    const tensor::GgufValue* const value = file.value(key);
    return value != nullptr ? value->text : std::string();
}

std::string model_of(const Source& file) {
    std::string model = text_of(file, "tokenizer.ggml.model");
    if (model.empty()) refuse(file, "there is no tokenizer: 'tokenizer.ggml.model' is missing", "gpt2, llama or t5");
    if (model != "gpt2" && model != "llama" && model != "t5")
        refuse(
            file, "unknown tokenizer '" + core::printable_line(core::shortened(model)) + "'",
            "gpt2, byte-level byte pair encoding, llama, SentencePiece's byte pair encoding, or t5, its unigram model");
    return model;
}

const PieceRule& rule_of(const Source& file) {
    const std::string pre = text_of(file, "tokenizer.ggml.pre");
    std::vector<std::string> names;
    for (const PieceRule& rule : piece_rules()) {
        if (rule.name == pre) return rule;
        names.emplace_back(rule.name);
    }
    refuse(file, "unknown 'tokenizer.ggml.pre' of '" + core::printable_line(core::shortened(pre)) + "'", {},
           core::known_here(pre, names));
}

}  // namespace

void Tokeniser::Tables::read(const Checkpoint& checkpoint) {
    path = checkpoint.path();
    if (const std::string model = model_of(checkpoint.file()); model != "gpt2") {
        read_strings(checkpoint, SentencePieces::bytes_of);
        if (model == "llama")
            sentence_pieces.emplace(checkpoint.file());
        else
            unigram_pieces.emplace(checkpoint.file());
        return;
    }
    rule = rule_of(checkpoint.file());
    const auto change = [&checkpoint](std::string_view key, bool& part) {
        if (const tensor::GgufValue* const given = checkpoint.file().value(key)) part = given->number != 0;
    };
    // A folder states settings that GGUF implies by the name of its rule.
    change("tokenizer.ignore_merges", rule.whole_pieces);
    change("tokenizer.is_composed", rule.is_composed);
    read_strings(checkpoint, [reader = ByteReader()](const std::string& token, double type) {
        return stands_for_itself(type) ? token : reader.read(token);
    });
    read_merges(checkpoint.file());
}

void Tokeniser::Tables::read_strings(const Checkpoint& checkpoint, const BytesOf& bytes_of) {
    const Source& file = checkpoint.file();
    std::vector<double> types;
    file.read_list(types_key, [&types](const tensor::GgufValue& value) { types.push_back(value.number); });
    file.read_list(tokens_key, [&](const tensor::GgufValue& value) {
        const double type = strings.size() < types.size() ? types[strings.size()] : normal_type;
        const std::optional<std::string> own = bytes_of(value.text, type);
        if (!own)
            refuse(file,
                   fmt::format("token {} of '{}' is '{}'", strings.size(), tokens_key,
                               core::printable_line(core::shortened(value.text))),
                   "characters that stand for bytes");
        if (stands_for_itself(type) && !own->empty()) controls.push_back(static_cast<Token>(strings.size()));
        strings.push_back(*own);
    });
    const std::size_t wanted = checkpoint.shape().vocabulary;
    if (strings.size() != wanted)
        refuse(file, fmt::format("'{}' has {} tokens", tokens_key, strings.size()),
               fmt::format("{}, the rows of '{}'", wanted, embedding_name));
    if (!types.empty() && types.size() != wanted)
        refuse(file, fmt::format("'{}' has {} values", types_key, types.size()), fmt::format("{}", wanted));
    std::stable_sort(controls.begin(), controls.end(), [this](Token a, Token b) {
        return strings[static_cast<std::size_t>(a)].size() > strings[static_cast<std::size_t>(b)].size();
    });
}

void Tokeniser::Tables::read_merges(const Source& file) {
    std::unordered_map<std::string_view, Token> tokens;
    for (std::size_t i = 0; i < strings.size(); ++i) tokens.emplace(strings[i], static_cast<Token>(i));
    for (const Token control : controls) tokens.erase(strings[static_cast<std::size_t>(control)]);
    const auto token_of = [&tokens](std::string_view text) {
        const auto found = tokens.find(text);
        return found == tokens.end() ? no_token : found->second;
    };
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
        const char c = static_cast<char>(byte);
        bytes[byte] = token_of({&c, 1});
    }
    const ByteReader reader;
    std::size_t rank = 0;
    file.read_list(merges_key, [&](const tensor::GgufValue& value) {
        const std::size_t blank = value.text.find(' ', 1);
        const auto left = reader.read(std::string_view(value.text).substr(0, blank));
        const auto right = blank == std::string::npos ? std::optional<std::string>()
                                                      : reader.read(std::string_view(value.text).substr(blank + 1));
        const bool is_pair = left && right && !left->empty() && !right->empty();
        const Token a = is_pair ? token_of(*left) : no_token;
        const Token b = is_pair ? token_of(*right) : no_token;
        const Token both = is_pair ? token_of(*left + *right) : no_token;
        if (a == no_token || b == no_token || both == no_token)
            refuse(file,
                   fmt::format("merge {} of '{}' is '{}'", rank, merges_key,
                               core::printable_line(core::shortened(value.text))),
                   "two tokens with a blank between, whose join is a token");
        merges.emplace(pair_of(a, b), Merge{rank++, both});
    });
    if (merges.empty()) refuse(file, fmt::format("'{}' is missing or empty", merges_key), "a list of merges");
    if (rule.whole_pieces) whole = std::move(tokens);
}

/// The control token with the longest name with which the text begins.
Token Tokeniser::Tables::control_at(std::string_view text) const {
    for (const Token control : controls)
        if (text.starts_with(strings[static_cast<std::size_t>(control)])) return control;
    return no_token;
}

void Tokeniser::Tables::encode_piece(std::string_view piece, std::vector<Token>& tokens) const {
    if (const auto found = whole.find(piece); found != whole.end()) return tokens.push_back(found->second);
    std::vector<PiecePart> parts;
    for (std::size_t at = 0; at < piece.size(); ++at)
        if (const Token token = bytes[static_cast<unsigned char>(piece[at])]; token != no_token)
            append_part(parts, token, at, 1);
    merge_parts(parts, [this](const PiecePart& left, const PiecePart& right) {
        const auto found = merges.find(pair_of(left.token, right.token));
        return found == merges.end() ? std::nullopt : std::optional(found->second);
    });
    for (const PiecePart& part : parts) tokens.push_back(part.token);
}

void Tokeniser::Tables::encode_text(std::string_view text, bool is_first, std::vector<Token>& tokens) const {
    if (sentence_pieces) return sentence_pieces->encode(text, is_first, tokens);
    if (unigram_pieces) return unigram_pieces->encode(text, is_first, tokens);
    std::unordered_map<std::string_view, std::vector<Token>> known;  // the pieces of a text repeat often
    cut_pieces(text, rule, [&](std::string_view piece) {
        const auto [at, is_new] = known.try_emplace(piece);
        if (is_new) encode_piece(piece, at->second);
        tokens.insert(tokens.end(), at->second.begin(), at->second.end());
    });
}

Tokeniser::Tokeniser(const Checkpoint& checkpoint) : tables_(std::make_unique<Tables>()) {
    tables_->read(checkpoint);
}

Tokeniser::~Tokeniser() = default;
Tokeniser::Tokeniser(Tokeniser&&) noexcept = default;
Tokeniser& Tokeniser::operator=(Tokeniser&&) noexcept = default;

std::vector<Token> Tokeniser::encode(std::string_view text) const {
    if (const auto at = tables_->rule.is_composed ? first_not_composed(text) : std::nullopt)
        throw core::UserError({core::Diagnostic{
            {},
            fmt::format(
                "the text may not have Unicode's normal form C from byte {} on, which the tokenizer of '{}' needs", *at,
                tables_->path),
            "a text in that form, without letters that are written as a letter and a mark",
            {}}});
    std::array<bool, 256> begins{};  // a control token
    for (const Token control : tables_->controls)
        begins[static_cast<unsigned char>(tables_->strings[static_cast<std::size_t>(control)].front())] = true;
    std::vector<Token> tokens;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const bool may_be = begins[static_cast<unsigned char>(text[at])];
        const Token control = may_be ? tables_->control_at(text.substr(at)) : no_token;
        if (control == no_token) {
            ++at;
            continue;
        }
        tables_->encode_text(text.substr(begin, at - begin), begin == 0, tokens);
        tokens.push_back(control);
        begin = at += tables_->strings[static_cast<std::size_t>(control)].size();
    }
    tables_->encode_text(text.substr(begin), begin == 0, tokens);
    return tokens;
}

}  // namespace farfield::checkpoint
