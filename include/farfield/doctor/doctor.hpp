// What an engine computes from the positional parameters of a model's configuration, and the errors in these
// parameters.
#pragma once

#include <farfield/core/place.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::doctor {

enum class Severity { error, warning, note };

/// "error", "warning", "note".
std::string_view severity_name(Severity severity);

/// Something that a user should know of a configuration. docs/doctor.md lists every id.
struct Finding {
    std::string id;  ///< "default-base", ...
    Severity severity = Severity::note;
    std::string key;      ///< the key's path: "rope_scaling/factor"; empty for a finding on no key
    core::Place place;    ///< of the key; the line is 0 if the file has no lines
    std::string message;  ///< the problem and its effect
    std::string fix;      ///< what to write instead
    std::string report;   ///< a public report of the same fault; may be empty
};

/// A parameter of a formula and its origin.
struct Param {
    std::string name;
    double value = 0;
    std::string from;  ///< the key's path, or "default"
    core::Place place;
};

/// One pair of dimensions.
struct Pair {
    double unscaled = 0;       ///< radians a position before scaling
    double frequency = 0;      ///< radians a position, as computed
    double wavelength = 0;     ///< positions a period
    double trained_turns = 0;  ///< periods within the trained length; of the unscaled frequency
    double served_turns = 0;   ///< periods within the served length; of the frequency
    double kept = 1;           ///< weight of the unscaled frequency in its mean with unscaled/factor: 1 if not scaled
};

/// The safe length of one recipe (docs/safe-length.md).
struct RecipeLength {
    std::string recipe;
    std::optional<long long> length;  ///< tokens; empty if the recipe does not fit the scheme
    bool is_longest = false;          ///< whether one more token is proven not to be safe
    std::string limit;                ///< "logit error", ...; "none" if the longest tested length is safe
    std::string refusal;              ///< why the recipe does not fit
};

/// What one kind of layer does with positions.
struct Positions {
    std::string layer_type;  ///< "full_attention", ...; "" if all layers are equal
    std::string scheme;      ///< of the catalogue: "rotary-yarn"
    std::string formula;     ///< of the angle, or of the bias
    std::vector<Param> params;
    int head_dim = 0;
    int rotated = 0;              ///< dimensions of a head that are rotated
    std::string pairs;            ///< "halves" or "interleaved"; "" without a rotation
    double attention_factor = 1;  ///< by which cosines and sines are multiplied: logits by its square
    double softmax_factor = 1;    ///< by which all logits are multiplied: DeepSeek's 'mscale_all_dim'
    std::vector<Pair> pair_numbers;
    std::optional<long long> trained;  ///< tokens
    long long window = 0;              ///< tokens a query reaches at most; 0: all
    int layers = 0;                    ///< how many there are of this kind
    std::optional<long long>
        first_negative;  ///< least distance below the served length and 2^20 with sum of cosines < 0
    /// R(s) of the logits s[n] = a^2 sqrt(d) mean_i cos(n f_i), over distances below `resolution_distances` (at most
    /// 8192). These are the logits of an equal query and key of d components of mean square 1; a is the attention
    /// factor.
    std::optional<double> resolution;
    long long resolution_distances = 0;
    std::optional<long long> safe_length;    ///< tokens; of Options::recipe
    std::vector<RecipeLength> safe_lengths;  ///< of all recipes, that of Options::recipe first

    /// Whether a query reaches the tokens of its own chunk of `window` tokens up to itself, not the last `window` ones.
    bool has_chunks() const { return layer_type.starts_with("chunked_attention"); }

    std::vector<double> inv_freq() const;
    /// The factor of the logits of rotated dimensions: the square of the attention factor times the factor of all
    /// logits.
    double logit_factor() const { return attention_factor * attention_factor * softmax_factor; }
};

/// The result of one engine, compared with the declared meaning.
struct EngineAnswer {
    std::string engine;   ///< "transformers-4.44"
    std::string refusal;  ///< why the engine refuses the configuration; empty if it does not
    std::vector<Positions> layer_types;
    bool agrees = false;  ///< all rotations have the declared frequencies and factors
};

