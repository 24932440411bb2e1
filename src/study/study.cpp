#include <farfield/study/study.hpp>

#include <algorithm>

#include "study/body.hpp"

namespace farfield::study {

Study::Study(std::shared_ptr<const Body> body) : body_(std::move(body)) {}

const std::string& Study::name() const {
    return body_->found.name;
}

const std::string& Study::file() const {
    return body_->found.file;
}

std::vector<std::pair<std::string, core::Place>> Study::claim_ids() const {
    std::vector<std::pair<std::string, core::Place>> ids;
    for (const claim::Claim& claim : body_->claims) ids.emplace_back(claim.id, claim.place);
    return ids;
}

bool Study::counts_threads() const {
    return std::any_of(body_->items.begin(), body_->items.end(),
                       [](const Item& item) { return item.counts_threads && item.waits_for.empty(); });
}

std::vector<std::string> Study::figures() const {
    std::vector<std::string> names;
    for (const core::FigureRecord& figure : body_->figures) names.push_back(figure.name);
    return names;
}

std::vector<std::string> Study::names() const {
    std::vector<std::string> names;
    for (const Item& item : body_->items) {
        names.push_back(item.name);
        if (item.base != item.name) names.push_back(item.base);
    }
    for (const core::FigureRecord& figure : body_->figures) names.push_back(figure.name);
    for (const claim::Claim& claim : body_->claims) names.push_back(claim.id);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace farfield::study
