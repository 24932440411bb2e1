#include "recheck/recheck.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "recheck/evaluator.hpp"
#include "recheck/recompute.hpp"
#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

/// The record is impossible: a recorded enclosure and the recomputed one have no value in common.
class Contradiction : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The precisions of the attempts, in bits: the first is fast, and the last decides values near a bound.
constexpr std::array<long, 2> attempts = {80, 320};

std::string shown(const Number& number) {
    if (number.exact() && number.exact()->bits() < 200) return text(*number.exact());
    const Interval x = number.interval();
    return "[" + text(x.lo, 17) + ", " + text(x.hi, 17) + "]";
}

/// The start of a cell's name if its decimal is meant; no other name has a space there.
const std::string printed = " printed ";

/// A condition of a claim over recomputed quantities.
class Condition {
public:
    Condition(Recomputation& quantities, const Reading& reading)
        : quantities_(quantities), evaluator_([this](const Tree& node, const std::vector<Number>& indexes) {
              return mentioned(node, indexes);
          }) {
        for (const auto& [name, decimal] : reading.given) {
            const std::optional<Rational> value = read_rational(decimal);
            if (!value) throw Unprovable("the threshold '" + name + "' is not a decimal");
            given_.emplace_back(name, Number(*value));
        }
        tree_ = expanded(parse_tree(reading.holds));
    }

    /// Not decided if an all() or exists() has no number between its bounds, because it then says nothing of the
    /// results.
    Truth truth() {
        const Truth truth = evaluator_.truth(tree_, given_);
        return evaluator_.has_empty_range() ? Truth::maybe : truth;
    }
    /// A recorded number that differs from the recomputed one; empty if there is none.
    const std::string& other_number() const { return other_number_; }

private:
    /// Expands rounds() and about() as docs/verdicts.md defines them.
    static Node expanded(const Node& tree) {
        std::vector<Node> parts;
        for (const Node& part : tree->parts) parts.push_back(expanded(part));
        if (tree->op == Op::number || parts.empty()) return tree;
        if (tree->op != Op::call) return make(tree->op, tree->name, std::move(parts));
        if (tree->name == "rounds" && parts.size() == 2 && parts[1]->op == Op::text) {
            const std::optional<Rational> value = read_rational(parts[1]->name);
            if (!value) throw Unprovable("rounds() without a decimal");
            return within(parts[0], make_number(*value), make_number(half_unit(parts[1]->name)));
        }
        if (tree->name == "about" && parts.size() == 3)
            return within(parts[0], parts[1], make(Op::multiply, "", {parts[2], make(Op::abs, "", {parts[1]})}));
        if (tree->name == "printed" && parts.size() == 1 && parts[0]->op == Op::lookup)
            return make(Op::lookup, printed + parts[0]->name, parts[0]->parts);
        throw Unprovable("the recheck does not support the function '" + tree->name + "'");
    }

    static Node within(const Node& a, const Node& b, const Node& bound) {
        return make(Op::less_equal, "", {make(Op::abs, "", {make(Op::subtract, "", {a, b})}), bound});
    }

    Number mentioned(const Tree& node, const std::vector<Number>& indexes) {
        if (node.op == Op::lookup) return looked_up(node, indexes);
        const auto [name, field] = split(node.name);
        return checked_field(name, field.empty() ? "value" : field);
    }

    /// The quantity and the field of a name, which are separated by the point outside brackets.
    static std::pair<std::string, std::string> split(const std::string& name) {
        int depth = 0;
        for (std::size_t i = 0; i < name.size(); ++i) {
            depth += name[i] == '[' ? 1 : name[i] == ']' ? -1 : 0;
            if (name[i] == '.' && depth == 0) return {name.substr(0, i), name.substr(i + 1)};
        }
        return {name, ""};
    }

    Number checked_field(const std::string& name, const std::string& field) {
        const Quantity& quantity = quantities_.declared(name);
        Number found = quantities_.at(name).field(field);
        const auto recorded = quantity.enclosures.find(field);
        if (recorded != quantity.enclosures.end() && found.defined() == Truth::yes) {
            const auto& [lo, hi] = recorded->second;
            const Number least{Interval{Float(lo), Float(lo)}};
            const Number most{Interval{Float(hi), Float(hi)}};
            if (less(found, least) == Truth::yes || less(most, found) == Truth::yes)
                throw Contradiction(name + "." + field + " is on record in [" + text(Float(lo), 17) + ", " +
                                    text(Float(hi), 17) + "] and was found in " + shown(found));
        }
        check_number(name + "." + field, quantity, field, found);
        return found;
    }

