// Converts tokenizer.json to keys of GGUF. Source: github.com/huggingface/tokenizers, the serialized form of its parts.
#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <filesystem>

#include "checkpoint/folder.hpp"
#include "checkpoint/names.hpp"

namespace farfield::checkpoint {
namespace {

constexpr std::size_t most_tokens = 1 << 24;

/// The rule of Llama 3 with this many digits per piece.
std::string llama3_pattern(const char* numbers) {
    return std::string(R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)") + numbers +
           R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
}

class TokensReader {
public:
    TokensReader(const std::string& path, std::size_t vocabulary) : path_(path), vocabulary_(vocabulary) {}

    FolderTokens run() {
        std::error_code failure;
        if (!std::filesystem::exists(path_, failure))
            refuse_file(path_, "there is no tokenizer: this file is missing", "tokenizer.json beside config.json");
        const Json root = read_json(path_, most_tokenizer_bytes);
        const Json& model = part(root, "model");
        check_model(model);
        is_unigram_ = model.value("type", Json("BPE")) == "Unigram";
        if (is_unigram_) {
            read_unigram(root, model);
            return std::move(found_);
        }
        is_of_sentences_ = is_set(model, "byte_fallback");
        if (is_of_sentences_) {
            read_blanks(root, model);
        } else {
            found_.values.insert_or_assign("tokenizer.ignore_merges",
                                           number_value(is_set(model, "ignore_merges") ? 1 : 0));
            read_normalizer(root);
            read_rule(part(root, "pre_tokenizer"));
        }
        tokens_.resize(vocabulary_);
        types_.assign(vocabulary_, unused_type);
        read_vocabulary(part(model, "vocab"));
        read_added(root);
        read_merges(part(model, "merges"));
        found_.values.insert_or_assign("tokenizer.ggml.model", text_value(is_of_sentences_ ? "llama" : "gpt2"));
        if (is_of_sentences_) read_unknown(model);
        list_tokens();
        return std::move(found_);
    }

private:
    /// Adds names for tokens that the file lacks.
    void list_tokens() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (types_[i] == unused_type) tokens_[i] = fmt::format("[PAD{}]", i);
            list(tokens_key).push_back(text_value(tokens_[i]));
            list(types_key).push_back(number_value(types_[i]));
        }
    }

