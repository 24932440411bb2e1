// The kinds that use only the bias or mask of attention: profile, receptive field, resolution.
#include <algorithm>

#include "recheck/curves.hpp"
#include "recheck/kinds.hpp"
#include "recheck/series.hpp"

namespace farfield::recheck {
namespace {

Number constant(const Quantity& quantity, const std::string& key, const char* otherwise) {
    Evaluator evaluator;
    const bool is_there = quantity.fact(key) || quantity.fact("setting." + key);
    return evaluator.value(is_there ? quantity.formula(key) : parse_tree(otherwise), {});
}

long whole_setting(const Quantity& quantity, const std::string& key, long otherwise) {
    const std::string* text = quantity.fact(key);
    if (!text) return otherwise;
    const std::optional<Rational> value = read_rational(*text);
    const auto whole = value ? whole_number(*value) : std::nullopt;
    if (!whole) throw Unprovable("'" + key + "' is not a whole number");
    return *whole;
}

/// exp(x), and 0 for -inf. The weight of a logit that may have no value is unknown.
Interval weight_of(const Number& logit) {
    const Number weight = exp(logit);
    if (weight.defined() != Truth::yes) throw Unprovable("a logit that may have no value");
    return weight.interval();
}

/// The softmax of logits.
Row softmax(const std::vector<Number>& logits) {
    Row weights;
    Interval total = Interval::of(0, 0);
    for (const Number& logit : logits) {
        weights.push_back(weight_of(logit));
        total = total + weights.back();
    }
    for (Interval& weight : weights) weight = common(weight / total, Interval::of(0, 1));
    return weights;
}

Row mean_of(const std::vector<Row>& rows) {
    Row mean = rows.front();
    for (std::size_t i = 1; i < rows.size(); ++i)
        for (std::size_t n = 0; n < mean.size(); ++n) mean[n] = mean[n] + rows[i][n];
    const Interval count = enclose(Rational(static_cast<long>(rows.size())));
    for (Interval& value : mean) value = value / count;
    return mean;
}

Row with_residual(Row row, const Number& residual) {
    const Interval kept = residual.interval();
    const Interval rest = (Number(Rational(1)) - residual).interval();
    for (Interval& value : row) value = value * rest;
    row.front() = row.front() + kept;
    return row;
}

Row running_sums(const Row& row) {
    Row sums;
    Interval sum = Interval::of(0, 0);
    for (const Interval& value : row) {
        sum = sum + value;
        sums.push_back(sum);
    }
    return sums;
}

/// The smallest number of nearest entries whose sum exceeds the mass.
Number width_of(const Row& sums, const Number& mass) {
    std::optional<Number> soonest;
    for (std::size_t n = 0; n < sums.size(); ++n) {
        const Truth is_over = less(mass, Number(sums[n]));
        if (is_over == Truth::no) continue;
        const Number count(Rational(static_cast<long>(n) + 1));
        if (!soonest) soonest = count;
        if (is_over == Truth::yes) return joined(*soonest, count);
    }
    return Number::nowhere();
}

std::vector<Number> values_of(Computed& curve, const Stretch& range) {
    std::vector<Number> values;
    for (long i = range.first; i <= range.last; ++i) values.push_back(curve.entry("value", i));
    return values;
}

/// The row of the heads' logits, from the formulas "logits.1", "logits.2", ... or another quantity.
Row row_of(const Quantity& quantity, Recomputation& all) {
    if (quantity.fact("setting.of")) {
        const Source source = source_of(quantity, all);
        return softmax(values_of(*source.curve, source.range));
    }
    std::vector<Row> rows;
    for (int head = 1; quantity.fact("logits." + std::to_string(head)); ++head) {
        const std::unique_ptr<Curve> curve = own_curve(quantity, "logits." + std::to_string(head));
        rows.push_back(softmax(values_of(*curve, read_range(quantity, *curve))));
    }
    if (rows.empty()) throw Unprovable("the evidence of '" + quantity.name + "' lacks 'logits.1'");
    return mean_of(rows);
}

/// The keys that are visible to the queries of a set, by halving boxes of queries and keys.
class Reach {
public:
    explicit Reach(long length) : length_(length) {}

