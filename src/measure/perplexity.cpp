// Loss of trained models against the length of the context, on one fixed set of held-out segments.
#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/numerics/statistics.hpp>

#include "measure/kinds.hpp"
#include "measure/losses.hpp"
#include "measure/seeds.hpp"
#include "measure/tasks.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 6> perplexity_keys = {
    of_key,
    Key{.name = "lengths",
        .type = KeyType::list,
        .unit = "tokens",
        .required = true,
        .meaning = "L of each value; deltas are relative to the first"},
    Key{.name = "protocol",
        .type = KeyType::text,
        .fallback = "last-token",
        .meaning = "the same last tokens with more or less context before them (Chi et al., section 3.4), the same "
                   "text in pieces of L, or the last tokens with keys and values of a sliding cache alone (Chi et "
                   "al., Appendix B)",
        .choices = "last-token|pieces|sliding-cache"},
    Key{.name = "targets",
        .type = KeyType::integer,
        .unit = "tokens",
        .fallback = "16, at most the smallest length",
        .meaning = "number of last tokens that last-token and sliding-cache score in a segment",
        .least = 1,
        .most = most_length},
    Key{.name = "segments",
        .type = KeyType::integer,
        .fallback = "256",
        .meaning = "held-out segments, the same for every scheme",
        .least = 2,
        .most = most_repeats},
    Key{.name = "window",
        .type = KeyType::integer,
        .unit = "tokens",
        .fallback = "Ltr",
        .meaning = "size of the sliding cache",
        .least = 1,
        .most = most_length},
};

/// Measures losses by length and segment, and computes the fields from them.
class Perplexity : public Prepared {
public:
    Perplexity(LossSettings settings, Feed feed, core::Place protocol)
        : settings_(std::move(settings)), feed_(std::move(feed)), protocol_(std::move(protocol)) {}

    Feed feed() const override { return feed_; }

    void check(const scheme::Scheme& scheme, core::Problems& problems) const override {
        if (settings_.protocol != Protocol::sliding_cache || scheme.causal) return;
        problems.add(protocol_, "'sliding-cache' with the scheme '" + scheme.name + "', which is not causal",
                     "a causal scheme, or another protocol");
    }

    double operations(const Pass& pass) const override {
        double sum = 0;
        for (const std::size_t length : settings_.lengths) sum += pass(length);
        return sum * static_cast<double>(settings_.segments);
    }

    Memory memory(const Measured& of) const override { return memory_of_losses(settings_, of); }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        require_memory(inputs);
        const std::vector<Losses> losses = measure_losses(settings_, models.models, inputs);
        core::Result result;
        if (inputs.interrupted()) return result;
        for (const Losses& each : losses) {
            for (std::size_t at = 0; at < settings_.lengths.size(); ++at)
                require_finite(each.nll[at], inputs.subject, settings_.lengths[at]);
        }
        tell(result, models, losses, best_losses(settings_, inputs));
        result.notes.emplace_back("protocol", description());
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        const std::vector<std::vector<double>> numbers(settings_.lengths.size(),
                                                       std::vector<double>(settings_.segments));
        core::Result result;
        tell(result, models, std::vector<Losses>(models.seeds.size(), {numbers, numbers}),
             std::vector<double>(settings_.lengths.size()));
        return result;
    }

private:
    /// `best` has the losses of the best predictor with the same context on the same targets, if they are known.
    void tell(core::Result& result, const Alive& models, const std::vector<Losses>& losses,
              const std::vector<double>& best) const {
        for (std::size_t at = 0; at < settings_.lengths.size(); ++at) tell(result, models, losses, at);
        for (std::size_t at = 0; at < best.size(); ++at)
            result.set(value_name("optimal", index_of(at)), core::Cell::of(best[at]));
        result.series = series_of(result);
    }

    std::string index_of(std::size_t at) const { return std::to_string(settings_.lengths[at]); }

    void tell(core::Result& result, const Alive& models, const std::vector<Losses>& losses, std::size_t at) const {
        std::vector<double> nll, ppl, delta, share;
        std::vector<double> differences(settings_.segments, 0);
        for (const Losses& each : losses) {
            nll.push_back(numerics::mean(each.nll[at]));
            ppl.push_back(std::exp(nll.back()));
            delta.push_back(nll.back() - nll_of_first(each));
            if (!each.known.empty()) share.push_back(numerics::mean(each.known[at]));
            for (std::size_t s = 0; s < settings_.segments; ++s)
                differences[s] += (each.nll[at][s] - each.nll[0][s]) / static_cast<double>(losses.size());
        }
        set_over_seeds(result, "nll", index_of(at), models, nll);
        set_over_seeds(result, "ppl", index_of(at), models, ppl);
        if (!share.empty()) set_over_seeds(result, "accuracy", index_of(at), models, share);
        if (at == 0) return;
        set_over_seeds(result, "delta", index_of(at), models, delta);
        const double error =
            numerics::sample_deviation(differences) / std::sqrt(static_cast<double>(settings_.segments));
        result.set(value_name("delta_se", index_of(at)), core::Cell::of(error));
    }

    static double nll_of_first(const Losses& losses) { return numerics::mean(losses.nll[0]); }

    core::Series series_of(const core::Result& result) const {
        core::Series series;
        series.columns.push_back({"length", {}, {}});
        for (const char* name :
             {"ppl", "ppl_sd", "nll", "nll_sd", "delta", "delta_sd", "delta_se", "optimal", "accuracy"}) {
            core::Column column{name, {}, {}};
            bool is_there = false;
            for (std::size_t at = 0; at < settings_.lengths.size(); ++at) {
                const core::Cell* cell = result.find(value_name(name, index_of(at)));
                is_there = is_there || cell;
                column.values.push_back(cell ? cell->number.value_or(NAN) : 0);
            }
            if (is_there) series.columns.push_back(std::move(column));
        }
        for (const std::size_t length : settings_.lengths)
            series.columns[0].values.push_back(static_cast<double>(length));
        return series;
    }

    std::string description() const {
        const std::string segments = std::to_string(settings_.segments) + " held-out segments";
        const std::string last = "the last " + std::to_string(settings_.targets) + " tokens of " + segments;
        switch (settings_.protocol) {
            case Protocol::pieces: return segments + " cut into pieces of L, every token scored";
            case Protocol::sliding_cache:
                return last + ", by keys and values of the last w tokens as they were computed";
            case Protocol::last_token: break;
        }
        return last + ", with the L tokens up to each segment's end as context";
    }

    LossSettings settings_;
    Feed feed_;
    core::Place protocol_;
};

