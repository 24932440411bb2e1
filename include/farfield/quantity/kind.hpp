// A kind of quantity: its keys, and how a declared one is prepared and computed.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/keys.hpp>
#include <farfield/core/table.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::quantity {

/// The names and keys on which the result of a quantity depends, collected while its kind reads the declaration. Every
/// other name or key of the declaration is unused.
struct Uses {
    std::set<std::string, std::less<>> names;  ///< params, let and learned names and variables behind its formulas
    std::set<std::string, std::less<>> keys;   ///< of scheme_selection_keys(), read by the kind itself
};

/// A [quantity.NAME] of a study, before anything is computed.
struct Declaration {
    std::string name;
    core::Place place;  ///< of its heading
    const core::Entries& settings;
    const scheme::Registry& schemes;
    std::vector<std::string> known;           ///< names of the study's quantities, for `of`, `a`, `b`
    std::string folder;                       ///< where relative file names start
    std::span<const std::string> items = {};  ///< names of the quantities with sweeps written out, in the file's order
    std::shared_ptr<Uses> uses = std::make_shared<Uses>();
};

/// The inputs of a quantity during its computation: the finished results on which it depends.
struct Inputs {
    std::function<const core::Result&(std::string_view name)> result;
    std::function<bool()> interrupted = [] { return false; };
};

/// What holds of a quantity by its declaration alone (src/quantity/definition.hpp).
struct Definition;
/// The definition of another quantity of the study; an empty one if nothing is known.
using DefinitionOf = std::function<const Definition&(std::string_view name)>;

/// A checked quantity, ready to run.
class Prepared {
public:
    virtual ~Prepared() = default;
    /// Names of the quantities whose results this quantity reads.
    virtual std::vector<std::string> needs() const { return {}; }
    /// Estimated cost in operations of a double; a run refuses what would take days (docs/study.md says the limit).
    virtual double cost() const { return 1; }
    /// The typical cost. It differs from cost() if cost() is the budget of a search, which few searches use up.
    virtual double usual_cost() const { return cost(); }
    /// Adds what holds by definition for this declaration, in addition to the facts of its kind: the domain of its
    /// arguments, the points of its series. A claim that only repeats or contradicts it is refused.
    virtual void define(const DefinitionOf&, Definition&) const {}
    /// Computes the quantity. Throws core::UserError with the place for an error in the study (a NaN with its first
    /// index, a fit with fewer points than parameters), and core::MissingError for a failure outside the program.
    virtual core::Result run(const Inputs& inputs) const = 0;
};

/// What a kind that searches a domain asks of it; each value includes the previous ones.
enum class SearchRule {
    none,    ///< no search: the domain may be one point, and a single variable may be unused
    range,   ///< the domain has more than one point
    used,    ///< the formulas depend on each variable
    varied,  ///< the formula is not constant by its form, as x - x is
};

/// One row of the catalogue. `keys` are the keys of this kind. `kind`, `sweep` and, if `takes_scheme`, the keys of
/// scheme_selection_keys() are valid in addition. `facts` are comparisons of fields, joined by `and`, that hold by
/// definition ("max >= min and share <= 1"): a claim that only repeats or contradicts them is refused. `count ==
/// floor(count)` states that a field is an integer, `sign != 0` excludes a number, and `value[n] <= max`, with the
/// entry on the left, is about all rows of a series. An inequality that a paper proves does not belong here, because it
/// may be a claim. What depends on the declaration is stated by Prepared::define().
struct Kind {
    std::string_view name;
    std::string_view summary;
    std::span<const core::Key> keys;
    bool takes_scheme = false;
    std::unique_ptr<Prepared> (*prepare)(const Declaration&, core::Problems&) = nullptr;  ///< called by prepare() alone
    SearchRule search = SearchRule::none;
    std::vector<std::string_view> facts = {};
};

/// Checks a declaration and returns the quantity, ready to run. The checks common to all kinds find names that shadow
/// others, heads and layers out of range, distances that are not integers, and unused params and let names. Null if a
/// problem was added.
std::unique_ptr<Prepared> prepare(const Kind& kind, const Declaration& declaration, core::Problems& problems);

/// Whether the result of a prepared quantity depends on the key of its selection.
bool depends_on(const Declaration& declaration, std::string_view key);

/// Every kind, in the order of the documentation (src/quantity/catalogue.cpp).
std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);

/// scheme, formula, let, head, heads, head_dim, width, length, train_length, layer, layers, params.
std::span<const core::Key> scheme_selection_keys();

}  // namespace farfield::quantity
