// Claims of studies against their conditions with formulas in place of results.
#include <algorithm>

#include "recheck/tree.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

using recheck::Interval;
using recheck::Number;
using recheck::Rational;
using recheck::Truth;

/// What rounds to a printed number: half a unit of its last digit to both sides.
Number printed_range(const std::string& printed) {
    const std::size_t exponent = printed.find('e');
    const std::size_t dot = printed.find('.');
    const std::size_t digits = dot == std::string::npos ? 0 : std::min(exponent, printed.size()) - dot - 1;
    Rational half(1, 2);
    const long scale =
        (exponent == std::string::npos ? 0 : std::stol(printed.substr(exponent + 1))) - static_cast<long>(digits);
    for (long i = 0; i < std::abs(scale); ++i) half = scale > 0 ? half * Rational(10) : half / Rational(10);
    const Rational middle = *recheck::read_rational(printed);
    return Number(Interval{recheck::enclose(middle - half).lo, recheck::enclose(middle + half).hi});
}

class Condition {
public:
    Condition(const Question& question, Random& random) : tree_(recheck::parse_tree(question.claim.oracle)) {
        for (const auto& [place, printed] : question.cells)
            point_.emplace_back("cell_" + place, printed_range(printed));
        const std::vector<std::string> values = question.sweep.empty() ? std::vector<std::string>{""} : question.sweep;
        for (const std::string& w : values) {
            std::string name;
            for (const char letter : w) name += letter == '.' ? 'd' : letter == '-' ? 'm' : letter;
            add_extremes(name, w.empty() ? question.formula : with_name(question.formula, "w", w), question, random);
        }
        point_.emplace_back("snug", Number(*recheck::read_rational(question.threshold)));
    }

    Truth with_threshold(const std::string& text) {
        const auto value = recheck::read_rational(text);
        if (!value) return Truth::maybe;
        point_.back().second = Number(*value);
        try {
            return evaluator_.truth(tree_, point_);
        } catch (const recheck::Unprovable&) {
            return Truth::maybe;
        }
    }

    bool lacks() {
        try {
            return lacks_value(tree_, evaluator_, point_);
        } catch (const recheck::Unprovable&) {
            return false;
        }
    }

private:
    void add_extremes(const std::string& name, const std::string& text, const Question& question, Random& random) {
        Formula formula(text);
        std::optional<Number> least, most;
        for (const Point& point : points_of(question, random)) {
            const Number value = formula.at(point);
            least = least ? recheck::min(*least, value) : value;
            most = most ? recheck::max(*most, value) : value;
        }
        point_.emplace_back("least_" + name, *least);
        point_.emplace_back("most_" + name, *most);
    }

    recheck::Node tree_;
    recheck::Evaluator evaluator_;
    Point point_;
};

bool contradicts(core::Verdict verdict, Truth truth) {
    return (verdict == core::Verdict::confirmed && truth == Truth::no) ||
           (verdict == core::Verdict::refuted && truth == Truth::yes);
}

}  // namespace

Outcome judge_study(const Question& question, const core::ClaimRecord& claim, Random& random) {
    const core::ReadingRecord& reading = claim.readings.front();
    const bool is_decided = reading.verdict == core::Verdict::confirmed || reading.verdict == core::Verdict::refuted;
    if (!reading.certified || !is_decided) return {};
    Condition condition(question, random);
    const std::string found = std::string(core::verdict_name(reading.verdict));
    if (condition.lacks()) return wrong(found + ", but a part has no value", "1 == 1");
    if (contradicts(reading.verdict, condition.with_threshold(question.threshold)))
        return wrong(found + ", but the opposite is true: " + question.claim.oracle, "1 == 1");
    for (const core::BreakEven& threshold : reading.break_even) {
        std::vector<std::string> values = {threshold.from, threshold.to};
        const auto from = recheck::read_rational(threshold.from);
        const auto to = recheck::read_rational(threshold.to);
        if (from && to) {
            for (int i = 1; i < 8; ++i) values.push_back(recheck::text(*from + (*to - *from) * Rational(i, 8)));
            // A verdict may turn more than once near the threshold.
            Rational near = *recheck::read_rational(question.threshold) / Rational(256);
            for (int i = 0; i < 32; ++i, near = near * Rational(3, 2))
                if (!(near < *from) && !(*to < near)) values.push_back(recheck::text(near));
        }
        for (const std::string& value : values)
            if (contradicts(reading.verdict, condition.with_threshold(value)))
                return wrong(found + " is reported for snug = " + value, "1 == 1");
        for (const auto& [value, verdict] :
             {std::pair(threshold.below, threshold.verdict_below), std::pair(threshold.above, threshold.verdict_above)})
            if (contradicts(verdict, condition.with_threshold(value)))
                return wrong("the verdict is not another one of snug = " + value, "1 == 1");
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
