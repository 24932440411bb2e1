// Compiles a tree into a flat program by value numbering: each distinct subexpression becomes one row, in the outermost
// scope in which all its inputs are known.
#include <algorithm>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

namespace farfield::formula {
namespace {

/// A register of reals or booleans, and what it depends on: the loops (one bit each) and the points.
struct Value {
    Type type = Type::real;
    std::uint32_t index = 0;
    std::uint64_t loops = 0;
    bool varying = false;
};

constexpr std::uint64_t most_nested_loops = 32;

/// The values that one iteration of a loop passes to its accumulators.
struct Turn {
    Value folded;  ///< the body; for a choice, the integer
    Value best;    ///< for a choice, the best body so far
};

/// For an integral: the body where it is proved to have a value, and its fourth derivative where it is proved to be
/// analytic; undefined elsewhere.
struct Integrand {
    Node value;
    Node fourth;
};

constexpr std::size_t largest_derivative = 20'000;

Node undefined_number() {
    return make(Op::divide, {make_number("0"), make_number("0")});
}

Node where(const Condition& condition, const Node& tree) {
    if (condition.is_always()) return tree;
    if (condition.kind == Condition::Kind::never) return undefined_number();
    return make(Op::select, {condition.tree, tree, undefined_number()});
}

Integrand integrand_of(const Node& body, const std::string& variable) {
    Integrand result{where(defined_by_inputs(body), body), undefined_number()};
    const Condition is_smooth = regular_by_inputs(body, Regularity::smooth, {variable});
    if (is_smooth.kind == Condition::Kind::never) return result;
    Node slope = body;
    for (int order = 0; order < 4; ++order) {
        slope = derivative(slope, variable);
        if (slope->nodes > largest_derivative || slope->depth >= deepest_tree) return result;
    }
    result.fourth = where(both(is_smooth, defined_by_inputs(slope)), slope);
    return result;
}

/// The rows of one scope (the whole program or the body of a loop), before loops are laid out flat.
struct Block;

struct Item {
    Instruction row;
    std::unique_ptr<Block> body;  ///< of a loop
    Turn turn;
};

struct Block {
    std::vector<Item> items;
};

class Compiler {
public:
    explicit Compiler(const Signature& signature) {
        program_.signature = signature;
        scopes_.push_back({&uniform_, 0});
        scopes_.push_back({&varying_, 0});
    }

    Program run(const Node& tree) {
        collect_constants(tree);
        program_.real_registers = static_cast<std::uint32_t>(program_.constants.size());
        program_.real_varies.assign(program_.constants.size(), 0);
        for (const std::string& name : program_.signature.uniform) input(name, false);
        for (const std::string& name : program_.signature.varying) input(name, true);
        const Value result = value(tree);
        program_.result = result.index;
        program_.type = result.type;
        lay_out(uniform_, 0);
        program_.varying_begin = program_.rows.size();
        lay_out(varying_, 0);
        return std::move(program_);
    }

private:
    /// A place where rows can be added: the block, and the loop whose body it is (one bit; 0 for the whole program).
    struct Place {
        Block* block;
        std::uint64_t loop;
    };

    using Key = std::tuple<Step, Op, std::uint32_t, std::uint32_t, std::uint32_t>;

    void constant(const std::string& text, double number) {
        for (const std::string& known : program_.constant_texts) {
            if (known == text) return;
        }
        program_.constant_texts.push_back(text);
        program_.constants.push_back(number);
    }

    Value bound(const Node& node) {
        const std::optional<LiteralBound> literal = literal_bound(node);
        return literal ? name(literal->text) : value(node);
    }

    void collect_constants(const Node& node) {
        if (node->kind == Kind::number) constant(node->text, node->number);
        if (node->kind == Kind::name && node->text == "pi") constant("pi", std::numbers::pi);
        if (node->kind == Kind::name && node->text == "e") constant("e", std::numbers::e);
        if (node->kind == Kind::name && node->text == "inf") constant("inf", std::numeric_limits<double>::infinity());
        if (node->kind == Kind::reduction && row(node->op).integral) {
            const auto [made, is_new] = integrands_.try_emplace(node.get());
            if (!is_new) return;
            made->second = integrand_of(node->children[2], node->text);
            const Integrand integrand = made->second;
            for (const Node& part : {integrand.value, integrand.fourth}) collect_constants(part);
        }
        const bool counts = node->kind == Kind::reduction && !row(node->op).integral;
        for (std::size_t i = 0; i < node->children.size(); ++i) {
            const auto literal = counts && i < 2 ? literal_bound(node->children[i]) : std::nullopt;
            if (literal)
                constant(literal->text, literal->number);
            else
                collect_constants(node->children[i]);
        }
    }

    Value fresh(Type type, std::uint64_t loops, bool varying) {
        const bool real = type == Type::real;
        std::uint32_t& count = real ? program_.real_registers : program_.boolean_registers;
        (real ? program_.real_varies : program_.boolean_varies).push_back(varying);
        return {type, count++, loops, varying};
    }

    void input(const std::string& name, bool varying) { inputs_[name] = fresh(Type::real, 0, varying); }

