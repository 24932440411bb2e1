#include "study/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace farfield::study {

namespace {

/// The longest chain of trainings that each start from the one before, because each keeps those before it.
constexpr std::size_t longest_chain = 100;
/// The most steps of a chain in total, which is the limit of one training.
constexpr std::size_t most_steps = 1'000'000'000;

/// The parameters that a scheme has in addition to those of every model, each with its shape in words.
std::map<std::string, std::string> parameters_of(const scheme::Scheme& scheme) {
    std::map<std::string, std::string> found;
    if (scheme.embed && scheme.embed->learned)
        found["embed"] = fmt::format("{} learned positions", scheme.embed->max_length);
    if (const auto& relative = scheme.relative) {
        const std::string shape = fmt::format("clip {}{}", relative->clip, scheme.causal ? "" : ", not causal");
        if (relative->keys) found["relative keys"] = shape;
        if (relative->values) found["relative values"] = shape;
    }
    for (const scheme::Learned& learned : scheme.learn)
        found[learned.name] = fmt::format("{}{}{}{}", learned.positive ? "positive, " : "",
                                          learned.size > 0 ? fmt::format("{} numbers", learned.size) : "one number",
                                          learned.per_layer ? " per layer" : "", learned.per_head ? " per head" : "");
    return found;
}

/// The properties of a model, by the keys of its table. The length is that of the training.
std::map<std::string, std::string> shape_of(const model::Config& config) {
    return {{"layers", std::to_string(config.layers)},
            {"heads", std::to_string(config.heads)},
            {"width", std::to_string(config.width)},
            {"ffn", std::to_string(config.ffn_width())},
            {"norm", config.norm == model::Norm::pre ? "pre" : "post"},
            {"head", config.tied ? "tied" : "untied"},
            {"precision", config.precision == model::Precision::bf16 ? "bf16" : "fp32"}};
}

/// "heads 4 instead of 2" for each key that both have with other values.
std::vector<std::string> differences(const std::map<std::string, std::string>& own,
                                     const std::map<std::string, std::string>& other) {
    std::vector<std::string> found;
    for (const auto& [key, value] : own) {
        const auto same = other.find(key);
        if (same != other.end() && same->second != value)
            found.push_back(fmt::format("{} {} instead of {}", key, value, same->second));
    }
    return found;
}

class Starts {
public:
    Starts(const Trainings& trainings, core::Problems& problems) : trainings_(trainings), problems_(problems) {}

    void run() {
        for (const TrainItem& item : trainings_.items)
            if (!item.start.empty()) check(item);
    }

private:
    void check(const TrainItem& item) {
        const core::Place& place = item.settings.find("start")->value.place;
        const TrainItem* other = trainings_.find(item.start);
        if (!other && is_base(item.start)) return report_cycle_of_bases(item, place);
        if (!other || other->checkpoint) {
            std::vector<std::string> known;
            for (const TrainItem& each : trainings_.items)
                if (!each.checkpoint) known.push_back(each.name);
            const std::string found = other ? fmt::format("'{}' is a checkpoint", item.start)
                                            : fmt::format("unknown training '{}'", item.start);
            return problems_.add(place, found, other ? "a [train.NAME] of the study" : "",
                                 core::known_here(item.start, known));
        }
        check_chain(item, place);
        compare(item, *other, place);
    }

    void check_chain(const TrainItem& item, const core::Place& place) {
        std::vector<const TrainItem*> chain = {&item};
        std::size_t steps = item.training.schedule.steps;
        for (const TrainItem* next = trainings_.find(item.start); next; next = trainings_.find(next->start)) {
            if (next == &item) return report_cycle(chain, place);
            if (std::find(chain.begin(), chain.end(), next) != chain.end()) return;  // reported at that one
            chain.push_back(next);
            steps += next->training.schedule.steps;
            if (chain.size() > longest_chain + 1)
                return problems_.add(place, fmt::format("'{}' is behind {} trainings", item.name, longest_chain + 1),
                                     fmt::format("at most {}", longest_chain));
        }
        if (steps > most_steps)
            problems_.add(place, fmt::format("'{}' and the trainings before it have {} steps", item.name, steps),
                          fmt::format("at most {} in all", most_steps));
    }

    /// Reports a cycle once, at its first training.
    void report_cycle(const std::vector<const TrainItem*>& chain, const core::Place& place) {
        if (*std::min_element(chain.begin(), chain.end()) != chain.front()) return;
        std::string path;
        for (const TrainItem* each : chain) path += each->name + " -> ";
        problems_.add(place, "trainings start from each other: " + path + chain.front()->name,
                      "a first one without 'start'");
    }

    static std::string base_of(const std::string& name) { return name.substr(0, name.find('[')); }

    const TrainItem* first_of(const std::string& base) const {
        const auto found = std::find_if(trainings_.items.begin(), trainings_.items.end(),
                                        [&](const TrainItem& each) { return base_of(each.name) == base; });
        return found == trainings_.items.end() ? nullptr : &*found;
    }

    bool is_base(const std::string& name) const { return first_of(name) != nullptr; }

    /// A swept training that is named without its values: a cycle, whose sweep cannot be expanded. In other cases the
    /// sweep has a problem already.
    void report_cycle_of_bases(const TrainItem& item, const core::Place& place) {
        std::vector<std::string> path = {base_of(item.name)};
        for (const TrainItem* next = first_of(item.start); next; next = first_of(base_of(next->start))) {
            if (std::find(path.begin(), path.end(), base_of(next->name)) == path.end()) {
                path.push_back(base_of(next->name));
                continue;
            }
            if (base_of(next->name) == path.front() && reported_.insert(path.front()).second)
                problems_.add(
                    place,
                    fmt::format("trainings start from each other: {} -> {}", fmt::join(path, " -> "), path.front()),
                    "a first one without 'start'");
            return;
        }
    }

    void compare(const TrainItem& item, const TrainItem& other, const core::Place& place) {
        std::vector<std::string> found = differences(shape_of(item.training.config), shape_of(other.training.config));
        for (std::string& each : differences(parameters_of(item.training.scheme), parameters_of(other.training.scheme)))
            found.push_back(std::move(each));
        if (item.corpus_text != other.corpus_text)
            found.push_back(fmt::format("the corpus '{}' instead of '{}'", corpus_of(item), corpus_of(other)));
        std::vector<std::uint64_t> lacking;
        std::copy_if(item.seeds.begin(), item.seeds.end(), std::back_inserter(lacking), [&](std::uint64_t seed) {
            return std::find(other.seeds.begin(), other.seeds.end(), seed) == other.seeds.end();
        });
        if (!lacking.empty()) found.push_back(fmt::format("it has no seed {}", fmt::join(lacking, " or ")));
        if (found.empty()) return;
        problems_.add(place,
                      fmt::format("'{}' cannot start from '{}': {}", item.name, other.name, fmt::join(found, "; ")),
                      fmt::format("the model, corpus and seeds of '{}'", other.name));
    }

    static std::string corpus_of(const TrainItem& item) {
        return core::read_text(item.settings, "corpus").value_or("");
    }

    const Trainings& trainings_;
    core::Problems& problems_;
    std::set<std::string> reported_;  ///< swept trainings that start from themselves, directly or indirectly
};

}  // namespace

void check_starts(const Trainings& trainings, core::Problems& problems) {
    Starts(trainings, problems).run();
}

}  // namespace farfield::study
