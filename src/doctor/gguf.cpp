#include "doctor/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/tensor/gguf.hpp>

namespace farfield::doctor {

namespace {

Value text_value(std::string text) {
    Value value;
    value.kind = Value::Kind::text;
    value.text = std::move(text);
    return value;
}

Value value_of(const tensor::GgufValue& from) {
    using Kind = tensor::GgufValue::Kind;
    if (from.kind == Kind::text) return text_value(from.text);
    Value value;
    value.kind = from.kind == Kind::number ? Value::Kind::number : Value::Kind::boolean;
    value.number = from.number;
    if (from.kind == Kind::number) value.text = fmt::format("{}", from.number);
    return value;
}

struct Name {
    std::string_view gguf;
    std::string_view config;
};

/// Keys after the architecture's name.
constexpr std::array<Name, 19> names = {{
    {"context_length", "max_position_embeddings"},
    {"embedding_length", "hidden_size"},
    {"attention.head_count", "num_attention_heads"},
    {"block_count", "num_hidden_layers"},
    {"attention.key_length", "head_dim"},
    {"rope.dimension_count", "rotary_dim"},
    {"rope.freq_base", "rope_theta"},
    {"rope.freq_base_swa", "rope_local_base_freq"},
    {"attention.sliding_window", "sliding_window"},
    {"attention.max_alibi_bias", "alibi_bias_max"},
    {"attention.relative_buckets_count", "relative_attention_num_buckets"},
    {"rope.scale_linear", "rope_scaling/scale_linear"},
    {"rope.scaling.type", "rope_scaling/rope_type"},
    {"rope.scaling.factor", "rope_scaling/factor"},
    {"rope.scaling.original_context_length", "rope_scaling/original_max_position_embeddings"},
    {"rope.scaling.attn_factor", "rope_scaling/kept_attn_factor"},
    {"rope.scaling.yarn_log_multiplier", "rope_scaling/mscale_all_dim"},
    {"rope.scaling.yarn_beta_fast", "rope_scaling/beta_fast"},
    {"rope.scaling.yarn_beta_slow", "rope_scaling/beta_slow"},
}};

constexpr std::array<Name, 10> architectures = {{
    {"gpt-oss", "gpt_oss"},
    {"gemma3", "gemma3_text"},
    {"phi2", "phi"},
    {"gptneox", "gpt_neox"},
    {"command-r", "cohere"},
    {"deepseek2", "deepseek_v2"},
    {"mistral3", "ministral3"},
    {"qwen2moe", "qwen2_moe"},
    {"qwen3moe", "qwen3_moe"},
    {"starcoder", "gpt_bigcode"},
}};

void put(Value& object, std::string_view key, const std::string& shown, Value value) {
    if (object.find(key)) return;
    Member member;
    member.key = key;
    member.shown = shown;
    member.value = std::move(value);
    object.members.push_back(std::move(member));
}

/// Other keys of rotations that llama.cpp reads (llama-arch.cpp), after the architecture's name. They are of parts that
/// are not described, or of its defaults.
constexpr std::array<std::string_view, 6> other_rotation_keys = {
    "rope.dimension_count_swa", "rope.dimension_sections",      "rope.scaling.alpha",
    "rope.scaling.finetuned",   "rope.scaling.yarn_ext_factor", "rope.scaling.yarn_attn_factor"};

/// Notes a key of rotations that llama.cpp does not know.
void note_unknown(Document& document, const std::string& architecture, const std::string& key) {
    if (!key.starts_with(architecture + ".rope.")) return;
    std::vector<std::string> known;
    known.reserve(names.size() + other_rotation_keys.size());
    for (const Name& name : names) known.push_back(architecture + "." + std::string(name.gguf));
    for (const std::string_view name : other_rotation_keys) known.push_back(architecture + "." + std::string(name));
    if (std::find(known.begin(), known.end(), key) == known.end())
        document.unknown_keys.emplace_back(key, core::suggestion(key, known));
}

void put_key(Value& root, const std::string& architecture, const std::string& key, const Value& value) {
    if (!key.starts_with(architecture + ".")) return;
    const std::string rest = key.substr(architecture.size() + 1);
    if (architecture == "gemma4" && rest == "attention.key_length_swa") return put(root, "head_dim", key, value);
    for (const Name& name : names) {
        if (name.gguf != rest) continue;
        std::string config(name.config);
        if (architecture == "deepseek2" && config == "rotary_dim") config = "qk_rope_head_dim";
        // Heads have a width for each type of layer, and are rotated as a whole: a tensor stops the pairs beyond a
        // part.
        if (architecture == "gemma4" && config == "rotary_dim") return;
        if (architecture == "gemma4" && config == "head_dim") config = "global_head_dim";
        // 0 means no ALiBi.
        if (config == "alibi_bias_max") {
            Value is_alibi;
            is_alibi.kind = Value::Kind::boolean;
            is_alibi.number = value.number > 0 ? 1 : 0;
            put(root, "alibi", key, std::move(is_alibi));
            if (!(value.number > 0)) return;
        }
        const std::size_t slash = config.find('/');
        if (slash == std::string::npos) return put(root, config, key, value);
        Value* scaling = nullptr;
        for (Member& member : root.members)
            if (member.key == "rope_scaling") scaling = &member.value;
        if (!scaling) {
            Value object;
            object.kind = Value::Kind::object;
            put(root, "rope_scaling", architecture + ".rope.scaling", std::move(object));
            scaling = &root.members.back().value;
        }
        Value chosen = value;
        // The factors of LongRoPE are tensors.
        const bool has_tensors = chosen.text == "longrope";
        if (config.ends_with("rope_type") && (chosen.text == "none" || has_tensors)) chosen.text = "default";
        // Only for this architecture, the converter writes a tenth of it.
        if (architecture == "deepseek2" && config.ends_with("mscale_all_dim")) {
            chosen.number *= 10;
            chosen.text = fmt::format("{}", chosen.number);
        }
        return put(*scaling, config.substr(slash + 1), key, std::move(chosen));
    }
}

/// What llama.cpp takes for a missing type and factor of a scaling: linear scaling, and the older name of the factor
/// (llama-model.cpp, load_hparams).
void complete_scaling(Value& root, const std::string& architecture) {
    for (Member& member : root.members) {
        if (member.key != "rope_scaling") continue;
        Value& scaling = member.value;
        if (!scaling.find("rope_type"))
            put(scaling, "rope_type", architecture + ".rope.scaling.type", text_value("linear"));
        const bool has_factor = scaling.find("factor");
        std::erase_if(scaling.members, [&](const Member& each) { return has_factor && each.key == "scale_linear"; });
        for (Member& each : scaling.members)
            if (each.key == "scale_linear") each.key = "factor";
    }
}

}  // namespace

Document read_gguf(const std::string& path) {
    const tensor::GgufHeader header = tensor::read_gguf_header(path);
    Document document;
    document.file = path;
    document.is_gguf = true;
    document.root.kind = Value::Kind::object;
    const tensor::GgufValue* const named = header.find("general.architecture");
    if (!named || named->kind != tensor::GgufValue::Kind::text || named->text.empty()) {
        core::Place place;
        place.file = path;
        throw core::UserError(
            {core::Diagnostic{place, "'general.architecture' is missing", "the name of an architecture", {}}});
    }
    const std::string& architecture = named->text;
    std::string type = architecture;
    for (const Name& name : architectures)
        if (name.gguf == architecture) type = name.config;
    // Olmo 3 has the architecture of Olmo 2 with a window.
    if (architecture == "olmo2" && header.find("olmo2.attention.sliding_window")) type = "olmo3";
    put(document.root, "model_type", "general.architecture", text_value(type));
    // The converter reorders the rows of queries and keys, so that pairs are next to each other.
    if (architecture == "llama") {
        Value is_interleaved;
        is_interleaved.kind = Value::Kind::boolean;
        is_interleaved.number = 1;
        put(document.root, "rope_interleave", "general.architecture", std::move(is_interleaved));
    }
    for (const Name& name : names)
        document.own_names.emplace_back(name.config.substr(name.config.rfind('/') + 1),
                                        architecture + "." + std::string(name.gguf));
    for (const auto& [key, value] : header.values) {
        put_key(document.root, architecture, key, value_of(value));
        note_unknown(document, architecture, key);
    }
    complete_scaling(document.root, architecture);
    for (const tensor::GgufTensor& each : header.tensors)
        if (each.name == "rope_freqs.weight" || each.name.starts_with("rope_factors_"))
            document.frequency_factors = each.name;
    return document;
}

}  // namespace farfield::doctor
