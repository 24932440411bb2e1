#include "measure/losses.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/numerics/statistics.hpp>
#include <farfield/train/memory.hpp>
#include <optional>

#include "measure/tasks.hpp"

namespace farfield::measure {

namespace {

using train::Token;

/// The number of tokens of one pass: enough to use the whole processor, but few enough to stay in its caches.
constexpr std::size_t tokens_of_pass = 8192;

/// Consecutive rows: row r is at [r * stride], and its targets are one token later.
struct Rows {
    std::vector<Token> tokens;
    std::vector<Token> targets;  ///< with `ignored` tokens; empty if every token is scored
    std::size_t stride = 0;
};

class Meter {
public:
    Meter(const LossSettings& settings, const std::vector<std::shared_ptr<const Network>>& models, const Inputs& inputs)
        : settings_(settings), models_(models), inputs_(inputs), source_(inputs.subject.source()) {
        longest_ = *std::max_element(settings.lengths.begin(), settings.lengths.end());
        if (source_.is_divisible()) {
            segments_ = rows_of(longest_);
        } else {
            for (const std::size_t length : settings.lengths) own_.push_back(rows_of(length));
        }
    }

    std::vector<Losses> run() {
        std::vector<Losses> losses(models_.size());
        for (Losses& each : losses) {
            each.nll.assign(settings_.lengths.size(), std::vector<double>(settings_.segments, 0));
            if (!source_.is_divisible()) each.known = each.nll;
        }
        const std::vector<Part> parts = parts_of();
        in_parallel(parts.size(), inputs_, [&](std::size_t i, model::Workspace<float>& workspace) {
            measure(parts[i], losses[parts[i].model], workspace);
        });
        return losses;
    }

private:
    /// Some segments at one length for one model.
    struct Part {
        std::size_t model;
        std::size_t at;  ///< of lengths
        std::size_t begin;
        std::size_t end;
    };

    Rows rows_of(std::size_t length) const {
        Rows rows{{}, {}, length + 1};
        for (std::size_t s = 0; s < settings_.segments; ++s) {
            const train::Row row = source_.held_out(s, settings_.segments, length);
            rows.tokens.insert(rows.tokens.end(), row.tokens.begin(), row.tokens.end());
            if (source_.is_divisible()) continue;
            for (std::size_t t = 0; t < length; ++t)
                rows.targets.push_back(row.weights[t] > 0 ? row.tokens[t + 1] : model::ignored);
            rows.targets.push_back(model::ignored);
        }
        return rows;
    }

    /// Long parts come first, so that no processor works alone on a long part at the end.
    std::vector<Part> parts_of() const {
        std::vector<std::size_t> order(settings_.lengths.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(),
                  [this](std::size_t a, std::size_t b) { return settings_.lengths[a] > settings_.lengths[b]; });
        std::vector<Part> parts;
        for (const std::size_t at : order) {
            const std::size_t step = std::max<std::size_t>(tokens_of_pass / settings_.lengths[at], 1);
            for (std::size_t m = 0; m < models_.size(); ++m) {
                for (std::size_t begin = 0; begin < settings_.segments; begin += step)
                    parts.push_back({m, at, begin, std::min(begin + step, settings_.segments)});
            }
        }
        return parts;
    }

    void measure(const Part& part, Losses& losses, model::Workspace<float>& workspace) const {
        if (!source_.is_divisible()) {
            measure_whole(part, losses, workspace);
        } else if (settings_.protocol == Protocol::pieces) {
            measure_pieces(part, losses, workspace);
        } else if (settings_.protocol == Protocol::sliding_cache) {
            measure_cached(part, losses, workspace);
        } else {
            measure_last(part, losses, workspace);
        }
    }

    /// Inputs and targets of the part's segments from their token `from` on.
    model::Batch batch(const Part& part, std::size_t from, std::size_t length) const {
        const std::span<const Token> tokens = segments_.tokens;
        const std::size_t begin = part.begin * segments_.stride + from;
        const std::size_t rows = part.end - part.begin;
        const std::size_t count = (rows - 1) * segments_.stride + length;
        return {tokens.subspan(begin, count), tokens.subspan(begin + 1, count), rows, length, segments_.stride};
    }

    void measure_last(const Part& part, Losses& losses, model::Workspace<float>& workspace) const {
        const std::size_t length = settings_.lengths[part.at];
        const std::size_t last = settings_.targets;
        std::vector<float> found((part.end - part.begin) * last);
        models_[part.model]->losses(batch(part, longest_ - length, length), last, workspace, found);
        for (std::size_t s = part.begin; s < part.end; ++s) {
            const auto from = found.begin() + static_cast<std::ptrdiff_t>((s - part.begin) * last);
            losses.nll[part.at][s] =
                numerics::mean(std::vector<double>(from, from + static_cast<std::ptrdiff_t>(last)));
        }
    }

    void measure_pieces(const Part& part, Losses& losses, model::Workspace<float>& workspace) const {
        const std::size_t length = settings_.lengths[part.at];
        std::vector<float> found;
        for (std::size_t from = 0; from < longest_; from += length) {
            // The last piece may be shorter, because every token is scored at every length.
            const std::size_t own = std::min(length, longest_ - from);
            found.assign((part.end - part.begin) * own, 0);
            models_[part.model]->losses(batch(part, from, own), own, workspace, found);
            for (std::size_t i = 0; i < found.size(); ++i)
                losses.nll[part.at][part.begin + i / own] += found[i] / static_cast<double>(longest_);
        }
    }

