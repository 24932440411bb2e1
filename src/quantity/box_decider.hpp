// Decides whether a condition holds on boxes, part by part. What is decided for a box is not checked again for its
// halves.
//
// The condition is treated as a conjunction of clauses, each possibly for all integers of a range ("members"). A
// disjunction is decided by its negation. If the clause of a member holds on a box, it holds on the halves; if it fails
// on all of the box, it refutes the box. If a box stays undecided, the member that came nearest to a refutation is
// tried first on both halves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <farfield/formula/program.hpp>

#include "quantity/box_function.hpp"
#include "quantity/boxes.hpp"

namespace farfield::quantity {

class BoxDecider {
public:
    /// Members of a clause, as distances from the first.
    using Members = std::vector<std::uint32_t>;

    /// The member of a clause that refuted a box, or is expected to.
    struct Refuter {
        std::size_t clause = 0;
        std::uint32_t member = 0;
        bool operator==(const Refuter&) const = default;
    };

    /// A box and the part of the condition that is undecided on it.
    struct Open {
        Box box;
        bool has_value = false;                            ///< proved on all of the box
        std::vector<std::shared_ptr<const Members>> left;  ///< of each clause; null: nothing
        std::vector<bool> is_lipschitz;                    ///< of each clause: proved on all of the box
        std::optional<Refuter> suspect;
        bool needs_digits = false;  ///< undecided, and only the rounding of doubles can be the reason

        std::size_t size() const;
    };

    BoxDecider(const formula::Node& condition, const Domain& domain);

    Open whole() const;
    /// Decides the condition on all of the box. If it stays undecided, `open` keeps what must be checked on its halves;
    /// if a clause failed, `open.suspect` is its member. With `rigorous`, numbers are computed at 128 bits, and a
    /// single point is decided exactly if possible.
    Answer decide(Open& open, evaluate::Enclosing how) const;
    /// "m = 37" for the member; empty for a clause without members.
    std::string text(const Refuter& refuter) const;
    /// Whether the condition is the negation of the clauses; then a refuter proves that the condition holds.
    bool is_opposite() const { return is_opposite_; }

private:
    /// A condition on the domain's variables and `variable`, from `first` on.
    struct Clause {
        formula::Node body;
        std::string variable;  ///< empty: no members
        std::int64_t first = 0;
        std::size_t count = 1;
        std::optional<formula::Op> comparison = {};  ///< the comparison of `difference` with zero
        formula::Program program = {};               ///< of the difference, or of the body
        std::vector<formula::Program> slopes = {};   ///< of the difference, by the domain's variables
        std::optional<BoxCondition> is_lipschitz = {};
    };
    struct Split;

    Answer decide_clauses(Open& open, evaluate::Enclosing how) const;
    std::vector<Answer> answers(const Clause& clause, const Box& box, const Members& members, evaluate::Enclosing how,
                                std::vector<double>& nearness) const;
    Members failing_at_centre(const Clause& clause, const Box& box, const Members& members) const;
    std::vector<Answer> answers_of_all(const Clause& clause, const Box& box, const Members& members,
                                       evaluate::Enclosing how, std::vector<double>& nearness) const;
    std::vector<Answer> answers_of_open(const Clause& clause, const Box& box, const Members& members,
                                        std::vector<double>& nearness) const;
    bool use_slopes(const Clause& clause, const Box& box, const Members& members, std::vector<Answer>& found) const;
    std::vector<core::Enclosure> enclose(const Clause& clause, const formula::Program& program, const Box& box,
                                         const Members& members, evaluate::Enclosing how) const;
    evaluate::EnclosedInputs inputs(const Clause& clause, const Box& box, const Members& members) const;
    Answer exactly(const Box& point) const;
    void prepare(Clause& clause) const;

    formula::Node condition_;
    const Domain& domain_;
    bool is_opposite_ = false;
    BoxCondition has_value_;
    std::vector<Clause> clauses_;
};

}  // namespace farfield::quantity