    /// The recorded number is for readers, and no verdict rests on it, but it must not be another number. Doubles may
    /// differ by a part in 10^9, as in comparisons of the results of two processors.
    void check_number(const std::string& what, const Quantity& quantity, const std::string& field,
                      const Number& found) {
        const auto recorded = quantity.values.find(field);
        if (recorded == quantity.values.end() || found.defined() != Truth::yes || found.infinite() != 0) return;
        if (!recorded->second) other_number_ = what + " does not exist on record, and was found in " + shown(found);
        if (!recorded->second || std::isnan(*recorded->second)) return;
        if (std::isinf(*recorded->second)) return check_infinity(what, *recorded->second, found);
        const Number number(of_double(*recorded->second));
        // Numbers below the normal doubles are rounded to multiples of the smallest one.
        const Number slack = abs(number) * Number(Rational(1, 1'000'000'000)) +
                             Number(of_double(std::numeric_limits<double>::denorm_min()));
        if (less(number + slack, found) == Truth::yes || less(found, number - slack) == Truth::yes)
            other_number_ =
                what + " is on record as " + text(Float(*recorded->second), 17) + ", and was found in " + shown(found);
    }

    /// A number that is too large for a double is recorded as infinite.
    void check_infinity(const std::string& what, double recorded, const Number& found) {
        const Number largest(of_double(std::copysign(std::numeric_limits<double>::max(), recorded)));
        const Truth is_smaller = recorded > 0 ? less(found, largest) : less(largest, found);
        if (is_smaller == Truth::yes)
            other_number_ =
                what + " is on record as " + (recorded > 0 ? "inf" : "-inf") + ", and was found in " + shown(found);
    }

    static std::optional<long> whole(const Number& number) {
        return number.exact() ? whole_number(*number.exact()) : std::nullopt;
    }

    Number looked_up(const Tree& node, const std::vector<Number>& indexes) {
        const bool as_decimal = node.name.starts_with(printed);
        const auto [name, column] = split(as_decimal ? node.name.substr(printed.size()) : node.name);
        const Quantity& quantity = quantities_.declared(name);
        if (quantity.kind == "table") return cell(quantity, node, indexes, as_decimal);
        if (as_decimal) throw Unprovable("printed() of what is not a table");
        if (indexes.size() == 1 && node.parts.front()->op == Op::text)
            return checked_field(name, column + "[" + node.parts.front()->name + "]");
        if (indexes.size() != 1 || !indexes.front().exact())
            throw Unprovable("an index of '" + name + "' that is not known exactly");
        return entry(name, column.empty() ? default_column(quantity) : column, *indexes.front().exact());
    }

    static std::string default_column(const Quantity& quantity) {
        return quantity.kind == "logit-error" ? "error" : "value";
    }

    Number entry(const std::string& name, const std::string& column, const Rational& at) {
        Computed& series = quantities_.at(name);
        const long count = series.points();
        if (count == 0) throw Unprovable("the recheck has no series of '" + name + "'");
        // Coordinates increase; find the first that is not below.
        long low = 0;
        long high = count;
        while (low < high) {
            const long middle = low + (high - low) / 2;
            if (series.point(middle) < at)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == count || !(series.point(low) == at)) return Number::nowhere();
        return series.entry(column, low);
    }

    Number cell(const Quantity& table, const Tree& node, const std::vector<Number>& indexes, bool as_decimal) {
        if (indexes.size() != 2) throw Unprovable("a cell of '" + table.name + "' without row and column");
        const auto place = [&](std::size_t which, const std::vector<std::string>& names) -> std::optional<std::size_t> {
            if (node.parts[which]->op == Op::text) {
                const auto found = std::find(names.begin(), names.end(), node.parts[which]->name);
                if (found == names.end()) return std::nullopt;
                return static_cast<std::size_t>(found - names.begin());
            }
            const std::optional<long> at = whole(indexes[which]);
            if (!at || *at < 0 || *at >= static_cast<long>(names.size())) return std::nullopt;
            return static_cast<std::size_t>(*at);
        };
        const auto row = place(0, table.rows);
        const auto column = place(1, table.columns);
        return row && column ? printed_number(table, *row, *column, as_decimal) : Number::nowhere();
    }

    Recomputation& quantities_;
    Evaluator evaluator_;
    Evaluator::Box given_;
    Node tree_;
    std::string other_number_;
};

Checked compared(const Reading& reading, Truth truth) {
    const bool is_confirmed = reading.verdict == "confirmed" || reading.verdict == "consistent";
    const Truth recorded = is_confirmed ? Truth::yes : reading.verdict == "refuted" ? Truth::no : Truth::maybe;
    if (is_confirmed && reading.covers_part != (reading.verdict == "consistent"))
        return {reading.name, Outcome::contradicted,
                "on record as '" + reading.verdict + "', and it covers " +
                    (reading.covers_part ? "a part of the claim" : "the whole claim")};
    if (recorded == Truth::maybe)
        return {reading.name, Outcome::contradicted, "a certified reading is on record as '" + reading.verdict + "'"};
    if (truth == recorded) return {reading.name, Outcome::proved, ""};
    if (truth == Truth::maybe)
        return {reading.name, Outcome::open, "the values computed again leave the condition undecided"};
    return {reading.name, Outcome::contradicted,
            "on record as " + reading.verdict + ", and the condition " + (truth == Truth::yes ? "holds" : "fails") +
                " for the values computed again"};
}

/// The recomputations of one file, one for each precision.
class Attempts {
public:
    explicit Attempts(const Results& results) {
        for (std::size_t i = 0; i < attempts.size(); ++i) made_.push_back(std::make_unique<Recomputation>(results));
    }

    Checked check(const Reading& reading) {
        Checked checked;
        for (std::size_t i = 0; i < attempts.size(); ++i) {
            checked = attempt(reading, i);
            if (checked.outcome != Outcome::open) break;
        }
        return checked;
    }

private:
    Checked attempt(const Reading& reading, std::size_t which) const try {
        const Precision precision(attempts[which]);
        Condition condition(*made_[which], reading);
        Checked checked = compared(reading, condition.truth());
        if (checked.outcome == Outcome::proved && !condition.other_number().empty())
            checked = {reading.name, Outcome::open, condition.other_number()};
        return checked;
    } catch (const Contradiction& found) {
        return {reading.name, Outcome::contradicted, found.what()};
    } catch (const std::runtime_error& error) {
        return {reading.name, Outcome::open, error.what()};
    }

    std::vector<std::unique_ptr<Recomputation>> made_;
};

/// The claim's verdict from those of its readings, by the table of docs/verdicts.md.
std::string combined(const Claim& claim) {
    std::size_t counted = 0;
    std::size_t confirmed = 0;
    std::size_t consistent = 0;
    std::size_t refuted = 0;
    for (const Reading& reading : claim.readings) {
        if (reading.is_extra) continue;
        ++counted;
        confirmed += reading.verdict == "confirmed" ? 1 : 0;
        consistent += reading.verdict == "consistent" ? 1 : 0;
        refuted += reading.verdict == "refuted" ? 1 : 0;
    }
    if (counted > 0 && confirmed == counted) return "confirmed";
    if (counted > 0 && confirmed + consistent == counted) return "consistent";
    if (counted > 0 && refuted == counted) return "refuted";
    return confirmed + consistent > 0 && refuted > 0 ? "depends" : "undecided";
}

bool is_fully_certified(const Claim& claim) {
    return std::all_of(claim.readings.begin(), claim.readings.end(),
                       [](const Reading& reading) { return reading.is_extra || reading.is_certified; });
}

}  // namespace

Outcome CheckedClaim::outcome() const {
    if (!why.empty()) return Outcome::contradicted;
    Outcome worst = Outcome::proved;
    for (const Checked& reading : readings) worst = std::max(worst, reading.outcome);
    return worst;
}

std::vector<CheckedClaim> recheck(const std::string& results_json) {
    const Results results = read_results(results_json);
    Attempts all(results);
    std::vector<CheckedClaim> claims;
    for (const Claim& claim : results.claims) {
        CheckedClaim checked{results.study, claim.id, claim.verdict, claim.is_certified, {}, ""};
        for (const Reading& reading : claim.readings)
            if (reading.is_certified) checked.readings.push_back(all.check(reading));
        if (claim.is_certified && combined(claim) != claim.verdict)
            checked.why =
                "its readings make it '" + combined(claim) + "', and it is on record as '" + claim.verdict + "'";
        if (claim.is_certified && !is_fully_certified(claim))
            checked.why = "it is on record as certified, and one of its readings is not";
        if (claim.is_certified || !checked.readings.empty()) claims.push_back(std::move(checked));
    }
    return claims;
}

}  // namespace farfield::recheck