    /// Marks all keys that are visible to a query in `queries`.
    std::vector<bool> seen_from(const Node& mask, const std::vector<bool>& queries) {
        mask_ = mask;
        seen_ = queries;
        for (long first = 0; first < length_; ++first) {
            if (!queries[static_cast<std::size_t>(first)]) continue;
            long last = first;
            while (last + 1 < length_ && queries[static_cast<std::size_t>(last + 1)]) ++last;
            // Processes the queries at the ends first: keys that are visible to them are not checked for those between.
            mark(first, first, 0, length_ - 1);
            mark(last, last, 0, length_ - 1);
            mark(first, last, 0, length_ - 1);
            first = last;
        }
        return seen_;
    }

private:
    static constexpr long most_boxes = 20'000'000;

    static Number range(long from, long to) {
        if (from == to) return Number(Rational(from));
        return Number(Interval::of(static_cast<double>(from), static_cast<double>(to)));
    }

    void mark(long q_from, long q_to, long k_from, long k_to) {
        while (k_from <= k_to && seen_[static_cast<std::size_t>(k_from)]) ++k_from;
        while (k_from <= k_to && seen_[static_cast<std::size_t>(k_to)]) --k_to;
        if (k_from > k_to) return;
        if (++boxes_ > most_boxes) throw Unprovable("a mask too irregular to follow");
        const Truth truth = evaluator_.truth(mask_, {{"q", range(q_from, q_to)}, {"k", range(k_from, k_to)}});
        if (truth == Truth::no) return;
        if (truth == Truth::yes) {
            std::fill(seen_.begin() + k_from, seen_.begin() + k_to + 1, true);
            return;
        }
        if (q_from == q_to && k_from == k_to) throw Unprovable("a mask that is not decided at a point");
        if (q_to - q_from > k_to - k_from) {
            const long cut = q_from + (q_to - q_from) / 2;
            mark(q_from, cut, k_from, k_to);
            mark(cut + 1, q_to, k_from, k_to);
        } else {
            const long cut = k_from + (k_to - k_from) / 2;
            mark(q_from, q_to, k_from, cut);
            mark(q_from, q_to, cut + 1, k_to);
        }
    }

    long length_;
    long boxes_ = 0;
    Node mask_;
    std::vector<bool> seen_;
    Evaluator evaluator_;
};

class ReceptiveField : public Computed {
public:
    explicit ReceptiveField(const Quantity& quantity)
        : quantity_(quantity),
          length_(whole_setting(quantity, "setting.length", 0)),
          layers_(whole_setting(quantity, "layers", 0)) {
        if (length_ < 1 || length_ > 10'000'000 || layers_ < 1) throw Unprovable("a length or depth out of range");
    }

    Number field(const std::string& name) override {
        if (name == "exact") return exact();
        if (name == "predicted") return predicted();
        throw Unprovable("the recheck does not compute '" + name + "' of a receptive field");
    }

private:
    /// The formula of a layer: the last one that is stated up to it.
    Node of_layer(const std::string& what, long layer) const {
        for (; layer > 0; --layer) {
            const std::string key = what + "." + std::to_string(layer);
            if (quantity_.fact(key)) return quantity_.formula(key);
        }
        throw Unprovable("the evidence of '" + quantity_.name + "' lacks '" + what + ".1'");
    }

    Number exact() const {
        std::vector<bool> reached(static_cast<std::size_t>(length_), false);
        reached.back() = true;
        Reach reach(length_);
        for (long layer = layers_; layer > 0; --layer) reached = reach.seen_from(of_layer("mask", layer), reached);
        return Number(Rational(static_cast<long>(std::count(reached.begin(), reached.end(), true))));
    }

