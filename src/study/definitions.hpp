// What holds by definition of the quantities of a study.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/definition.hpp"
#include "study/body.hpp"

namespace farfield::study {

class Definitions {
public:
    /// Both must outlive it.
    Definitions(std::span<const Item> items, const scheme::Registry& schemes);

    /// What the kind and the declaration of a quantity state of its fields. Nothing for an unknown name.
    std::vector<std::string> facts_of(std::string_view name);

    /// A text that is the same for two quantities only if their results are the same by their settings: keys of the
    /// model on which no formula depends make no difference, nor do params with the scheme's own values. The name
    /// itself for an unknown one.
    std::string settings_of(std::string_view name);

private:
    const quantity::Definition& of(std::string_view name);

    const scheme::Registry& schemes_;
    std::map<std::string_view, const Item*> items_;
    std::map<std::string, quantity::Definition, std::less<>> known_;
    std::map<std::string, std::string, std::less<>> settings_;
};

}  // namespace farfield::study
