// A folder with config.json and safetensors as a source of weights.
#include "checkpoint/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/tensor/tensor.hpp>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>

#include "checkpoint/names.hpp"
#include "checkpoint/source.hpp"
#include "core/json_keys.hpp"

namespace farfield::checkpoint {
namespace {

std::string in_folder(const std::string& folder, std::string_view name) {
    return (std::filesystem::path(folder) / name).string();
}

bool is_there(const std::string& path) {
    std::error_code failure;
    return std::filesystem::exists(path, failure);
}

/// The files of weights, and the file of each tensor that an index lists.
struct Weights {
    std::set<std::string> files;
    std::map<std::string, std::string> listed;
};

Weights weights_of(const std::string& folder) {
    constexpr std::string_view single = "model.safetensors";
    constexpr std::string_view index = "model.safetensors.index.json";
    const std::string index_path = in_folder(folder, index);
    // transformers prefers the single file too.
    if (is_there(in_folder(folder, single))) return {{in_folder(folder, single)}, {}};
    if (!is_there(index_path)) {
        const bool has_pickles = is_there(in_folder(folder, "pytorch_model.bin"));
        refuse_file(folder,
                    has_pickles ? "the weights are in pytorch_model.bin, which is code" : "this folder has no weights",
                    "model.safetensors, or model.safetensors.index.json and its files");
    }
    const Json root = read_json(index_path, most_config_bytes);
    const auto map = root.find("weight_map");
    if (!root.is_object() || map == root.end() || !map->is_object() || map->empty())
        refuse_file(index_path, "'weight_map' is missing", "an object of tensors and their files");
    Weights weights;
    for (const auto& [tensor, file] : map->items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : std::string();
        // A path could lead to any folder.
        if (name.empty() || name.find('/') != std::string::npos)
            refuse_file(index_path, "'" + core::printable_line(core::shortened(tensor)) + "' has no file",
                        "the name of a file in this folder");
        weights.files.insert(in_folder(folder, name));
        weights.listed.emplace(tensor, in_folder(folder, name));
    }
    return weights;
}

/// The tensor of the folder that corresponds to one of GGUF.
struct Mapped {
    tensor::Tensor tensor;
    Change change;
};

bool is_number_type(tensor::ElementType type) {
    using enum tensor::ElementType;
    return type == float64 || type == float32 || type == float16 || type == bfloat16;
}

class FolderSource final : public Source {
public:
    explicit FolderSource(const std::string& path)
        : path_(path), keys_(read_folder_keys(in_folder(path, "config.json"))) {
        const Weights weights = weights_of(path);
        files_ = {weights.files.begin(), weights.files.end()};
        for (const std::string& file : files_) read_file(file);
        for (const auto& [tensor, file] : weights.listed) {
            const auto found = file_of_.find(tensor);
            if (found == file_of_.end() || found->second != file)
                refuse_file(file, "tensor '" + core::printable_line(core::shortened(tensor)) + "' is missing",
                            "the tensors that model.safetensors.index.json lists for this file");
        }
        file_of_.clear();
        check_head();
        check_norms();
        if (!keys_.divisors.empty()) {
            const std::vector<std::uint64_t> shape{keys_.divisors.size()};
            tensors_.push_back({std::string(frequencies_name), 0, shape, 0});
        }
        for (std::size_t i = 0; i < tensors_.size(); ++i) index_.emplace(tensors_[i].name, i);
    }