    Number predicted() const {
        const Number residual = constant(quantity_, "residual", "0");
        Side grid{"n", true, Rational(0), Rational(length_ - 1), Rational(1), length_};
        std::optional<Row> row;
        for (long first = 1; first <= layers_;) {
            long next = first + 1;
            while (next <= layers_ && !quantity_.fact("logits." + std::to_string(next))) ++next;
            Curve curve(grid, of_layer("logits", first));
            const Row layer = with_residual(softmax(values_of(curve, {0, length_ - 1})), residual);
            const Row power = convolution_power(layer, static_cast<unsigned long>(next - first));
            row = row ? convolution(*row, power) : power;
            first = next;
        }
        return width_of(running_sums(*row), constant(quantity_, "mass", "0.99"));
    }

    const Quantity& quantity_;
    long length_;
    long layers_;
};

/// Its series is the row and its running sums, by distance.
class Profile : public Fixed {
public:
    Profile(std::map<std::string, Number, std::less<>> values, Row row, Row sums)
        : Fixed(std::move(values)), row_(std::move(row)), sums_(std::move(sums)) {}

    long points() override { return static_cast<long>(row_.size()); }
    Rational point(long index) override { return index; }
    Number entry(const std::string& column, long index) override {
        if (column != "value" && column != "cumulative")
            throw Unprovable("the recheck does not compute the column '" + column + "'");
        return Number((column == "value" ? row_ : sums_)[static_cast<std::size_t>(index)]);
    }

private:
    Row row_;
    Row sums_;
};

}  // namespace

Made make_profile(const Quantity& quantity, Recomputation& all) {
    const Row layer = with_residual(row_of(quantity, all), constant(quantity, "residual", "0"));
    const long layers = whole_setting(quantity, "setting.layers", 1);
    const Row row = convolution_power(layer, static_cast<unsigned long>(layers));
    const Row sums = running_sums(row);
    std::map<std::string, Number, std::less<>> values;
    values.emplace("width", width_of(sums, constant(quantity, "mass", "0.99")));
    const long within = whole_setting(quantity, "setting.within", 0);
    if (within > 0) {
        const auto last = static_cast<std::size_t>(std::min<long>(within, static_cast<long>(sums.size()))) - 1;
        values.emplace("share", Number(sums[last]));
    }
    values.emplace("first", Number(row.front()));
    values.emplace("last", Number(row.back()));
    return std::make_unique<Profile>(std::move(values), row, sums);
}

Made make_receptive_field(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<ReceptiveField>(quantity);
}

/// R(s) = sum to `last` of e^(s_i) (e^(s_i) - e^(s_(i+1))), divided by the square of the sum to N of e^(s_i).
Made make_resolution(const Quantity& quantity, Recomputation& all) {
    const Source source = source_of(quantity, all);
    const long N = whole_setting(quantity, "setting.N", -1);
    const long last = whole_setting(quantity, "setting.last", N);
    const Number scale = constant(quantity, "scale", "1");
    const bool has_after = quantity.fact("after") || quantity.fact("setting.after");
    const auto weight = [&](long i) {
        if (i == N + 1 && has_after) return weight_of(scale * constant(quantity, "after", "0"));
        if (i >= source.curve->points()) throw Unprovable("a curve that ends before N + 1");
        return weight_of(scale * source.curve->entry("value", i));
    };
    if (N < 0 || !(source.curve->point(0) == Rational(0))) throw Unprovable("a row that does not start at 0");
    Interval total = Interval::of(0, 0);
    Interval squares = total;
    Interval falls = total;
    Interval largest = total;
    Interval here = weight(0);
    for (long i = 0; i <= N; ++i) {
        const Interval next = i < N || last == N ? weight(i + 1) : Interval::of(0, 0);
        total = total + here;
        squares = squares + power(here, Rational(2).above());
        if (i <= last) falls = falls + here * (here - next);
        largest = max(largest, here);
        here = next;
    }
    const Interval whole = power(total, Rational(2).above());
    return std::make_unique<Fixed>(std::map<std::string, Number, std::less<>>{
        {"R", Number(falls / whole)}, {"sum_squares", Number(squares / whole)}, {"largest", Number(largest / total)}});
}

}  // namespace farfield::recheck