Protocol protocol_of(const core::Entries& settings) {
    const std::string name = core::Settings(settings, perplexity_keys).text("protocol");
    if (name == "pieces") return Protocol::pieces;
    return name == "sliding-cache" ? Protocol::sliding_cache : Protocol::last_token;
}

/// The longest row's last piece may be shorter.
void add_last_pieces(Feed& feed) {
    std::size_t longest = 0;
    for (const Feed::Length& length : feed.lengths) longest = std::max(longest, length.tokens);
    for (std::size_t at = 0, count = feed.lengths.size(); at < count; ++at) {
        const Feed::Length length = feed.lengths[at];
        if (longest % length.tokens != 0) feed.lengths.push_back({longest % length.tokens, length.place});
    }
}

std::unique_ptr<Prepared> prepare_perplexity(const core::Entries& settings, core::Problems& problems) {
    const std::size_t before = problems.reports();
    LossSettings own;
    own.lengths = read_lengths(settings, problems);
    own.protocol = protocol_of(settings);
    own.targets = static_cast<std::size_t>(core::read_integer(settings, "targets").value_or(16));
    own.segments = core::Settings(settings, perplexity_keys).count("segments");
    own.window = static_cast<std::size_t>(core::read_integer(settings, "window").value_or(0));
    const core::Entry* targets = settings.find("targets");
    const bool has_targets = own.protocol != Protocol::pieces;
    if (targets && !has_targets)
        problems.add(targets->key_place, "'targets' is unused: 'pieces' scores every token",
                     "protocol = \"last-token\" or \"sliding-cache\"");
    if (const core::Entry* window = settings.find("window"); window && own.protocol != Protocol::sliding_cache)
        problems.add(window->key_place, "'window' is unused: it is that of the sliding cache",
                     "protocol = \"sliding-cache\"");
    require_window_within(own.lengths, settings, problems);
    for (const std::size_t length : own.lengths)
        if (!targets) own.targets = std::min(own.targets, length);
    for (const std::size_t length : own.lengths) {
        if (!has_targets || own.targets <= length || !targets) continue;
        problems.add(targets->value.place, "'targets' is " + std::to_string(own.targets),
                     "at most the smallest length, " + std::to_string(length));
        break;
    }
    if (problems.reports() != before) return nullptr;
    Feed feed = read_feed(settings, "segments", own.segments);
    if (own.protocol == Protocol::pieces) add_last_pieces(feed);
    for (const char* key : {"protocol", "targets", "window"})
        if (const core::Entry* choice = settings.find(key)) feed.choices.push_back({key, choice->key_place});
    const core::Entry* protocol = settings.find("protocol");
    return std::make_unique<Perplexity>(std::move(own), std::move(feed),
                                        protocol ? protocol->value.place : core::Place{});
}

}  // namespace

const Kind& perplexity_kind() {
    static const Kind kind = {
        "perplexity",
        "loss of a trained model at several lengths",
        perplexity_keys,
        true,
        prepare_perplexity,
        false,
        true,
        false,
        {"nll >= 0 and ppl >= 1 and nll_sd >= 0 and ppl_sd >= 0 and delta_sd >= 0 and delta_se >= 0 "
         "and accuracy >= 0 and accuracy <= 1"}};
    return kind;
}

}  // namespace farfield::measure
