// Attention resolution R(s) of a curve.
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "quantity/attention_resolution.hpp"
#include "quantity/kinds.hpp"
#include "quantity/scalar.hpp"
#include "quantity/series_input.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

constexpr std::array<core::Key, 5> resolution_keys = {
    core::Key{
        .name = "of", .type = core::KeyType::text, .required = true, .meaning = "the curve s[n], n = 0, 1, 2, ..."},
    core::Key{.name = "N",
              .type = core::KeyType::integer,
              .required = true,
              .meaning = "Eq. (4)'s N: sums run over i = 0..N",
              .least = 0},
    core::Key{.name = "scale",
              .type = core::KeyType::formula,
              .fallback = "1",
              .meaning = "multiplies s; for example 1/sqrt(64)"},
    core::Key{.name = "after",
              .type = core::KeyType::formula,
              .meaning = "s[N+1] before `scale`, in place of the curve's own: 0, or -inf for a row that ends"},
    core::Key{.name = "last",
              .type = core::KeyType::integer,
              .fallback = "N",
              .meaning = "the numerator's sum runs over i = 0..last",
              .least = 0},
};

struct ResolutionSettings {
    Of of;
    Scalar scale{1, {1, 1}, "1"};
    std::optional<Scalar> after;
    std::size_t N = 0;
    std::size_t last = 0;
    core::Place N_place;
};

/// s_0 .. s_N and, where the last term needs it, s_(N+1).
View scores_of(const Inputs& inputs, const ResolutionSettings& settings) {
    View view = view_of(inputs, settings.of);
    const bool needs_next = settings.last == settings.N && !settings.after;
    const std::size_t wanted = settings.N + 1 + (needs_next ? 1 : 0);
    const std::size_t used = std::min(wanted, view.points.size());
    if (view.points.part(0, used).first_not_own_index() < used)
        throw core::UserError(
            {{settings.of.place, "the curve is not over 0, 1, 2, ...", "distances = { from = 0 }", ""}});
    if (view.points.size() < wanted) {
        const std::string needed = std::to_string(wanted - 1);
        throw core::UserError(
            {{settings.N_place, "the curve ends at " + text_of(view.points.back()) + ", before " + needed,
              "distances up to " + needed + (needs_next ? ", since s[N+1] is needed" : ""),
              needs_next ? "`after` gives s[N+1], `last` ends the sum earlier" : ""}});
    }
    view.values = view.values.part(0, wanted);
    if (!view.enclosures.empty()) view.enclosures = view.enclosures.first(wanted);
    return view;
}

class AttentionResolution : public Prepared {
public:
    explicit AttentionResolution(ResolutionSettings settings) : settings_(std::move(settings)) {}

    std::vector<std::string> needs() const override { return {settings_.of.name}; }
    double cost() const override { return 4 * static_cast<double>(settings_.N); }

    core::Result run(const Inputs& inputs) const override {
        View view = scores_of(inputs, settings_);
        std::vector<core::Enclosure> enclosures;
        if (settings_.after && !view.enclosures.empty()) {
            enclosures.assign(view.enclosures.begin(), view.enclosures.end());
            enclosures.push_back(settings_.after->enclosure);
            view.enclosures = enclosures;
        }
        std::optional<double> after;
        if (settings_.after) after = settings_.after->number;
        const Resolution found = resolution({.scores = view.values,
                                             .enclosures = view.enclosures,
                                             .scale = settings_.scale.number,
                                             .scale_enclosure = settings_.scale.enclosure,
                                             .after = after,
                                             .N = settings_.N,
                                             .last = settings_.last});
        if (!found.value.number || std::isnan(*found.value.number))
            throw core::UserError(
                {{settings_.of.place, "R(s) has no value (NaN): no score is finite", "a finite score", ""}});
        core::Result result;
        result.set("R", found.value);
        result.set("sum_squares", found.sum_squares);
        result.set("largest", found.largest);
        result.evidence.add("scale", settings_.scale.text);
        if (settings_.after) result.evidence.add("after", settings_.after->text);
        return result;
    }

private:
    ResolutionSettings settings_;
};

std::unique_ptr<Prepared> prepare_resolution(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    one_of(declaration, {"of"}, problems);
    std::optional<Of> of = read_of(declaration, problems);
    const std::optional<long long> N = core::read_integer(declaration.settings, "N");
    const std::optional<long long> last = core::read_integer(declaration.settings, "last");
    const std::optional<Scalar> scale = read_scalar(declaration, "scale", problems);
    const std::optional<Scalar> after = read_scalar(declaration, "after", problems);
    if (last && N && *last > *N)
        problems.add(place_of_key(declaration, "last"), "the numerator's sum ends beyond N",
                     "at most " + std::to_string(*N));
    if (after && last && N && *last < *N)
        problems.add(place_of_key(declaration, "after"), "'after' of a sum that ends before N",
                     "no 'after', or a 'last' of N");
    if (scale && scale->enclosure.lo == 0 && scale->enclosure.hi == 0)
        problems.add(place_of_key(declaration, "scale"), "'scale' is 0: all scores are alike", "another number");
    if (problems.reports() != problems_before || !of || !N) return nullptr;
    ResolutionSettings settings;
    settings.of = std::move(*of);
    settings.scale = scale.value_or(settings.scale);
    settings.after = after;
    settings.N = static_cast<std::size_t>(*N);
    settings.last = static_cast<std::size_t>(last.value_or(*N));
    settings.N_place = place_of_key(declaration, "N");
    return std::make_unique<AttentionResolution>(std::move(settings));
}

}  // namespace

const Kind& resolution_kind() {
    static const Kind kind = {"resolution",
                              "attention resolution R(s) of a curve of scores",
                              resolution_keys,
                              false,
                              prepare_resolution,
                              SearchRule::none,
                              {"sum_squares > 0 and sum_squares <= largest and largest <= 1"}};
    return kind;
}

}  // namespace farfield::quantity