    const std::string& path() const override { return path_; }
    std::string shown(std::string_view key) const override {
        const auto found = keys_.shown.find(key);
        return found == keys_.shown.end() ? tensor_name(key) : found->second;
    }
    const tensor::GgufValue* value(std::string_view key) const override {
        const auto& values = key.starts_with("tokenizer.") ? tokens().values : keys_.values;
        const auto found = values.find(key);
        return found == values.end() ? nullptr : &found->second;
    }
    void read_list(std::string_view key, const std::function<void(const tensor::GgufValue&)>& take) const override {
        const auto found = tokens().lists.find(key);
        if (found == tokens().lists.end()) return;
        for (const tensor::GgufValue& value : found->second) take(value);
    }
    std::span<const tensor::GgufTensor> tensors() const override { return tensors_; }
    const tensor::GgufTensor* find(std::string_view name) const override {
        const auto found = index_.find(name);
        return found == index_.end() ? nullptr : &tensors_[found->second];
    }
    std::optional<bool> has_biases(std::string_view part) const override {
        // Embeddings and heads have none in any supported model.
        if (part == "token_embd" || part == "position_embd" || part == "output") return false;
        for (const auto& [start, has] : keys_.biases)
            if (part.starts_with(start)) return has;
        return false;
    }
    /// The order of the model's source, which a converter to GGUF changes for Llama.
    scheme::Pairs pairs(const Architecture&) const override { return scheme::Pairs::halves; }

    void read_rows(const tensor::GgufTensor& tensor, std::size_t row, std::span<float> result) const override {
        if (tensor.name == frequencies_name) {
            std::copy_n(keys_.divisors.begin(), result.size(), result.begin());
            return;
        }
        const Mapped& mapped = mapped_[tensor.offset];
        const std::size_t columns = tensor.shape.back();
        switch (mapped.change) {
            case Change::none: read(mapped.tensor, row * columns, result); break;
            case Change::one_more:
                read(mapped.tensor, row * columns, result);
                for (float& number : result) number += 1;
                break;
            case Change::transposed: read_transposed(mapped.tensor, row, columns, result); break;
            case Change::by_heads:
                read_by_heads(mapped.tensor, row, tensor.shape.size() == 1 ? 1 : columns, result);
                break;
        }
    }

    std::string identity() const override {
        std::string text = core::read_file(in_folder(path_, "config.json"), most_config_bytes);
        if (const std::string tokenizer = in_folder(path_, "tokenizer.json"); is_there(tokenizer))
            text += core::read_file(tokenizer, most_tokenizer_bytes);
        for (const std::string& file : files_) text += digest_of_weights(file);
        return core::sha256(text);
    }

private:
    /// The name in the folder of a tensor of GGUF.
    std::string tensor_name(std::string_view gguf) const {
        const std::size_t dot = gguf.rfind('.');
        if (dot == std::string_view::npos) return std::string(gguf);
        const std::string_view ending = gguf.substr(dot);
        const ModelType& type = *keys_.type;
        for (const TensorName& each : type.once)
            if (gguf.substr(0, dot) == each.gguf)
                return fmt::format("{}{}{}", each.gguf == "output" ? "" : type.prefix, each.name, ending);
        for (const TensorName& each : type.parts) {
            const std::string_view start = gguf.substr(0, dot);
            if (!start.starts_with("blk.") || !start.ends_with(fmt::format(".{}", each.gguf))) continue;
            const std::string_view layer = start.substr(4, start.size() - 5 - each.gguf.size());
            return fmt::format("{}{}{}.{}{}", type.prefix, type.layers, layer, each.name, ending);
        }
        return std::string(gguf);
    }

    /// A head that is not tied needs weights of its own.
    void check_head() const {
        if (keys_.ties_head || names_.contains(std::string(head_name))) return;
        refuse_file(path_,
                    "tensor '" + tensor_name(head_name) + "' is missing, and 'tie_word_embeddings' is " +
                        (keys_.says_ties ? "false" : "not given, which means false"),
                    "the tensor, or \"tie_word_embeddings\": true");
    }

    /// A Falcon layer has two norms in files of the new kind, unless the configuration says one.
    void check_norms() const {
        for (std::size_t layer = 0; keys_.has_two_norms && layer < layer_count(); ++layer)
            if (const std::string name = layer_name(layer, "attn_norm_2"); !names_.contains(name))
                refuse_file(path_, "tensor '" + tensor_name(name) + "' is missing",
                            "the tensor, or \"num_ln_in_parallel_attn\": 1");
    }