    [[noreturn]] void refuse(const std::string& found, const std::string& wanted) const {
        refuse_file(path_, found, wanted);
    }
    static std::string shown(const Json& value) {
        return core::printable_line(core::shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
    const Json& part(const Json& object, const char* key) const {
        const auto found = object.is_object() ? object.find(key) : object.end();
        if (!object.is_object() || found == object.end() || found->is_null())
            refuse(fmt::format("'{}' is missing", key), "the file of a tokenizer");
        return *found;
    }
    std::vector<tensor::GgufValue>& list(std::string_view key) { return found_.lists[std::string(key)]; }

    static bool is_set(const Json& object, const char* key) {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) return false;
        return *found != Json(false) && *found != Json("") && *found != Json(0);
    }

    void check_model(const Json& model) const {
        const Json type = model.value("type", Json("BPE"));
        if (type != "BPE" && type != "Unigram")
            refuse("the tokenizer is " + shown(type), "BPE, byte pair encoding, or Unigram");
        for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
            if (is_set(model, key))
                refuse(fmt::format("'{}' of the tokenizer is {}, which is not supported", key, shown(model[key])),
                       "null");
    }

    /// SentencePiece's tokenizers have three forms: steps that insert blanks, a rule that does so, or neither.
    void read_blanks(const Json& root, const Json& model) {
        const Json replace = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}};
        const Json prepend = {{"type", "Prepend"}, {"prepend", "\u2581"}};
        const Json both = {{"type", "Sequence"}, {"normalizers", {prepend, replace}}};
        const Json normalizer = root.value("normalizer", Json());
        const Json rule = root.value("pre_tokenizer", Json());
        const bool cuts_at_blanks = rule.is_object() && rule.value("type", Json()) == "Split" &&
                                    rule.value("pattern", Json()) == Json{{"String", " "}} &&
                                    rule.value("behavior", Json()) == "MergedWithPrevious" && !is_set(rule, "invert");
        const bool marks_blanks = rule.is_object() && rule.value("type", Json()) == "Metaspace" &&
                                  rule.value("replacement", Json()) == "\u2581" &&
                                  rule.value("split", Json(true)) == false;
        const Json scheme = marks_blanks ? rule.value("prepend_scheme", Json("always")) : Json();
        const bool is_blank_put = normalizer == both && rule.is_null();
        const bool is_marked_alone = normalizer == replace && (rule.is_null() || cuts_at_blanks);
        const bool is_scheme = scheme == "first" || scheme == "always" || scheme == "never";
        if (!is_blank_put && !is_marked_alone && !(normalizer.is_null() && is_scheme))
            refuse("'normalizer' is " + shown(normalizer) + " and 'pre_tokenizer' is " + shown(rule) +
                       ", which is not supported with byte_fallback",
                   "the forms of Llama 2, of Gemma, or Metaspace without split");
        if (is_set(model, "ignore_merges"))
            refuse("'ignore_merges' is true, which is not supported with byte_fallback", "false");
        found_.values.insert_or_assign("tokenizer.ggml.add_space_prefix", number_value(is_blank_put ? 1 : 0));
        if (scheme == "first" || scheme == "always")
            found_.values.insert_or_assign(std::string(blank_if_none_key), text_value(scheme.get<std::string>()));
    }

    /// SentencePiece's unigram model, and the steps of `tokenizers` before it.
    void read_unigram(const Json& root, const Json& model) {
        found_.values.insert_or_assign("tokenizer.ggml.model", text_value("t5"));
        const Json normalizer = root.value("normalizer", Json());
        const bool is_list = normalizer.is_object() && normalizer.value("type", Json()) == "Sequence";
        for (const Json& each : is_list ? part(normalizer, "normalizers") : Json::array({normalizer}))
            if (!each.is_null()) read_change(each);
        read_cuts(root.value("pre_tokenizer", Json()));
        tokens_.resize(vocabulary_);
        types_.assign(vocabulary_, unused_type);
        const Json& vocabulary = part(model, "vocab");
        if (!vocabulary.is_array() || vocabulary.size() > most_tokens)
            refuse("'vocab' is not a vocabulary", "a list of tokens and their scores");
        const bool has_bytes = is_set(model, "byte_fallback");
        for (const Json& each : vocabulary) {
            if (!each.is_array() || each.size() != 2 || !each[0].is_string() || !each[1].is_number())
                refuse("an entry of 'vocab' is " + shown(each), "a token and its score");
            const auto text = each[0].get<std::string>();
            const bool is_byte = has_bytes && text.size() == 6 && text.starts_with("<0x") && text.ends_with(">");
            put(list(scores_key).size(), text, is_byte ? byte_type : normal_type);
            list(scores_key).push_back(number_value(each[1].get<double>()));
        }
        const Json unknown = model.value("unk_id", Json());
        if (!unknown.is_number_unsigned() || unknown.get<std::size_t>() >= vocabulary.size())
            refuse("'unk_id' is " + shown(unknown),
                   fmt::format("the number of a token of 'vocab', which has {}", vocabulary.size()));
        found_.values.insert_or_assign(std::string(unknown_key), number_value(unknown.get<double>()));
        read_added(root);
        list_tokens();
    }

    void add_step(std::string_view step) { list(steps_key).push_back(text_value(std::string(step))); }

    /// A step of the normalizer.
    void read_change(const Json& step) {
        const Json type = step.is_object() ? step.value("type", Json()) : Json();
        const Json pattern = type == "Replace" ? part(step, "pattern") : Json();
        const Json content = type == "Replace" ? part(step, "content") : Json();
        const Json repeats = {{"Regex", " {2,}"}};
        if (type == "Precompiled" && !has_charsmap_) {
            has_charsmap_ = true;
            read_charsmap(part(step, "precompiled_charsmap"));
            return add_step(charsmap_step);
        }
        if (type == "Strip") {
            if (is_set(step, "strip_left")) add_step(strip_left_step);
            if (is_set(step, "strip_right")) add_step(strip_right_step);
            return;
        }
        if (pattern == repeats && content == " ") return add_step(one_blank_step);
        if (pattern == repeats && content == "\u2581") return add_step(one_mark_step);
        if (pattern == Json{{"String", " "}} && content == "\u2581") return add_step(mark_step);
        if (type == "Prepend" && step.value("prepend", Json()) == "\u2581") return add_step(prepend_step);
        refuse("a step of 'normalizer' is " + shown(step) + ", which is not supported with Unigram",
               "Precompiled, Strip, Prepend of U+2581, or Replace of blanks");
    }

    /// Base64, RFC 4648.
    void read_charsmap(const Json& coded) {
        constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const std::string text = coded.is_string() ? coded.get<std::string>() : "";
        const std::size_t end = std::min(text.find('='), text.size());
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < end; ++i) {
            const std::size_t digit = digits.find(text[i]);
            if (digit == std::string_view::npos)
                refuse(fmt::format("character {} of 'precompiled_charsmap' is no digit of base 64", i), "base 64");
            bits = bits << 6 | static_cast<std::uint32_t>(digit);
            if (i % 4 != 0) list(charsmap_key).push_back(number_value(bits >> (6 - 2 * (i % 4)) & 0xffU));
        }
        if (text.find_first_not_of('=', end) != std::string_view::npos)
            refuse("'precompiled_charsmap' goes on behind its end, '='", "base 64");
        if (list(charsmap_key).empty()) refuse("'precompiled_charsmap' is empty", "a text of base 64");
    }

    void read_cuts(const Json& rule) {
        const bool is_list = rule.is_object() && rule.value("type", Json()) == "Sequence";
        const Json steps = is_list ? part(rule, "pretokenizers") : rule.is_null() ? Json::array() : Json::array({rule});
        const bool has_words = steps.size() == 2 && steps[0] == Json{{"type", "WhitespaceSplit"}};
        const bool has_metaspace = !steps.empty() && steps.back().is_object() &&
                                   steps.back().value("type", Json()) == "Metaspace" &&
                                   steps.back().value("replacement", Json()) == "\u2581";
        const Json metaspace = has_metaspace ? steps.back() : Json::object();
        const bool usual = metaspace.value("add_prefix_space", Json(true)) == true;
        const Json scheme = metaspace.value("prepend_scheme", Json(usual ? "always" : "never"));
        const bool is_known = scheme == "always" || scheme == "never" || (scheme == "first" && !has_words);
        if (steps.size() != (has_words ? 1U : 0U) + (has_metaspace ? 1U : 0U) || !is_known)
            refuse("'pre_tokenizer' is " + shown(rule) + ", which is not supported with Unigram",
                   "null, or Metaspace, which WhitespaceSplit may precede");
        if (has_words) add_step(words_step);
        add_step(has_metaspace ? metaspace_step : no_step);
        if (has_metaspace && scheme == "always") add_step(always_step);
        if (has_metaspace && scheme == "first") add_step(first_step);
        if (has_metaspace && metaspace.value("split", Json(true)) == true) add_step(split_step);
    }

    /// The token for text without another token.
    void read_unknown(const Json& model) {
        const Json name = model.value("unk_token", Json());
        const auto found = std::find(tokens_.begin(), tokens_.end(), name.is_string() ? name.get<std::string>() : "");
        if (!name.is_null() && found == tokens_.end()) refuse("'unk_token' is " + shown(name), "a token of 'vocab'");
        if (!name.is_null())
            found_.values.insert_or_assign("tokenizer.ggml.unknown_token_id",
                                           number_value(static_cast<double>(found - tokens_.begin())));
    }

    void read_normalizer(const Json& root) {
        const auto found = root.find("normalizer");
        const bool is_none = found == root.end() || found->is_null();
        if (!is_none && (!found->is_object() || found->value("type", Json()) != "NFC"))
            refuse("'normalizer' is " + shown(*found) + ", which is not supported", "null or NFC");
        found_.values.insert_or_assign("tokenizer.is_composed", number_value(is_none ? 0 : 1));
    }

    void read_rule(const Json& rule) {
        std::vector<Json> steps;
        if (rule.value("type", Json()) == "Sequence")
            for (const Json& step : part(rule, "pretokenizers")) steps.push_back(step);
        else
            steps.push_back(rule);
        found_.values.insert_or_assign("tokenizer.ggml.pre", text_value(name_of(steps, rule)));
    }

    std::string name_of(const std::vector<Json>& steps, const Json& rule) const {
        const auto type = [&](std::size_t i) { return steps[i].is_object() ? steps[i].value("type", Json()) : Json(); };
        const std::size_t last = steps.size() - 1;
        const bool is_bytes = !steps.empty() && type(last) == "ByteLevel" && !is_set(steps[last], "add_prefix_space");
        const bool cuts = is_bytes && steps[last].value("use_regex", Json(true)) == true;
        if (steps.size() == 1 && cuts) return "gpt-2";
        if (steps.size() == 2 && cuts && type(0) == "Digits" && is_set(steps[0], "individual_digits")) return "smollm";
        if (steps.size() == 2 && is_bytes && !cuts && type(0) == "Split" &&
            steps[0].value("behavior", Json()) == "Isolated" && !is_set(steps[0], "invert")) {
            const Json pattern = steps[0].value("pattern", Json::object()).value("Regex", Json());
            if (pattern == llama3_pattern(R"(\p{N}{1,3})")) return "llama-bpe";
            if (pattern == llama3_pattern(R"(\p{N})")) return "qwen2";
        }
        refuse("'pre_tokenizer' is " + shown(rule) + ", which is not supported",
               "the rule of GPT-2, with or without single digits, of Llama 3, or of Qwen2");
    }

    void put(const Json& index, const std::string& text, double type) {
        if (!index.is_number_unsigned() || index.get<std::size_t>() >= vocabulary_)
            refuse(
                fmt::format("token '{}' has the number {}", core::printable_line(core::shortened(text)), shown(index)),
                fmt::format("0 to {}, the rows of the embedding", vocabulary_ - 1));
        const auto at = index.get<std::size_t>();
        if (types_[at] != unused_type && tokens_[at] != text)
            refuse(fmt::format("tokens '{}' and '{}' have the number {}",
                               core::printable_line(core::shortened(tokens_[at])),
                               core::printable_line(core::shortened(text)), at),
                   "a number of its own for each");
        tokens_[at] = text;
        types_[at] = type;
    }

    void read_vocabulary(const Json& vocabulary) {
        if (!vocabulary.is_object() || vocabulary.size() > most_tokens)
            refuse("'vocab' is not a vocabulary", "an object of tokens and their numbers");
        const auto is_byte = [this](std::string_view text) {
            return is_of_sentences_ && text.size() == 6 && text.starts_with("<0x") && text.ends_with(">");
        };
        for (const auto& [text, index] : vocabulary.items()) put(index, text, is_byte(text) ? byte_type : normal_type);
    }

    void read_added(const Json& root) {
        const auto added = root.find("added_tokens");
        if (added == root.end() || added->is_null()) return;
        for (const Json& each : *added) {
            const Json& content = part(each, "content");
            if (!content.is_string()) refuse("an added token is " + shown(content), "a text");
            for (const char* key : {"lstrip", "rstrip", "single_word"})
                if (is_set(each, key))
                    refuse(
                        fmt::format("'{}' of the added token {} is set, which is not supported", key, shown(content)),
                        "false");
            const auto blank = found_.values.find("tokenizer.ggml.add_space_prefix");
            const bool is_blank_put = blank != found_.values.end() && blank->second.number != 0;
            if (is_blank_put && is_set(each, "normalized"))
                refuse(fmt::format("'normalized' of the added token {} is set, which is not supported with Prepend",
                                   shown(content)),
                       "false");
            if (is_unigram_ && is_set(root, "normalizer") && is_set(each, "normalized"))
                refuse(
                    fmt::format("'normalized' of the added token {} is set, which is not supported with a normalizer",
                                shown(content)),
                    "false");
            put(part(each, "id"), content.get<std::string>(),
                is_set(each, "special") ? control_type : user_defined_type);
        }
    }

    void read_merges(const Json& merges) {
        if (!merges.is_array()) refuse("'merges' is not a list", "a list of pairs");
        for (const Json& each : merges) {
            const bool is_pair = each.is_array() && each.size() == 2 && each[0].is_string() && each[1].is_string();
            if (!is_pair && !each.is_string()) refuse("a merge is " + shown(each), "two tokens");
            list("tokenizer.ggml.merges")
                .push_back(text_value(is_pair ? each[0].get<std::string>() + " " + each[1].get<std::string>()
                                              : each.get<std::string>()));
        }
    }

    const std::string& path_;
    std::size_t vocabulary_;
    bool is_of_sentences_ = false;
    bool is_unigram_ = false;
    bool has_charsmap_ = false;
    FolderTokens found_;
    std::vector<std::string> tokens_;
    std::vector<double> types_;
};

}  // namespace

FolderTokens read_folder_tokens(const std::string& path, std::size_t vocabulary) {
    try {
        return TokensReader(path, vocabulary).run();
    } catch (const Json::exception& error) {
        refuse_file(path, std::string("this is not a tokenizer: ") + error.what(), "the file of a tokenizer");
    }
}

}  // namespace farfield::checkpoint
