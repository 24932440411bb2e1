// The names a scheme defines, and the formulas that use them.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/scheme/scheme.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::scheme {

/// The role of a formula decides which variables it may use.
enum class Role { bias, mask, temperature, rotate, embed, far };

/// A params value as a tree: its own decimal text, the minus sign outside, inf as the constant. Null for a NaN or a
/// text that is not a number.
formula::Node literal(const std::string& decimal);

/// Text or number of the file as a formula's source; nothing if it is neither.
std::optional<formula::Source> source_of(const core::Value& value);

/// Whether formulas get the numbers of params, or keep their names, so that numbers can be substituted later.
enum class ParamsAs { numbers, names };

/// The params, let and learn names of one scheme. Reads them from the scheme's merged settings, reports their problems,
/// and converts the formulas of pieces to checked trees in which params and let names are substituted.
class Vocabulary {
public:
    Vocabulary(const core::Entries& settings, Scheme& scheme, core::Problems& problems,
               ParamsAs params_as = ParamsAs::numbers);

    /// The formula of `source` for `role`, of type `wanted`; null if there was a problem, which is reported.
    formula::Node formula(const formula::Source& source, Role role, formula::Type wanted) const;

    /// The params, let and learned names that the formula depends on, directly or through let names; none if the
    /// formula has a syntax error.
    std::vector<std::string> behind(const formula::Source& source) const;

private:
    struct Definition {
        formula::Node tree;  ///< params and let names put in; null while unknown or wrong
        formula::Type type{};
        std::vector<std::string> uses;  ///< the contract's variables it depends on
    };

    void read_params(const core::Entries& params);
    void read_learn(const core::Entries& learn);
    void read_let(const core::Entries& let);
    void define(const std::string& name, std::vector<std::string>& chain);
    bool accept_name(const core::Entry& entry);
    formula::Node parse(const formula::Source& source, core::Problems& problems) const;
    formula::Node resolve(const formula::Node& tree, const formula::Source& source) const;

    Scheme& scheme_;
    core::Problems& problems_;
    ParamsAs params_as_;
    std::vector<std::string> names_;  ///< all that were accepted
    std::map<std::string, Definition, std::less<>> definitions_;
    std::map<std::string, formula::Source, std::less<>> sources_;
    std::vector<formula::Replacement> replacements_;       ///< params, then let names as they become known
    mutable std::map<std::string, formula::Node> parsed_;  ///< texts without errors
};

}  // namespace farfield::scheme
