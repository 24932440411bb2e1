// The content of a Hugging Face folder, with the keys and names of GGUF.
#pragma once

#include <cstdint>
#include <farfield/tensor/gguf.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::checkpoint {

using Json = nlohmann::json;

inline constexpr std::uintmax_t most_config_bytes = 10 << 20;
inline constexpr std::uintmax_t most_tokenizer_bytes = 256 << 20;

/// How a tensor of a folder is converted to that of a GGUF file.
enum class Change {
    none,
    transposed,
    by_heads,  ///< rows of queries, keys and values head by head; GGUF has all queries, then all keys, then all values
    one_more,  ///< the weight of a norm is larger by 1
};

struct TensorName {
    std::string_view gguf;  ///< "attn_q"
    std::string_view name;  ///< "self_attn.q_proj"
    Change change = Change::none;
};

struct KeyName {
    std::string_view gguf;  ///< "block_count"
    std::string_view name;  ///< "num_hidden_layers"
    bool required = true;
    std::string_view old = {};  ///< of older files
};

/// A key with only one supported value; null and a missing key mean the same.
struct OnlyValue {
    std::string_view key;  ///< "attn_config.alibi" is a key of an object
    Json values;           ///< a list
};

/// Which of the tensors whose GGUF name starts with `part` have biases; the first row that fits counts.
struct BiasRule {
    std::string_view part;      ///< "attn"
    std::string_view key = {};  ///< of config.json, which decides; empty: always `otherwise`
    bool otherwise = false;     ///< if the key is missing
};

/// The common properties of all folders of a `model_type`.
struct ModelType {
    std::string_view name;
    std::string_view architecture;
    std::span<const KeyName> keys;
    std::span<const OnlyValue> only;
    std::string_view prefix;                    ///< prefix of most tensors' names, which some files omit
    std::string_view layers;                    ///< after the prefix, before a layer's number
    std::span<const TensorName> once;           ///< tensors of the model
    std::span<const TensorName> parts;          ///< tensors of a layer
    std::span<const std::string_view> ignored;  ///< ends of the names of tensors that are recomputed
    std::span<const BiasRule> biases;
    bool ties_head = false;  ///< whether the head is the embedding if tie_word_embeddings is missing
    double window = 0;       ///< keys of a query if sliding_window is missing; 0: all
};

std::span<const ModelType> model_types();

/// The keys of config.json as keys of GGUF.
struct FolderKeys {
    const ModelType* type = nullptr;
    std::map<std::string, tensor::GgufValue, std::less<>> values;
    std::map<std::string, std::string, std::less<>> shown;  ///< the key of config.json that corresponds to one of GGUF
    std::vector<float> divisors;                            ///< of frequencies, by Llama 3's rule; or empty
    bool ties_head = false;                                 ///< whether the head is the embedding
    bool says_ties = false;                                 ///< whether the configuration says so, or not
    bool has_two_norms = false;                             ///< Falcon: one norm for the attention, one for the MLP
    std::vector<std::pair<std::string_view, bool>> biases;  ///< the start of a GGUF name, whether there are biases
};

/// Throws core::UserError that names the file and the key if a model type or the value of a key is not supported.
FolderKeys read_folder_keys(const std::string& path);

/// The content of tokenizer.json as keys of GGUF.
struct FolderTokens {
    std::map<std::string, tensor::GgufValue, std::less<>> values;
    std::map<std::string, std::vector<tensor::GgufValue>, std::less<>> lists;
};

/// Adds names for the tokens up to `vocabulary` that the file lacks. Throws core::UserError that names the file if the
/// tokenizer is not supported.
FolderTokens read_folder_tokens(const std::string& path, std::size_t vocabulary);

/// The JSON of a file, in which each key may occur once. Throws core::UserError that names the file, and
/// core::MissingError if it cannot be read.
Json read_json(const std::string& path, std::uintmax_t most_bytes);

/// Throws core::UserError that names the file.
[[noreturn]] void refuse_file(const std::string& path, std::string found, std::string wanted = {},
                              std::string hint = {});

tensor::GgufValue number_value(double number);
tensor::GgufValue text_value(std::string text);

}  // namespace farfield::checkpoint
