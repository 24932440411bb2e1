// The values that a training found for a scheme's learned names.
#include <array>

#include "measure/kinds.hpp"
#include "measure/seeds.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 1> learned_keys = {of_training_key};

/// The index of a value among those of its name. It names only layer, head or entry if there are several, counted as in
/// formulas.
std::string index_of(const scheme::Learned& name, const model::Config& config, std::size_t at) {
    const std::size_t size = std::max<std::size_t>(name.size, 1);
    const std::size_t heads = name.per_head ? config.heads : 1;
    std::string index;
    const auto add = [&index](const std::string& part) { index += (index.empty() ? "" : ",") + part; };
    if (name.per_layer) add("layer=" + std::to_string(at / size / heads + 1));
    if (name.per_head) add("h=" + std::to_string(at / size % heads + 1));
    if (name.size > 0) add(std::to_string(at % size));
    return index;
}

class Learned : public Prepared {
public:
    explicit Learned(core::Place place) : place_(std::move(place)) {}

    void check(const scheme::Scheme& scheme, core::Problems& problems) const override {
        if (scheme.learn.empty())
            problems.add(place_, "a training of the scheme '" + scheme.name + "', which learns nothing",
                         "a training of a scheme with 'learn'");
    }

    double operations(const Pass&) const override { return 0; }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        const train::Training& training = inputs.subject.trainings.front();
        core::Result result;
        for (const scheme::Learned& name : training.scheme.learn) {
            std::vector<std::vector<double>> found;
            found.reserve(models.seeds.size());
            for (const auto& model : inputs.subject.models)
                if (model) found.push_back(model->learned(name.name));
            tell(result, name, models, found, training.config);
        }
        result.notes.emplace_back("values", "after positivity, at the end of training");
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        const train::Training& training = inputs.subject.trainings.front();
        core::Result result;
        for (const scheme::Learned& name : training.scheme.learn) {
            const std::size_t count = std::max<std::size_t>(name.size, 1) *
                                      (name.per_layer ? training.config.layers : 1) *
                                      (name.per_head ? training.config.heads : 1);
            tell(result, name, models, {models.seeds.size(), std::vector<double>(count)}, training.config);
        }
        return result;
    }

private:
    /// `found` has the values of each seed by layer, head and index.
    static void tell(core::Result& result, const scheme::Learned& name, const Alive& models,
                     const std::vector<std::vector<double>>& found, const model::Config& config) {
        for (std::size_t at = 0; at < found.front().size(); ++at) {
            std::vector<double> values;
            values.reserve(found.size());
            for (const std::vector<double>& each : found) values.push_back(each[at]);
            set_over_seeds(result, name.name, index_of(name, config, at), models, values);
        }
    }

    core::Place place_;
};

std::unique_ptr<Prepared> prepare_learned(const core::Entries& settings, core::Problems&) {
    const core::Entry* of = settings.find("of");
    return std::make_unique<Learned>(of ? of->value.place : core::Place{});
}

}  // namespace

const Kind& learned_kind() {
    static const Kind kind = {
        "learned", "values of a scheme's learned names after training", learned_keys, true, prepare_learned, false,
        false};
    return kind;
}

}  // namespace farfield::measure
