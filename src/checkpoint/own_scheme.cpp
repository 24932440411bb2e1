// The position scheme that a GGUF file describes, and the schemes that replace it.
#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <vector>

#include "checkpoint/architecture.hpp"
#include "checkpoint/keys.hpp"
#include "checkpoint/names.hpp"

namespace farfield::checkpoint {
namespace {

using Params = std::vector<std::pair<std::string, std::string>>;

std::string decimal(double number) {
    return fmt::format("{}", number);
}

/// The length on which the model was trained before a scaling extended it.
double original_length(const Checkpoint& checkpoint) {
    const Keys keys(checkpoint.file(), checkpoint.shape().architecture);
    return static_cast<double>(keys.count("rope.scaling.original_context_length", checkpoint.shape().context));
}

/// A scheme of the catalogue, and its parameters from the file.
struct Named {
    std::string name;
    Params params;
};

/// The rotation for `rope.scaling.type`. Sources: ggml's rope_yarn and llama.cpp's hyperparameters.
Named scaled_rotation(const Checkpoint& checkpoint, const Keys& keys) {
    const std::string type = keys.text("rope.scaling.type");
    if (type.empty() || type == "none") {
        const std::optional<double> old = keys.number("rope.scale_linear");
        if (!old || *old == 1) return {"rotary", {}};
        return {"rotary-linear", {{"factor", decimal(keys.positive("rope.scale_linear"))}}};
    }
    const auto factor = [&keys] { return decimal(keys.positive("rope.scaling.factor")); };
    if (type == "linear") return {"rotary-linear", {{"factor", factor()}}};
    const Shape& shape = checkpoint.shape();
    if (type == "yarn" && shape.rotated < shape.head_dim && keys.positive("rope.scaling.factor") > 1)
        refuse(checkpoint.file(),
               fmt::format("YaRN on {} of {} columns of a head is not supported, because its attention factor applies "
                           "to these columns alone",
                           shape.rotated, shape.head_dim),
               "a rotation of whole heads", "--scheme NAME, whose temperature applies to whole heads");
    if (type == "yarn" && keys.positive("rope.scaling.attn_factor", 1.0) == 1 &&
        keys.number("rope.scaling.yarn_log_multiplier").value_or(0) == 0)
        return {"rotary-yarn",
                {{"factor", factor()},
                 {"original", decimal(original_length(checkpoint))},
                 {"alpha", decimal(keys.positive("rope.scaling.yarn_beta_slow", 1.0))},
                 {"beta", decimal(keys.positive("rope.scaling.yarn_beta_fast", 32.0))},
                 {"ramp", "1"}}};
    refuse(checkpoint.file(),
           type == "yarn" ? "YaRN with an attention factor of its own is not supported"
                          : "'" + keys.shown("rope.scaling.type") + "' is '" +
                                core::printable_line(core::shortened(type)) + "', which is not supported",
           "linear, or yarn with the usual attention factor",
           type == "longrope" || type == "su"
               ? "a study with a scheme that extends rotary-longrope, and has the file's factors in let = { short = "
                 "[...], long = [...] }"
               : "--scheme NAME, with its params by --set");
}

/// The numbers by which `rope_freqs.weight` divides the frequencies, pair by pair, as a formula of i.
std::string divisors_of(const Checkpoint& checkpoint) {
    const Source& file = checkpoint.file();
    const tensor::GgufTensor& tensor = *file.find(frequencies_name);
    std::vector<float> numbers(checkpoint.shape().rotated / 2);
    if (tensor.shape.size() != 1 || tensor.shape.front() != numbers.size())
        refuse(file, fmt::format("tensor '{}' has another shape than the pairs that rotate", frequencies_name),
               fmt::format("[{}]", numbers.size()));
    file.read_rows(tensor, 0, numbers);
    if (!std::all_of(numbers.begin(), numbers.end(), [](float x) { return x > 0 && x - x == 0; }))
        refuse(file, fmt::format("tensor '{}' divides by a number that is not above 0", frequencies_name),
               "finite numbers above 0");
    std::string text;
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
        if (numbers[i + 1] != numbers[i]) text += fmt::format("i < {} ? {} : ", i + 1, decimal(numbers[i]));
    return text + decimal(numbers.back());
}

/// Whether layers with a window use another rotation than those without.
bool has_local_rotation(const Checkpoint& checkpoint) {
    const Shape& shape = checkpoint.shape();
    return shape.global_each > 0 && shape.local_base != shape.base;
}

/// Adds another angle for layers with a window, if some layers have none.
void add_local_rotation(const Checkpoint& checkpoint, const scheme::Registry& registry, scheme::Scheme& scheme) {
    core::Problems problems;
    const scheme::Scheme local =
        registry.with_params("rotary", {{"base", decimal(checkpoint.shape().local_base)}}, {}, problems);
    problems.raise();
    scheme.rotate->angle.formula = formula::substitute(
        formula::parse(fmt::format("layer % {} == 0 ? global_angle : local_angle", checkpoint.shape().global_each)),
        {{"global_angle", scheme.rotate->angle.formula}, {"local_angle", local.rotate->angle.formula}});
}

/// Adds the parts that only the file's own scheme has: the rotation's divisors, and a window.
void add_own_parts(const Checkpoint& checkpoint, const scheme::Registry& registry, scheme::Scheme& scheme) {
    if (scheme.rotate && checkpoint.file().find(frequencies_name) != nullptr)
        scheme.rotate->angle.formula =
            formula::substitute(formula::parse(fmt::format("own_angle/({})", divisors_of(checkpoint))),
                                {{"own_angle", scheme.rotate->angle.formula}});
    const std::size_t each = checkpoint.shape().global_each;
    if (scheme.rotate && has_local_rotation(checkpoint)) add_local_rotation(checkpoint, registry, scheme);
    if (const std::size_t window = checkpoint.shape().window; window > 0) {
        const std::string everywhere = fmt::format("q - k < {}", window);
        const std::string text = each > 0 ? fmt::format("layer % {} == 0 or {}", each, everywhere) : everywhere;
        scheme.mask = scheme::Piece{formula::parse(text), nullptr, {}};
    }
}

}  // namespace

scheme::Scheme Checkpoint::scheme(const scheme::Registry& registry, const std::optional<std::string>& name,
                                  const Params& params) const {
    Named chosen{name.value_or(std::string(architecture_->scheme)), {}};
    if (!name && chosen.name == "rotary") chosen = scaled_rotation(*this, Keys(*file_, shape_.architecture));
    // A temperature would apply to all layers.
    if (!name && has_local_rotation(*this) && chosen.name != "rotary" && chosen.name != "rotary-linear")
        refuse(*file_, "the rotation '" + chosen.name + "' of some layers is not supported", "none, or linear",
               "--scheme NAME, which is that of all layers");
    // Use the slopes of public code, for any number of heads.
    if (!name && chosen.name == "alibi") chosen.params = {{"slopes", "1"}};
    const scheme::Scheme* const known = registry.find(chosen.name);
    if (known == nullptr) throw core::UserError({registry.unknown(chosen.name)});
    const auto has = [](const Params& all, std::string_view key) {
        return std::any_of(all.begin(), all.end(), [&](const auto& pair) { return pair.first == key; });
    };
    Params all = params;
    if (has(known->params, "base")) chosen.params.emplace_back("base", decimal(shape_.base));
    if (has(known->params, "original") && !has(chosen.params, "original"))
        chosen.params.emplace_back("original", decimal(original_length(*this)));
    for (const auto& own : chosen.params)
        if (!has(params, own.first)) all.push_back(own);
    core::Problems problems;
    scheme::Scheme result = registry.with_params(chosen.name, all, {}, problems);
    problems.raise();
    if (result.rotate) {
        result.rotate->pairs = shape_.pairs;
        if (result.rotate->fraction == 1)
            result.rotate->fraction = static_cast<double>(shape_.rotated) / static_cast<double>(shape_.head_dim);
    }
    if (!name) add_own_parts(*this, registry, result);
    return result;
}

}  // namespace farfield::checkpoint
