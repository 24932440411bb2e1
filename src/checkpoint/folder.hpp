// What a folder of Hugging Face's says, in the keys and names of GGUF.
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

/// How a tensor of a folder becomes the one that a GGUF file has.
enum class Change {
    none,
    transposed,
    by_heads,  ///< rows of queries, keys and values head by head; GGUF has them one after the other
    one_more,  ///< the weight of a norm is 1 more
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

/// A key with one meaning that is computed; null and a missing key have it too.
struct OnlyValue {
    std::string_view key;  ///< "attn_config.alibi" is a key of an object
    Json values;           ///< a list
};

/// What all folders of a `model_type` have in common.
struct ModelType {
    std::string_view name;
    std::string_view architecture;
    std::span<const KeyName> keys;
    std::span<const OnlyValue> only;
    std::string_view prefix;                    ///< of most tensors' names, which some files leave out
    std::string_view layers;                    ///< behind the prefix, before a layer's number
    std::span<const TensorName> once;           ///< tensors of the model
    std::span<const TensorName> parts;          ///< tensors of a layer
    std::span<const std::string_view> ignored;  ///< ends of names of what is computed anew
};

std::span<const ModelType> model_types();

/// config.json as keys of GGUF.
struct FolderKeys {
    const ModelType* type = nullptr;
    std::map<std::string, tensor::GgufValue, std::less<>> values;
    std::map<std::string, std::string, std::less<>> shown;  ///< the key of config.json behind one of GGUF
    std::vector<float> divisors;                            ///< of frequencies, by Llama 3's rule; or empty
    bool ties_head = false;                                 ///< says that the head is the embedding
};

/// Throws core::UserError naming the file and the key for a model type, or a value of a key, that is not supported.
FolderKeys read_folder_keys(const std::string& path);

/// tokenizer.json as keys of GGUF.
struct FolderTokens {
    std::map<std::string, tensor::GgufValue, std::less<>> values;
    std::map<std::string, std::vector<tensor::GgufValue>, std::less<>> lists;
};

/// With names for the tokens up to `vocabulary` that the file lacks. Throws core::UserError naming the file for a
/// tokenizer that is not supported.
FolderTokens read_folder_tokens(const std::string& path, std::size_t vocabulary);

/// JSON of a file, each key once. Throws core::UserError naming the file, core::MissingError if it cannot be read.
Json read_json(const std::string& path, std::uintmax_t most_bytes);

/// Throws core::UserError naming the file.
[[noreturn]] void refuse_file(const std::string& path, std::string found, std::string wanted = {},
                              std::string hint = {});

tensor::GgufValue number_value(double number);
tensor::GgufValue text_value(std::string text);

}  // namespace farfield::checkpoint
