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

/// What the result of a quantity depends on, gathered while its kind reads it: of the names and keys that the
/// declaration gives, any other is unused.
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

/// What a quantity may read while it is computed: finished results it depends on.
struct Inputs {
    std::function<const core::Result&(std::string_view name)> result;
    std::function<bool()> interrupted = [] { return false; };
};

/// A checked quantity, ready to run.
class Prepared {
public:
    virtual ~Prepared() = default;
    /// Names of the quantities whose results it reads.
    virtual std::vector<std::string> needs() const { return {}; }
    /// Estimated cost in operations of a double; a run refuses what would take days (docs/study.md says the limit).
    virtual double cost() const { return 1; }
    /// The same as it mostly turns out, where cost() is the budget of a search that few use up.
    virtual double usual_cost() const { return cost(); }
    /// Computes it. Throws core::UserError with the place where the study is at fault (a NaN with its first index, a
    /// fit with fewer points than parameters), core::MissingError where the world is.
    virtual core::Result run(const Inputs& inputs) const = 0;
};

/// One row of the catalogue. `keys` are its own keys; `kind`, `sweep` and, where `takes_scheme`, the keys of
/// scheme_selection_keys() are known beside them.
struct Kind {
    std::string_view name;
    std::string_view summary;
    std::span<const core::Key> keys;
    bool takes_scheme = false;
    std::unique_ptr<Prepared> (*prepare)(const Declaration&, core::Problems&) = nullptr;  ///< called by prepare() alone
};

/// The quantity, ready to run, after what every kind has in common was checked: names that hide others, heads and
/// layers out of range, distances between positions, params and let names that nothing depends on. Null if a problem
/// was added.
std::unique_ptr<Prepared> prepare(const Kind& kind, const Declaration& declaration, core::Problems& problems);

/// Whether the result of a prepared quantity depends on the key of its selection.
bool depends_on(const Declaration& declaration, std::string_view key);

/// Every kind, in the order of the documentation (src/quantity/catalogue.cpp).
std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);

/// scheme, formula, let, head, heads, head_dim, width, length, train_length, layer, layers, params.
std::span<const core::Key> scheme_selection_keys();

}  // namespace farfield::quantity