    Value name(const std::string& text) {
        for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound) {
            if (bound->first == text) return bound->second;
        }
        for (std::size_t at = 0; at < program_.constant_texts.size(); ++at) {
            if (program_.constant_texts[at] == text) return {Type::real, static_cast<std::uint32_t>(at), 0, false};
        }
        const auto found = inputs_.find(text);
        if (found == inputs_.end()) {
            throw core::PreconditionError("compile", "name", text, "an input of the program's signature");
        }
        return found->second;
    }

    /// The outermost scope in which everything the row reads is known.
    std::size_t scope_for(std::uint64_t loops, bool varying) const {
        std::size_t best = varying ? 1 : 0;
        for (std::size_t at = 2; at < scopes_.size(); ++at) {
            if (scopes_[at].loop & loops) best = at;
        }
        return best;
    }

    Value emit(Instruction row, Type type, std::uint64_t loops, bool varying) {
        const Key key{row.step, row.op, row.a, row.b, row.c};
        const auto known = computed_.find(key);
        if (known != computed_.end()) return known->second;
        const Value result = fresh(type, loops, varying);
        row.dest = result.index;
        row.varying = varying;
        scopes_[scope_for(loops, varying)].block->items.push_back({row, nullptr, {}});
        computed_.emplace(key, result);
        return result;
    }

    Value value(const Node& node) {
        switch (node->kind) {
            case Kind::number:
            case Kind::name: return name(node->text);
            case Kind::index: return lookup(*node);
            case Kind::operation: return operation(*node);
            case Kind::reduction: return reduction(node);
            case Kind::text:
            case Kind::call: break;
        }
        throw core::PreconditionError("compile", "node", node->text, "a checked tree without texts and calls");
    }

    static Instruction blank(Step step, Op op) {
        Instruction row{};
        row.step = step;
        row.op = op;
        return row;
    }

    Value lookup(const Tree& node) {
        const auto& tables = program_.signature.tables;
        std::uint32_t table = 0;
        while (table < tables.size() && tables[table] != node.text) ++table;
        if (table == tables.size() || node.children.size() != 1) {
            throw core::PreconditionError("compile", "table", node.text,
                                          "a table of the program's signature with one index");
        }
        const Value at = value(node.children[0]);
        Instruction row = blank(Step::lookup, Op::add);
        row.a = at.index;
        row.b = table;
        return emit(row, Type::real, at.loops, at.varying);
    }

    Value operation(const Tree& node) {
        std::vector<Value> arguments;
        for (const Node& child : node.children) arguments.push_back(value(child));
        if (node.op == Op::select && arguments[1].type == Type::boolean) return boolean_select(arguments);
        return apply(node.op, arguments);
    }

    Value apply(Op op, const std::vector<Value>& arguments) {
        Instruction row = blank(Step::operation, op);
        std::uint64_t loops = 0;
        bool varying = false;
        std::uint32_t* const operands[] = {&row.a, &row.b, &row.c};
        for (std::size_t at = 0; at < arguments.size(); ++at) {
            *operands[at] = arguments[at].index;
            loops |= arguments[at].loops;
            varying = varying || arguments[at].varying;
        }
        return emit(row, formula::row(op).result, loops, varying);
    }

    /// c ? a : b of conditions is (c and a) or (not c and b).
    Value boolean_select(const std::vector<Value>& arguments) {
        const Value yes = apply(Op::logical_and, {arguments[0], arguments[1]});
        const Value no = apply(Op::logical_and, {apply(Op::logical_not, {arguments[0]}), arguments[2]});
        return apply(Op::logical_or, {yes, no});
    }

    /// A reduction already computed, with the same meaning of its names.
    struct KnownReduction {
        Node node;
        std::vector<std::uint32_t> names;
        Value value;
    };

    std::vector<std::uint32_t> registers_of_names(const Node& node) {
        std::vector<std::uint32_t> registers;
        for (const std::string& text : free_names(node)) registers.push_back(name(text).index);
        return registers;
    }

    Value reduction(const Node& node) {
        const std::vector<std::uint32_t> names = registers_of_names(node);
        for (const KnownReduction& known : reductions_) {
            if (known.names == names && equal(known.node, node)) return known.value;
        }
        const Value result = new_reduction(*node);
        reductions_.push_back({node, names, result});
        return result;
    }

