// The keys of a study's items in the cache, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/body.hpp"
#include "study/models.hpp"

namespace farfield::study {

class ItemKeys {
public:
    ItemKeys(const Study::Body& body, const Options& options, Models& models)
        : body_(body), options_(options), models_(models), keys_(body.items.size()), costs_(body.items.size()) {}

    /// The key of an item, after those of what it needs. Opens the corpora of its trainings, and throws as that does.
    /// Several threads may ask for different items without needs whose trainings' seed keys are known.
    const std::string& of(std::size_t at);

    /// Operations of a double, about. Opens the file of a checkpoint.
    double cost(const Item& item) const;
    /// The same as it mostly turns out: searches seldom use up their budget.
    double usual_cost(const Item& item) const;

private:
    const Study::Body& body_;
    const Options& options_;
    Models& models_;
    std::vector<std::string> keys_;
    mutable std::vector<std::optional<double>> costs_;
};

}  // namespace farfield::study
