#include "evaluate/tape.hpp"

#include <algorithm>

#include <farfield/formula/printer.hpp>

#include "evaluate/closed.hpp"

namespace farfield::evaluate {

using formula::Kind;
using formula::Node;
using formula::Op;

namespace {

constexpr const char* too_many = "more than 1000000 operations";
static_assert(Tape::most_operations == 1'000'000);

}  // namespace

class TapeBuilder {
public:
    TapeBuilder(const std::vector<std::string>& inputs, std::string& problem) : inputs_(inputs), problem_(problem) {
        tape_.inputs_ = inputs.size();
        for (std::uint32_t i = 0; i < inputs.size(); ++i) {
            Operation input;
            input.kind = Operation::Kind::input;
            input.input = i;
            input.source = formula::make_name(inputs[i]);
            tape_.operations_.push_back(input);
        }
    }

    std::optional<Tape> run(const Node& tree) {
        const auto root = value(tree);
        if (!root) return std::nullopt;
        tape_.root_ = *root;
        return std::move(tape_);
    }

private:
    using Index = std::optional<std::uint32_t>;
    using Key = std::tuple<Op, std::uint32_t, std::uint32_t, std::uint32_t>;

    Index fail(std::string why) {
        if (problem_.empty()) problem_ = std::move(why);
        return std::nullopt;
    }

    Index value(const Node& node) {
        switch (node->kind) {
            case Kind::number: return number(node);
            case Kind::name: return name(node);
            case Kind::operation: return operation(node);
            case Kind::reduction: return reduction(node);
            case Kind::index: return fail("a lookup, '" + formula::print(node) + "'");
            case Kind::text:
            case Kind::call: break;
        }
        return fail("'" + formula::print(node) + "'");
    }

    Index number(const Node& node) {
        const std::optional<numerics::Rational> value = numerics::read_rational(node->text);
        return value ? literal(*value, node) : fail("the number " + node->text);
    }

    Index name(const Node& node) {
        for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound)
            if (bound->first == node->text) return literal(bound->second, node);
        const auto found = std::find(inputs_.begin(), inputs_.end(), node->text);
        if (found != inputs_.end()) return static_cast<std::uint32_t>(found - inputs_.begin());
        const auto known = constants_.find(node->text);
        if (known != constants_.end()) return known->second;
        Operation constant;
        constant.kind = Operation::Kind::constant;
        constant.source = node;
        return constants_[node->text] = add(std::move(constant));
    }

    Index literal(const numerics::Rational& number, const Node& source) {
        const auto known = literals_.find(number);
        if (known != literals_.end()) return known->second;
        Operation literal;
        literal.kind = Operation::Kind::literal;
        literal.literal = number;
        literal.source = source;
        return literals_[number] = add(std::move(literal));
    }

    std::uint32_t add(Operation operation) {
        tape_.operations_.push_back(std::move(operation));
        return static_cast<std::uint32_t>(tape_.operations_.size() - 1);
    }

    Index apply(Op op, const std::vector<std::uint32_t>& arguments, const Node& source) {
        if (tape_.operations_.size() >= Tape::most_operations) return fail(too_many);
        Operation operation;
        operation.op = op;
        operation.arity = static_cast<std::uint8_t>(arguments.size());
        std::copy(arguments.begin(), arguments.end(), operation.arguments.begin());
        operation.is_boolean = formula::row(op).result == formula::Type::boolean;
        operation.source = source;
        const Key key{op, operation.arguments[0], operation.arguments[1], operation.arguments[2]};
        const auto known = computed_.find(key);
        if (known != computed_.end()) return known->second;
        return computed_[key] = add(std::move(operation));
    }

    Index operation(const Node& node) {
        std::vector<std::uint32_t> arguments;
        for (const Node& child : node->children) {
            const Index argument = value(child);
            if (!argument) return std::nullopt;
            arguments.push_back(*argument);
        }
        if (node->op != Op::select || !tape_.operations_[arguments[1]].is_boolean)
            return apply(node->op, arguments, node);
        // c ? a : b of conditions is (c and a) or (not c and b).
        const Index yes = apply(Op::logical_and, {arguments[0], arguments[1]}, node);
        const Index is_not = apply(Op::logical_not, {arguments[0]}, node);
        if (!yes || !is_not) return std::nullopt;
        const Index no = apply(Op::logical_and, {*is_not, arguments[2]}, node);
        if (!no) return std::nullopt;
        return apply(Op::logical_or, {*yes, *no}, node);
    }

    std::optional<std::int64_t> bound(const Node& node) {
        ExactValues values;
        values.value = [&](const std::string& name) -> std::optional<numerics::Rational> {
            for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound)
                if (bound->first == name) return bound->second;
            return std::nullopt;
        };
        const std::optional<numerics::Rational> exact = exact_value(node, values);
        return exact ? numerics::counted(*exact) : std::nullopt;
    }

    /// Adds the terms in order; the first is not added to anything.
    Index reduction(const Node& node) {
        if (formula::row(node->op).choice || formula::row(node->op).integral)
            return fail("'" + std::string(formula::row(node->op).spelling) + "'");
        const auto first = bound(node->children[0]);
        const auto last = bound(node->children[1]);
        if (!first || !last) return fail("a loop whose bounds are not numbers, '" + formula::print(node) + "'");
        // Each iteration takes at least one operation, except for a body without the variable.
        if (*last > *first && static_cast<double>(*last) - static_cast<double>(*first) > double{Tape::most_operations})
            return fail(too_many);
        Index folded;
        for (std::int64_t i = *first; i <= *last; ++i) {
            bound_.emplace_back(node->text, i);
            const Index body = value(node->children[2]);
            bound_.pop_back();
            if (!body) return std::nullopt;
            folded = folded ? apply(fold_of(node->op), {*folded, *body}, node) : body;
            if (!folded) return std::nullopt;
        }
        return folded ? folded : empty(node);
    }

    static Op fold_of(Op op) {
        switch (op) {
            case Op::product: return Op::multiply;
            case Op::for_all: return Op::logical_and;
            case Op::for_some: return Op::logical_or;
            default: return Op::add;
        }
    }

    Index empty(const Node& node) {
        const bool is_boolean = formula::row(node->op).result == formula::Type::boolean;
        const bool is_one = node->op == Op::product || node->op == Op::for_all;
        const Index number = literal(is_one ? 1 : 0, node);
        if (!is_boolean) return number;
        const Index zero = literal(0, node);
        return apply(Op::differs, {*number, *zero}, node);
    }

    const std::vector<std::string>& inputs_;
    std::string& problem_;
    Tape tape_;
    std::vector<std::pair<std::string, numerics::Rational>> bound_;
    std::map<std::string, std::uint32_t, std::less<>> constants_;
    std::map<numerics::Rational, std::uint32_t> literals_;
    std::map<Key, std::uint32_t> computed_;
};

std::optional<Tape> Tape::of(const Node& tree, const std::vector<std::string>& inputs, std::string& problem) {
    return TapeBuilder(inputs, problem).run(tree);
}

}  // namespace farfield::evaluate
