#include "study/item_keys.hpp"

#include <farfield/numerics/processors.hpp>

#include "study/cache.hpp"

namespace farfield::study {

double ItemKeys::cost(const Item& item) const {
    std::optional<double>& known = costs_[static_cast<std::size_t>(&item - body_.items.data())];
    if (known) return *known;
    known = item.prepared ? item.prepared->cost() + 1 : 0;
    if (item.measured && item.waits_for.empty()) {
        const std::string& name = item.trainings.front();
        const auto pass = [&](std::size_t tokens) { return models_.operations_of_pass(name, tokens); };
        known = item.measured->operations(pass) + 1;
    }
    return *known;
}

double ItemKeys::usual_cost(const Item& item) const {
    return item.prepared ? item.prepared->usual_cost() + 1 : cost(item);
}

const std::string& ItemKeys::of(std::size_t at) {
    std::string& key = keys_[at];
    if (!key.empty()) return key;
    const Item& item = body_.items[at];
    std::vector<std::string> keys;
    for (const std::string& need : item.needs) keys.push_back(of(body_.index.find(need)->second));
    for (const std::string& training : item.trainings) keys.push_back(models_.key(training));
    // A cost is no less than the points there are.
    const bool may_be_there = options_.device && cost(item) >= static_cast<double>(options_.device->fewest_points());
    keys.push_back(may_be_there ? options_.device->identity() : "cpu");
    if (item.counts_threads) keys.push_back(std::to_string(numerics::processors()));
    return key = cache_key(body_, item, keys);
}

}  // namespace farfield::study