    std::size_t layer_count() const {
        const tensor::GgufValue* const count = value(std::string(keys_.type->architecture) + ".block_count");
        return count != nullptr && count->number >= 1 && count->number <= 1e6 ? static_cast<std::size_t>(count->number)
                                                                              : 0;
    }

    void read_file(const std::string& file) {
        for (const tensor::Tensor& tensor : tensor::open_tensors(file)) {
            const tensor::Description& description = tensor.description();
            file_of_.emplace(description.name, file);
            const auto shown = [&] { return core::printable_line(core::shortened(description.name)); };
            const std::optional<std::pair<std::string, Change>> meant = meaning(description.name);
            if (!meant) continue;
            if (!is_number_type(description.type))
                refuse_file(file, fmt::format("tensor '{}' holds {}", shown(), tensor::type_name(description.type)),
                            "float64, float32, float16 or bfloat16");
            const auto& [name, change] = *meant;
            if (!names_.insert(name).second)
                refuse_file(file, fmt::format("duplicate tensor '{}'", shown()), "each tensor once");
            std::vector<std::uint64_t> shape(description.shape.begin(), description.shape.end());
            if (change == Change::transposed) std::reverse(shape.begin(), shape.end());
            tensors_.push_back({name, 0, shape, mapped_.size()});
            mapped_.push_back({tensor, change});
        }
    }

    /// The name in a GGUF file, and the change of the numbers; nothing for a tensor that is not a weight. Unknown names
    /// are kept, and are refused later.
    std::optional<std::pair<std::string, Change>> meaning(const std::string& name) const {
        const ModelType& type = *keys_.type;
        for (const std::string_view ignored : type.ignored)
            if (name.ends_with(ignored)) return {};
        std::string_view rest = name;
        if (rest.starts_with(type.prefix)) rest.remove_prefix(type.prefix.size());
        const std::size_t dot = rest.rfind('.');
        if (dot == std::string_view::npos) return std::pair(name, Change::none);
        const std::string_view ending = rest.substr(dot);  // ".weight" or ".bias"
        rest = rest.substr(0, dot);
        for (const TensorName& each : type.once) {
            if (rest != each.name) continue;
            if (each.gguf == "output" && keys_.ties_head) return {};
            return std::pair(fmt::format("{}{}", each.gguf, ending), each.change);
        }
        std::size_t layer = 0;
        if (!rest.starts_with(type.layers)) return std::pair(name, Change::none);
        rest.remove_prefix(type.layers.size());
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), layer);
        const auto digits = static_cast<std::size_t>(end - rest.data());
        const bool is_padded = digits > 1 && rest.front() == '0';
        rest.remove_prefix(digits);
        if (error != std::errc{} || is_padded || !rest.starts_with('.')) return std::pair(name, Change::none);
        rest.remove_prefix(1);
        for (const TensorName& each : type.parts)
            if (rest == each.name && (each.gguf != "attn_norm_2" || keys_.has_two_norms) &&
                (each.name != "ln_mlp" || keys_.has_two_norms))
                return std::pair(fmt::format("blk.{}.{}{}", layer, each.gguf, ending), change(each, ending));
        return std::pair(name, Change::none);
    }

    /// A bias has no second axis, and the bias of a norm is not changed.
    static Change change(const TensorName& name, std::string_view ending) {
        const bool is_weight = ending == ".weight";
        return is_weight || name.change == Change::by_heads ? name.change : Change::none;
    }

    static void read(const tensor::Tensor& tensor, std::size_t first, std::span<float> result) {
        if (tensor.holds_floats()) return tensor.read(first, result);
        constexpr std::size_t at_once = 1 << 14;
        std::vector<double> numbers(std::min(at_once, result.size()));
        for (std::size_t done = 0; done < result.size(); done += at_once) {
            const std::span<double> here = std::span(numbers).first(std::min(at_once, result.size() - done));
            tensor.read(first + done, here);
            for (std::size_t i = 0; i < here.size(); ++i) result[done + i] = static_cast<float>(here[i]);
        }
    }

