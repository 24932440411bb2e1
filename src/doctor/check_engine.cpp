// Finds what an engine computes differently from the configuration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "doctor/check.hpp"
#include "doctor/lookup.hpp"

namespace farfield::doctor {

namespace {

/// The largest relative difference of the frequencies; infinite if their counts differ.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return INFINITY;
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]) / std::abs(b[i]));
    return largest;
}

std::string joined(const std::vector<std::string>& keys) {
    std::string text;
    for (const std::string& key : keys) text += (text.empty() ? "'" : ", '") + key + "'";
    return text;
}

/// Keys on which the declared meaning depends, but not that of the engine.
std::vector<std::string> ignored_keys(const Resolution& declared, const Resolution& engine) {
    std::vector<std::string> ignored;
    for (const std::string& key : declared.used) {
        const bool is_read = std::find(engine.used.begin(), engine.used.end(), key) != engine.used.end();
        if (!is_read && std::find(ignored.begin(), ignored.end(), key) == ignored.end()) ignored.push_back(key);
    }
    return ignored;
}

std::string consequence(const Positions& engine, const Positions& declared, long long served) {
    std::string text;
    const auto f = engine.inv_freq(), g = declared.inv_freq();
    if (f.size() != g.size()) {
        text = fmt::format("{} dimensions are rotated, not {}", 2 * f.size(), 2 * g.size());
    } else if (const double most = difference(f, g); most > 0) {
        text = fmt::format("frequencies are off by up to {:.3g} %", 100 * most);
    }
    if (engine.attention_factor != declared.attention_factor)
        text += fmt::format("{}the attention factor is {:.6g}, not {:.6g}", text.empty() ? "" : "; ",
                            engine.attention_factor, declared.attention_factor);
    if (engine.softmax_factor != declared.softmax_factor)
        text += fmt::format("{}all logits are multiplied by {:.6g}, not {:.6g}", text.empty() ? "" : "; ",
                            engine.softmax_factor, declared.softmax_factor);
    const LogitDifference logits = logit_difference(engine, declared, served);
    return text + fmt::format("; logits of equal queries and keys by up to {:.3g} |q||k|/sqrt(d), at distance {}",
                              std::abs(logits.largest), logits.distance);
}

Severity severity_of(double frequency, double attention) {
    return frequency > 1e-3 || attention > 1e-3 ? Severity::error : Severity::warning;
}

}  // namespace

void check_engine(const Document& document, const std::string& name, const Resolution& declared, const Options& options,
                  Diagnosis& diagnosis) {
    std::string prefix;
    const Value& root = text_part(document, prefix);
    Lookup lookup(document, root, prefix);
    const Engine engine = load_engine(name);
    Resolution found = resolve(document, engine, options);
    EngineAnswer answer{name, found.refusal, {}, false};
    if (!found.refusal.empty() && declared.refusal.empty())
        lookup.add(lookup.finding("engine-refuses", Severity::warning, prefix + "rope_scaling",
                                  fmt::format("{} refuses the configuration: {}.", name, found.refusal),
                                  "write what it reads, or take another version"));
    Options quick = options;
    quick.safe_length = false;
    const std::vector<std::string> ignored = ignored_keys(declared, found);
    answer.layer_types.reserve(found.layers.size());
    for (Layer& layer : found.layers) {
        compute_numbers(layer, quick, declared.served);
        answer.layer_types.push_back(layer.positions);
        if (!found.refusal.empty()) continue;
        for (const Layer& other : declared.layers) {
            if (other.positions.layer_type != layer.positions.layer_type) continue;
            if (other.positions.scheme.empty()) continue;  // a finding says why the declared meaning is unknown
            answer.agrees = answer.agrees || !layer.positions.inv_freq().empty();
            const double frequency = difference(layer.positions.inv_freq(), other.positions.inv_freq());
            const double attention =
                std::max(std::abs(layer.positions.attention_factor - other.positions.attention_factor),
                         std::abs(layer.positions.softmax_factor - other.positions.softmax_factor));
            if (!(frequency > 1e-6) && !(attention > 1e-6)) continue;
            const std::string what = consequence(layer.positions, other.positions, declared.served.value_or(4096));
            Finding finding = lookup.finding(
                ignored.empty() ? "engine-differs" : "engine-ignores-keys", severity_of(frequency, attention),
                ignored.empty() ? prefix + "rope_theta" : ignored.front(),
                fmt::format(
                    "{} {}{}: {}.", name,
                    ignored.empty() ? std::string("computes something else") : "does not read " + joined(ignored),
                    layer.positions.layer_type.empty() ? "" : " (" + layer.positions.layer_type + ")", what),
                "write the keys that it reads too, or take another version");
            if (const Found key = lookup.find(finding.key.substr(std::min(prefix.size(), finding.key.size()))))
                finding.place = document.place(*key.member);
            lookup.add(std::move(finding));
        }
    }
    answer.agrees = answer.agrees && lookup.findings().empty();
    diagnosis.findings.insert(diagnosis.findings.end(), lookup.findings().begin(), lookup.findings().end());
    diagnosis.engines.push_back(std::move(answer));
}

}  // namespace farfield::doctor