    void measure_cached(const Part& part, Losses& losses, model::Workspace<float>& workspace) const {
        const std::size_t length = settings_.lengths[part.at];
        const std::size_t window = settings_.window == 0 ? inputs_.subject.train_length() : settings_.window;
        const std::span<const Token> tokens = segments_.tokens;
        for (std::size_t s = part.begin; s < part.end && !inputs_.interrupted(); ++s) {
            const std::span<const Token> row = tokens.subspan(s * segments_.stride + longest_ - length, length + 1);
            double sum = 0;
            for (const double loss : models_[part.model]->cached_losses(row, settings_.targets, window, workspace))
                sum += loss;
            losses.nll[part.at][s] = sum / static_cast<double>(settings_.targets);
        }
    }

    void measure_whole(const Part& part, Losses& losses, model::Workspace<float>& workspace) const {
        const std::size_t length = settings_.lengths[part.at];
        const Rows& rows = own_[part.at];
        const std::size_t begin = part.begin * rows.stride;
        const std::size_t count = (part.end - part.begin - 1) * rows.stride + length;
        const std::span<const Token> targets = std::span<const Token>(rows.targets).subspan(begin, count);
        std::vector<float> found((part.end - part.begin) * length);
        models_[part.model]->losses({std::span<const Token>(rows.tokens).subspan(begin, count), targets,
                                     part.end - part.begin, length, rows.stride},
                                    length, workspace, found);
        for (std::size_t s = part.begin; s < part.end; ++s) {
            double scored = 0;
            for (std::size_t t = 0; t < length; ++t) {
                if (targets[(s - part.begin) * rows.stride + t] == model::ignored) continue;
                const double nll = found[(s - part.begin) * length + t];
                scored += 1;
                losses.nll[part.at][s] += nll;
                losses.known[part.at][s] += nll < std::log(2.0);
            }
            losses.nll[part.at][s] /= scored;
            losses.known[part.at][s] /= scored;
        }
    }

    const LossSettings& settings_;
    const std::vector<std::shared_ptr<const Network>>& models_;
    const Inputs& inputs_;
    const train::Source& source_;
    std::size_t longest_ = 0;
    Rows segments_;          ///< of a source whose rows may be cut
    std::vector<Rows> own_;  ///< by length, of a source whose rows may not be cut
};

/// The mean over the segments of one length; nothing if the best prediction of a target is unknown.
std::optional<double> best_loss(const LossSettings& settings, const Inputs& inputs, std::size_t length,
                                std::size_t longest) {
    const train::Source& source = inputs.subject.source();
    const bool divisible = source.is_divisible();
    const bool all = settings.protocol == Protocol::pieces || !divisible;
    double sum = 0, count = 0;
    for (std::size_t s = 0; s < settings.segments && !inputs.interrupted(); ++s) {
        const std::size_t own = divisible ? longest : length;
        const train::Row row = source.held_out(s, settings.segments, own);
        const std::span<const Token> tokens = row.tokens;
        for (std::size_t t = all ? 0 : own - settings.targets; t < own; ++t) {
            if (row.weights[t] == 0) continue;
            const std::size_t from = all ? t - t % length : longest - length;
            const auto nll = source.optimal_nll(tokens.subspan(from, t + 1 - from), row.tokens[t + 1]);
            if (!nll) return std::nullopt;
            sum += *nll;
            count += 1;
        }
    }
    return sum / count;
}

}  // namespace

Memory memory_of_losses(const LossSettings& settings, const Measured& of) {
    const std::size_t longest = *std::max_element(settings.lengths.begin(), settings.lengths.end());
    model::Footprint most;
    for (const std::size_t length : settings.lengths) {
        const std::size_t rows = std::max<std::size_t>(tokens_of_pass / length, 1);
        const model::Footprint here = of.footprint(model::Work::losses, {rows, length, 1});
        most.packed = here.packed;
        most.activations = std::max(most.activations, here.activations);
        most.tables += here.tables;  // the tables of each length are kept
    }
    Memory memory{train::parts_of(most, of.processors), std::to_string(settings.segments) + " segments of '" + of.name +
                                                            "' at length " + std::to_string(longest)};
    const std::size_t tokens = settings.segments * (longest + 1);
    memory.parts.push_back({"tokens", static_cast<double>(tokens * sizeof(Token))});
    return memory;
}

std::vector<Losses> measure_losses(const LossSettings& settings,
                                   const std::vector<std::shared_ptr<const Network>>& models, const Inputs& inputs) {
    return Meter(settings, models, inputs).run();
}

std::vector<double> best_losses(const LossSettings& settings, const Inputs& inputs) {
    const std::size_t longest = *std::max_element(settings.lengths.begin(), settings.lengths.end());
    std::vector<double> best;
    for (const std::size_t length : settings.lengths) {
        const std::optional<double> nll = best_loss(settings, inputs, length, longest);
        if (!nll) return {};
        best.push_back(*nll);
    }
    return best;
}

}  // namespace farfield::measure
