#include "scheme/variations.hpp"

#include <algorithm>
#include <cstdlib>
#include <farfield/scheme/pieces.hpp>

#include "scheme/reader.hpp"
#include "scheme/vocabulary.hpp"

namespace farfield::scheme {

Variations::Variations(const Scheme& scheme) {
    if (scheme.settings.find("recipe")) return;
    core::Problems problems;
    Scheme named = read_with_names(scheme.name, scheme.settings, {}, problems);
    requirements_ = read_requirements(named, problems);
    if (!problems.empty()) return;
    used_ = names_in_use(named);
    named_ = std::move(named);
}

std::optional<Scheme> Variations::with_params(const std::vector<std::pair<std::string, std::string>>& params,
                                              const std::function<core::Place(std::string_view param)>& place_of,
                                              core::Problems& problems) const {
    if (!named_ || params.empty()) return std::nullopt;
    Scheme scheme = *named_;
    const auto declared = std::find_if(scheme.settings.list.begin(), scheme.settings.list.end(),
                                       [](const core::Entry& each) { return each.key == "params"; });
    if (declared == scheme.settings.list.end()) return std::nullopt;
    auto& settings = std::get<core::Entries>(declared->value.data);
    for (const auto& [param, text] : params) {
        const auto same = [&, &name = param](const auto& each) { return each == name; };
        const auto known = std::find_if(scheme.params.begin(), scheme.params.end(),
                                        [&](const auto& each) { return same(each.first); });
        if (known == scheme.params.end() || std::none_of(used_.begin(), used_.end(), same) || !literal(text))
            return std::nullopt;
        known->second = text;
        const core::Place place = place_of(param);
        core::Value value;
        value.data = std::strtod(text.c_str(), nullptr);
        value.place = place;
        value.text = text;
        *std::find_if(settings.list.begin(), settings.list.end(),
                      [&](const core::Entry& each) { return same(each.key); }) = {param, place, std::move(value)};
    }
    std::vector<formula::Replacement> numbers;
    for (const auto& [param, text] : scheme.params) numbers.push_back({param, literal(text)});
    change_formulas(scheme, [&](const formula::Node& tree) { return formula::substitute(tree, numbers); });
    check_requirements(scheme, requirements_, problems);
    return scheme;
}

}  // namespace farfield::scheme
