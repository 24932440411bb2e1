// Checks of lengths: the trained one, the served one, and those that the frequencies support.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/printable.hpp>

#include "doctor/check.hpp"
#include "doctor/lookup.hpp"
#include "doctor/schemes.hpp"

namespace farfield::doctor {

namespace {

class LengthChecker {
public:
    LengthChecker(const Document& document, const Resolution& resolution, const Options& options,
                  std::vector<Finding>& findings)
        : document_(document),
          root_(text_part(document, prefix_)),
          lookup_(document, root_, prefix_),
          resolution_(resolution),
          options_(options),
          findings_(findings) {}

    void check() {
        for (const Layer& layer : resolution_.layers) {
            if (layer.scheme.name.empty()) continue;
            served(layer);
            if (!layer.scheme.rotate) continue;
            factor_against_lengths(layer);
            attention_factor(layer);
            mscale(layer);
            ramp(layer);
            sums(layer);
            slow_pairs(layer);
            safe(layer);
        }
        if (!document_.frequency_factors.empty())
            lookup_.add(lookup_.finding(
                "frequency-factors", Severity::note, core::printable_line(document_.frequency_factors),
                "The file has a tensor that divides the frequencies (Llama 3 and LongRoPE): its numbers "
                "are not read, and the frequencies below are those without it.",
                "read the configuration that the file was made from"));
        if (const Found parameters = lookup_.find("rope_parameters"))
            if (!lookup_.find("rope_theta") && !lookup_.find("rope_scaling"))
                lookup_.add(
                    lookup_.finding("rope-parameters-alone", Severity::note, parameters,
                                    "The base and the scaling are in 'rope_parameters' only: readers older than "
                                    "transformers 5 do not read it, and take a base of 10000 without scaling.",
                                    "name such a reader by --engine to see what it computes"));
        findings_.insert(findings_.end(), lookup_.findings().begin(), lookup_.findings().end());
    }

private:
    Found length_key() {
        return lookup_.first({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length"});
    }

    void served(const Layer& layer) {
        const Positions& positions = layer.positions;
        if (!resolution_.served || !positions.trained || !options_.served) return;
        const long long trained =
            *std::max(positions.trained, layer.type == "default" ? positions.trained : resolution_.max_positions);
        const bool reaches_so_far = positions.window == 0 || positions.window > trained;
        if (positions.scheme == "learned-absolute" && *resolution_.served > trained)
            lookup_.add(lookup_.finding("served-beyond-table", Severity::error, length_key(),
                                        fmt::format("{} tokens are served, and the table of positions has {} entries.",
                                                    *resolution_.served, trained),
                                        "serve at most the table's length"));
        else if (layer.scheme.rotate && reaches_so_far) {
            const bool is_extended = layer.type != "default";
            const double reach = is_extended ? std::max(static_cast<double>(trained),
                                                        static_cast<double>(*positions.trained) * layer.factor)
                                             : static_cast<double>(trained);
            if (static_cast<double>(*resolution_.served) > reach && layer.type != "dynamic")
                lookup_.add(lookup_.finding(
                    is_extended ? "served-beyond-scaling" : "served-beyond-trained", Severity::warning, length_key(),
                    fmt::format(
                        "{} tokens are served, {:.0f} are {}: slow pairs turn by angles that were never trained.",
                        *resolution_.served, reach,
                        is_extended ? "what the scaling reaches" : "trained, without scaling"),
                    is_extended ? "raise the factor" : "serve less, or scale: \"rope_scaling\""));
        }
    }

    void factor_against_lengths(const Layer& layer) {
        if (layer.type != "yarn" || !resolution_.original || !resolution_.max_positions_given) return;
        const auto original = static_cast<double>(*resolution_.original);
        const auto longest = static_cast<double>(*resolution_.max_positions);
        const Found factor = lookup_.find(layer.scaling_path + "/factor");
        if (!factor) return;
        if (longest == original && layer.factor > 1)
            lookup_.add(lookup_.finding(
                "length-is-original", Severity::note, length_key(),
                fmt::format("'{}' is the original length, {:.0f}: readers that take the longest sequence from it stop "
                            "there, and not at the {:.0f} tokens that the scaling reaches.",
                            length_key().path, original, original * layer.factor),
                "set the length where the model is served, or write the original length times the factor"));
        if (longest == original) return;
        const double ratio = longest / original;
        if (std::abs(ratio - layer.factor) > 0.01 * layer.factor)
            lookup_.add(lookup_.finding(
                "factor-against-lengths", Severity::warning, factor,
                fmt::format("'{}' is {}, but max_position_embeddings/original is {:.4g}: readers that take the ratio "
                            "compute other frequencies.",
                            factor.path, layer.factor, ratio),
                "make the three numbers agree"));
    }

    void attention_factor(const Layer& layer) {
        const Found given = lookup_.find(layer.scaling_path + "/attention_factor");
        const Found misnamed = lookup_.find(layer.scaling_path + "/attn_factor");
        if (misnamed && !given && layer.type == "yarn")
            lookup_.add(lookup_.finding(
                "attention-factor-misnamed", Severity::warning, misnamed,
                fmt::format("'{}' is not read by transformers, vLLM and mlx-lm: the attention factor is {:.6g}.",
                            misnamed.path, layer.positions.attention_factor),
                "write \"attention_factor\", with the number by which cosines and sines are to be multiplied"));
        if (!given || layer.factor <= 1) return;
        const double usual = 0.1 * std::log(layer.factor) + 1;
        if (layer.type != "yarn" || std::abs(layer.positions.attention_factor - usual) < 1e-3 * usual) return;
        const double logits = std::pow(layer.positions.attention_factor / usual, 2);
        const bool is_doubled = std::abs(layer.positions.attention_factor - usual * usual) < 1e-3 * usual;
        lookup_.add(lookup_.finding(
            is_doubled ? "attention-factor-doubled" : "attention-factor-given",
            is_doubled ? Severity::warning : Severity::note, given,
            fmt::format(
                "'{}' is {}; the method's own is {:.6g}: logits are {:.3g} times as large as those of the method{}.",
                given.path, layer.positions.attention_factor, usual, logits,
                is_doubled ? ", whose square was written: cosines and sines are multiplied by it, logits by its square"
                           : ""),
            "leave it out, unless the model was trained with it"));
    }

    /// DeepSeek's two scales: their quotient is the factor of cosines and sines. With latent attention, the square of
    /// the scale of all dimensions is a factor of all logits.
    void mscale(const Layer& layer) {
        const Found one = lookup_.find(layer.scaling_path + "/mscale");
        const Found other = lookup_.find(layer.scaling_path + "/mscale_all_dim");
        if (!layer.positions.scheme.starts_with("rotary-yarn") || layer.factor <= 1) return;
        if (document_.is_gguf) return;  // llama.cpp reads one number alone
        if (static_cast<bool>(one) != static_cast<bool>(other))
            mscale_alone(layer, one, other);
        else if (one)
            mscale_differs(layer, one, other);
        else if (lookup_.find("qk_rope_head_dim"))
            lookup_.add(lookup_.finding(
                "mscale-absent", Severity::note, lookup_.find(layer.scaling_path),
                fmt::format("'{}' has no 'mscale_all_dim': the published models of this kind multiply all logits by "
                            "(0.1 mscale_all_dim ln(factor) + 1)^2, {:.6g} for mscale_all_dim = 1; without it no "
                            "reader does.",
                            layer.scaling_path, std::pow(0.1 * std::log(layer.factor) + 1, 2)),
                "write 'mscale' and 'mscale_all_dim', as in the configuration that was published"));
    }

    void mscale_differs(const Layer& layer, const Found& one, const Found& other) {
        const bool are_numbers = one.value().is(Value::Kind::number) && other.value().is(Value::Kind::number);
        if (!are_numbers || one.value().number == other.value().number) return;
        std::string effect =
            fmt::format("cosines and sines are multiplied by {:.6g}", layer.positions.attention_factor);
        if (layer.positions.softmax_factor != 1)
            effect += fmt::format(", and all logits by {:.6g}", layer.positions.softmax_factor);
        lookup_.add(lookup_.finding(
            "mscale-differs", Severity::warning, other,
            fmt::format("'{}' is {}, and '{}' is {}: {}. Published models have two equal numbers, for which the factor "
                        "of cosines and sines is 1.",
                        other.path, other.value().number, one.path, one.value().number, effect),
            "write both as in the configuration that was published"));
    }

    /// Transformers uses both or neither, and the models' own code uses each separately.
    void mscale_alone(const Layer& layer, const Found& one, const Found& other) {
        const auto scale = [&](const Found& found, double fallback) {
            const bool is_number = found && found.value().is(Value::Kind::number);
            return 0.1 * (is_number ? found.value().number : fallback) * std::log(layer.factor) + 1;
        };
        const double own = scale(one, 1) / scale(other, 0), declared = layer.positions.attention_factor;
        std::string effect;
        if (!lookup_.find(layer.scaling_path + "/attention_factor") && std::abs(own - declared) > 1e-6)
            effect = fmt::format(
                "transformers takes neither, and the attention factor is {:.6g}; DeepSeek's own code "
                "takes {:.6g}: logits differ by a factor of {:.4g}",
                declared, own, std::pow(std::max(own, declared) / std::min(own, declared), 2));
        if (one && lookup_.find("qk_rope_head_dim"))
            effect += fmt::format("{}without 'mscale_all_dim' all logits lack a factor, {:.6g} if it is {}",
                                  effect.empty() ? "" : "; ", std::pow(scale(one, 1), 2), one.value().number);
        if (effect.empty()) return;
        lookup_.add(lookup_.finding("mscale-alone", Severity::warning, one ? one : other,
                                    fmt::format("'{}' is given without '{}': {}.", (one ? one : other).path,
                                                one ? "mscale_all_dim" : "mscale", effect),
                                    "write both, as in the configuration that was published"));
    }

    /// YaRN's ramp: engines differ in the variable in which it is linear, and in whether its ends are rounded.
    void ramp(const Layer& layer) {
        const std::string& scheme = layer.positions.scheme;
        const bool is_rounded = scheme == "rotary-yarn";
        if ((!is_rounded && scheme != "rotary-yarn-exact") || !(layer.factor > 1)) return;
        std::vector<std::pair<std::string, std::string>> params;
        for (const Param& each : layer.positions.params)
            if (each.name != "ramp") params.emplace_back(each.name, fmt::format("{}", each.value));
        constexpr long long most = 16384;
        const long long length = std::min(resolution_.served.value_or(most), most);
        const std::size_t pairs = layer.positions.pair_numbers.size();
        const auto effect = [&](const char* other, const char* by) {
            auto with_ramp = params;
            with_ramp.emplace_back("ramp", by);
            const Positions changed = under_scheme(layer, scheme_named(other, with_ramp, pairs));
            return ramp_effect(layer.positions, changed, length);
        };
        Found key = lookup_.find(layer.scaling_path + "/truncate");
        if (!key) key = lookup_.find(layer.scaling_path);
        lookup_.add(lookup_.finding(
            "yarn-ramp", Severity::note, key,
            fmt::format(
                "YaRN's ramp is linear in the pair's index, between ends that are {}. In a reader that takes it "
                "linear in the number of turns, as in the paper, {}; in one that {} the ends, {}.",
                is_rounded ? "rounded to whole pairs" : "not rounded ('truncate' is false)", effect("rotary-yarn", "0"),
                is_rounded ? "does not round" : "rounds",
                effect(is_rounded ? "rotary-yarn-exact" : "rotary-yarn", "1")),
            "serve with a reader whose ramp is that of training; name it by --engine to see what it computes"));
    }

    static std::string ramp_effect(const Positions& declared, const Positions& other, long long length) {
        const std::vector<double> f = declared.inv_freq(), g = other.inv_freq();
        double most = 0;
        for (std::size_t i = 0; i < f.size(); ++i) most = std::max(most, std::abs(g[i] - f[i]) / f[i]);
        const LogitDifference logits = logit_difference(declared, other, length);
        return fmt::format(
            "frequencies are off by up to {:.3g} % and logits of equal queries and keys by up to {:.3g} "
            "|q||k|/sqrt(d), at "
            "distance {} of the first {}",
            100 * most, std::abs(logits.largest), logits.distance, length);
    }

    void sums(const Layer& layer) {
        if (!layer.positions.first_negative) return;
        const long long first = *layer.positions.first_negative;
        constexpr long long long_context = 32768;
        const long long trained = layer.positions.trained.value_or(0);
        if (layer.type == "default" && document_.frequency_factors.empty() && trained > long_context &&
            first < trained && layer.positions.window == 0)
            lookup_.add(
                lookup_.finding("long-without-scaling", Severity::note, length_key(),
                                fmt::format("{} positions without scaling, for which base {:.6g} is small: was a "
                                            "scaling object lost?",
                                            trained, layer.base),
                                "compare with the configuration that was published"));
        const long long seen =
            layer.positions.window > 0 ? std::min(layer.positions.window, *resolution_.served) : *resolution_.served;
        lookup_.add(lookup_.finding(
            "base-below-bound", Severity::note, lookup_.prefix() + "rope_theta",
            fmt::format(
                "The sum of cosines is negative at distance {} of {}: beyond that distance, a key identical to the "
                "query may score lower than an unrelated key (base {:.6g} lies outside of the feasible set of Men et "
                "al. 2024).",
                first, seen, layer.base),
            "a larger base, in training"));
    }

    void slow_pairs(const Layer& layer) {
        const auto& pairs = layer.positions.pair_numbers;
        if (!layer.positions.trained) return;
        const auto slow =
            std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.trained_turns < 1; });
        if (slow == 0) return;
        lookup_.add(lookup_.finding(
            "slow-pairs", Severity::note, lookup_.prefix() + "rope_theta",
            fmt::format("{} of {} pairs never complete a period in {} trained tokens{}: beyond that "
                        "length their angles are new.",
                        slow, pairs.size(), *layer.positions.trained,
                        layer.positions.layer_type.empty() ? "" : " (" + layer.positions.layer_type + ")"),
            layer.factor > 1 ? "none, if the scaling covers the served length" : "a scaling, if more is served"));
    }

    void safe(const Layer& layer) {
        if (!layer.positions.safe_length || !resolution_.served) return;
        const long long seen =
            layer.positions.window > 0 ? std::min(layer.positions.window, *resolution_.served) : *resolution_.served;
        if (*layer.positions.safe_length >= std::min(seen, most_searched)) return;
        const bool is_asked = options_.served || !options_.format.empty();
        lookup_.add(lookup_.finding(
            "beyond-safe-length", is_asked ? Severity::warning : Severity::note, length_key(),
            fmt::format(
                "{} tokens are served, {} are safe: beyond, the rounding of positions and angles may move a logit by "
                "more than 0.01 |q||k|/sqrt(d).",
                seen, *layer.positions.safe_length),
            "compute angles in fp32 or more"));
    }

    const Document& document_;
    std::string prefix_;
    const Value& root_;
    Lookup lookup_;
    const Resolution& resolution_;
    const Options& options_;
    std::vector<Finding>& findings_;
};

}  // namespace

void check_lengths(const Document& document, const Resolution& resolution, const Options& options,
                   std::vector<Finding>& findings) {
    LengthChecker(document, resolution, options, findings).check();
}

}  // namespace farfield::doctor