/// One table of an engine, compared with the declared one.
struct TableAnswer {
    std::string name;        ///< of the tensor
    std::string layer_type;  ///< the kind of layers with which it was compared
    std::string part;        ///< "angle" (frequencies), "cos", "sin", "cos-sin", "turn"
    bool agrees = false;
    std::size_t compared = 0;             ///< numbers
    std::vector<std::string> variations;  ///< that explain the difference (docs/compare.md), with roundings and layouts
};

struct Diagnosis {
    std::string file;
    std::string model_type;
    std::vector<Positions> layer_types;    ///< the first has the largest reach: full attention before windows
    std::vector<std::string> layer_order;  ///< the type of each layer; empty if all are alike
    std::optional<long long> trained;
    std::optional<long long> served;
    std::string recipe;
    std::string format;
    std::optional<long long> reach;  ///< tokens that can influence the last layer; empty: all
    std::vector<Finding> findings;   ///< most serious first
    std::vector<EngineAnswer> engines;
    std::vector<TableAnswer> tables;  ///< of Options::against

    /// Whether a finding is a warning or an error.
    bool has_warnings() const;
};

struct Options {
    std::optional<long long> served;   ///< tokens; default: the longest that the configuration names
    std::string format;                ///< "fp32", "bf16", ...: the format of cosines and sines; default fp32
    std::string recipe = "hf";         ///< one of scheme::recipe_names(), or "format": every step in the format
    bool safe_length = true;           ///< whether to compute it
    std::string against;               ///< a file with an engine's tables, .npz, .npy or .safetensors
    std::vector<std::string> engines;  ///< engines to compare with the declared meaning
};

/// The name to use in place of a recipe's name for rounding every step to the format.
inline constexpr std::string_view each_step_in_format = "format";

/// Reads a config.json (or a folder with one), a .gguf, or a .safetensors; "-" is standard input. Throws
/// core::UserError for text that is not valid, with its place, core::MissingError for a file that cannot be read.
Diagnosis diagnose(const std::string& path, const Options& options = {});

/// The same for a text; `file` is its name in messages.
Diagnosis diagnose_text(std::string text, const std::string& file, const Options& options = {});

/// The engines that --engine takes.
std::vector<std::string> engine_names();

/// An id of findings, their severities in words, and what they mean.
struct FindingKind {
    std::string id;
    std::string severity;
    std::string meaning;
};
std::span<const FindingKind> finding_kinds();

/// Largest difference of the logit of equal queries and keys, per unit |q||k|/sqrt(d), over distances up to `length`.
struct LogitDifference {
    double largest = 0;
    long long distance = 0;
    std::vector<std::pair<long long, double>> by_distance;  ///< at powers of two and the largest
};
LogitDifference logit_difference(const Positions& a, const Positions& b, long long length);

/// The distances at which a figure shows logits: 0 and about 400 distances below `length`, evenly spaced in the
/// logarithm.
std::vector<long long> figure_distances(long long length);
/// The logits of equal queries and keys at these distances, per unit |q||k|/sqrt(d); empty without a rotation.
std::vector<double> logits_at(const Positions& positions, const std::vector<long long>& distances);

/// One difference between two configurations.
struct Difference {
    std::string layer_type;
    std::string what;  ///< "scheme", a param, "rotated", "pairing", "window", "attention_factor", "softmax_factor",
                       ///< "trained", "layer type"
    std::string a;
    std::string b;
};

/// A configuration with errors or without positions, of which no comparison says that it is the same as another.
struct Fault {
    std::string file;
    std::size_t errors = 0;
    std::string text() const;
};

/// The differences between two configurations, and their effect on logits.
struct Comparison {
    std::vector<Difference> differences;
    LogitDifference logits;  ///< of the kind of layer where it is largest
    std::vector<Fault> faults;

    bool are_same() const { return differences.empty() && faults.empty(); }
};
Comparison compare(const Diagnosis& a, const Diagnosis& b);
std::string text_of(const Comparison& comparison, const std::string& a, const std::string& b);
std::string json_of(const Comparison& comparison);

/// "98784", "131072 or more", "does not fit".
std::string length_text(const RecipeLength& length);

/// The output formats; each text ends with a line break.
std::string text_of(const Diagnosis& diagnosis);
std::string json_of(const Diagnosis& diagnosis);
std::string markdown_of(const Diagnosis& diagnosis);

}  // namespace farfield::doctor