    Value new_reduction(const Tree& node) {
        const bool is_integral = formula::row(node.op).integral;
        const Value from = is_integral ? value(node.children[0]) : bound(node.children[0]);
        const Value to = is_integral ? value(node.children[1]) : bound(node.children[1]);
        const std::uint64_t bit = std::uint64_t{1} << open_loops_;
        if (open_loops_ + 1 >= most_nested_loops) {
            throw core::PreconditionError("compile", "reductions", std::to_string(open_loops_ + 1),
                                          "fewer inside each other");
        }
        ++open_loops_;
        auto body = std::make_unique<Block>();
        const std::uint64_t outer = from.loops | to.loops;
        const bool bounds_vary = from.varying || to.varying;
        const Value variable = fresh(Type::real, bit | outer, bounds_vary);
        scopes_.push_back({body.get(), bit});
        bound_.emplace_back(node.text, variable);
        const Value result = value(is_integral ? integrands_.at(&node).value : node.children[2]);
        const Value fourth = is_integral ? value(integrands_.at(&node).fourth) : Value{};
        bound_.pop_back();
        const std::uint64_t loops = ((result.loops | fourth.loops) & ~bit) | outer;
        const bool varies = bounds_vary || result.varying || fourth.varying;
        const Value accumulator = fresh(formula::row(node.op).result, loops, varies);
        const Turn turn = formula::row(node.op).choice ? turn_of_choice(node.op, accumulator, bit, variable, result)
                                                       : Turn{result, fourth};
        scopes_.pop_back();
        --open_loops_;
        return loop({node.op, from, to, variable, accumulator}, std::move(body), turn);
    }

    struct Choice {
        Op better;
        Op best;
    };

    static Choice choice_of(Op op) {
#define CHOICE(name, spelling, better, best, worst, latex, meaning) \
    if (op == Op::name) return {Op::better, Op::best};
#include <farfield/formula/operators.def>
        throw core::PreconditionError("compile", "op", formula::row(op).spelling, "a choice");
    }

    /// The last rows of a choice's body are operators of the language, so that an evaluator needs no function for it.
    /// max(min(best, i), i) is i, including the sign of a zero, unless best is NaN.
    Turn turn_of_choice(Op op, Value kept, std::uint64_t loop, const Value& variable, const Value& body) {
        const auto [better, best] = choice_of(op);
        Value before = fresh(Type::real, kept.loops, kept.varying);
        before.loops |= loop;
        kept.loops |= loop;
        const Value index = apply(Op::select, {apply(better, {body, before}), variable, kept});
        const Value now = apply(best, {before, body});
        return {apply(Op::maximum, {apply(Op::minimum, {now, index}), index}), now};
    }

    struct Loop {
        Op op;
        Value from, to, variable, accumulator;
    };

    Value loop(const Loop& found, std::unique_ptr<Block> body, const Turn& turn) {
        Instruction row = blank(Step::loop_begin, found.op);
        row.dest = found.accumulator.index;
        row.a = found.from.index;
        row.b = found.to.index;
        row.variable = found.variable.index;
        row.varying = found.accumulator.varying;
        const std::size_t scope = scope_for(found.accumulator.loops, row.varying);
        scopes_[scope].block->items.push_back({row, std::move(body), turn});
        return found.accumulator;
    }

    void lay_out(Block& block, std::uint8_t depth) {
        for (Item& item : block.items) {
            item.row.depth = depth;
            const std::size_t begin = program_.rows.size();
            program_.rows.push_back(item.row);
            if (!item.body) continue;
            lay_out(*item.body, static_cast<std::uint8_t>(depth + 1));
            Instruction end = blank(Step::loop_end, item.row.op);
            end.depth = depth;
            end.varying = item.row.varying;
            end.dest = item.row.dest;
            end.a = item.turn.folded.index;
            end.b = item.turn.best.index;
            end.variable = item.row.variable;
            end.c = static_cast<std::uint32_t>(begin);
            program_.rows[begin].c = static_cast<std::uint32_t>(program_.rows.size());
            program_.rows.push_back(end);
        }
    }

    Program program_;
    Block uniform_;
    Block varying_;
    std::vector<Place> scopes_;
    std::map<std::string, Value> inputs_;
    std::vector<std::pair<std::string, Value>> bound_;
    // Values computed in a loop's body depend on the loop's variable. No row outside the loop reads its register, so
    // such a value is never found again after the loop is closed.
    std::map<Key, Value> computed_;
    std::vector<KnownReduction> reductions_;
    std::unordered_map<const Tree*, Integrand> integrands_;
    std::uint64_t open_loops_ = 0;
};

}  // namespace

Program compile(const Node& tree, const Signature& signature) {
    return Compiler(signature).run(tree);
}

std::optional<LiteralBound> literal_bound(const Node& bound) {
    if (bound->kind == Kind::number) return LiteralBound{bound->text, bound->number};
    if (!free_names(bound).empty()) return std::nullopt;
    const Node simple = simplify(bound);
    const bool is_negative = simple->kind == Kind::operation && simple->op == Op::negate;
    const Node& size = is_negative ? simple->children[0] : simple;
    if (size->kind != Kind::number || std::trunc(size->number) != size->number) return std::nullopt;
    return is_negative ? LiteralBound{"-" + size->text, -size->number} : LiteralBound{size->text, size->number};
}

bool has_integral(const Program& program) {
    return std::any_of(program.rows.begin(), program.rows.end(), [](const Instruction& row) {
        return row.step == Step::loop_begin && formula::row(row.op).integral;
    });
}

bool has_integral(const Node& tree) {
    if (tree->kind == Kind::reduction && row(tree->op).integral) return true;
    return std::any_of(tree->children.begin(), tree->children.end(),
                       [](const Node& child) { return has_integral(child); });
}

}  // namespace farfield::formula
