// Names, argument counts and types of a tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// What a name means to a formula. `indexes` has a type for each index of a table (`weight[j]` has one real, a
/// published table two texts); it is empty for a plain name. A series may be indexed and carries one real.
struct Symbol {
    std::string name;
    Type type = Type::real;
    std::vector<Type> indexes;
};

/// The names that a formula may use. The constants pi, e and inf are known everywhere, and no name may shadow them.
class Scope {
public:
    /// What a call of an unknown function may mean instead, for messages.
    std::string call_hint = {};

    Scope() = default;
    explicit Scope(std::vector<std::string> reals);
    void add(std::string name);
    void add(Symbol symbol);
    /// All symbols of that name (a quantity's field may be both a value and, indexed, a series).
    std::vector<const Symbol*> find(std::string_view name) const;
    std::vector<std::string> names() const;

private:
    std::vector<Symbol> symbols_;
};

/// Checks the tree and returns its type; problems are added with places: unknown names and functions with the nearest
/// known one, wrong argument counts, booleans where reals are expected and the reverse, a reduction variable that
/// shadows a name. Returns nothing if there was a problem.
std::optional<Type> check(const Node& tree, const Scope& scope, const Source& source, core::Problems& problems);

/// parse() and check() together: the tree, of the type wanted; throws core::UserError with all problems.
Node parse_checked(const Source& source, const Scope& scope, Type wanted);

}  // namespace farfield::formula