    /// Rows of the transpose of [columns, all rows].
    static void read_transposed(const tensor::Tensor& tensor, std::size_t row, std::size_t columns,
                                std::span<float> result) {
        const std::size_t all = tensor.description().shape.back();
        const std::size_t rows = result.size() / columns;
        std::vector<float> numbers(rows);
        for (std::size_t column = 0; column < columns; ++column) {
            read(tensor, column * all + row, numbers);
            for (std::size_t r = 0; r < rows; ++r) result[r * columns + column] = numbers[r];
        }
    }

    /// GGUF stores all queries, then all keys, then all values. The folder stores for each key head its queries, its
    /// key and its value.
    void read_by_heads(const tensor::Tensor& tensor, std::size_t row, std::size_t columns,
                       std::span<float> result) const {
        const std::size_t all = tensor.description().shape.front();
        const std::string of = std::string(keys_.type->architecture) + ".attention.head_count";
        const auto heads = static_cast<std::size_t>(value(of)->number);
        const tensor::GgufValue* const shared = value(of + "_kv");
        const std::size_t key_heads = shared ? static_cast<std::size_t>(shared->number) : heads;
        const std::size_t group = heads / key_heads;
        const std::size_t dim = all / (heads + 2 * key_heads);
        for (std::size_t r = 0; r < result.size() / columns; ++r) {
            const std::size_t at = row + r;
            const std::size_t head = at / dim;
            const std::size_t other = head < heads ? 0 : head - heads;  // keys, then values
            const std::size_t from = head < heads ? head / group * (group + 2) + head % group
                                                  : other % key_heads * (group + 2) + group + other / key_heads;
            read(tensor, (from * dim + at % dim) * columns, result.subspan(r * columns, columns));
        }
    }

    const FolderTokens& tokens() const {
        std::call_once(tokens_read_, [this] {
            const tensor::GgufTensor* const embedding = find(embedding_name);
            tokens_ = read_folder_tokens(in_folder(path_, "tokenizer.json"), embedding ? embedding->shape.front() : 0);
        });
        return tokens_;
    }

    std::string path_;
    FolderKeys keys_;
    std::vector<std::string> files_;
    std::vector<tensor::GgufTensor> tensors_;  ///< `offset` is an index of mapped_
    std::vector<Mapped> mapped_;
    std::set<std::string> names_;
    std::map<std::string, std::string> file_of_;  ///< of each tensor, while the files are read
    std::map<std::string, std::size_t, std::less<>> index_;
    mutable std::once_flag tokens_read_;
    mutable FolderTokens tokens_;  ///< read at the first request
};

}  // namespace

void refuse_file(const std::string& path, std::string found, std::string wanted, std::string hint) {
    core::Place place;
    place.file = path;
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

Json read_json(const std::string& path, std::uintmax_t most_bytes) {
    const std::string text = core::read_file(path, most_bytes);
    try {
        return core::parse_with_keys_once<Json>(text, [&](const std::string& key) {
            refuse_file(path, "duplicate key '" + core::printable_line(core::shortened(key)) + "'", "each key once");
        });
    } catch (const Json::exception& error) {
        refuse_file(path, std::string("this is not JSON: ") + error.what(), "JSON");
    }
}

tensor::GgufValue number_value(double number) {
    tensor::GgufValue value;
    value.kind = tensor::GgufValue::Kind::number;
    value.number = number;
    return value;
}

tensor::GgufValue text_value(std::string text) {
    tensor::GgufValue value;
    value.kind = tensor::GgufValue::Kind::text;
    value.text = std::move(text);
    return value;
}

std::shared_ptr<const Source> open_folder(const std::string& path) {
    if (!is_there(in_folder(path, "config.json")))
        refuse_file(path, "this folder has no config.json", "config.json beside model.safetensors, or a .gguf file");
    return std::make_shared<const FolderSource>(path);
}

}  // namespace farfield::checkpoint
