#include "compare/search.hpp"

#include <algorithm>
#include <array>

#include "compare/fit.hpp"
#include "compare/places.hpp"
#include "compare/scan.hpp"

namespace farfield::compare {

namespace {

constexpr std::size_t largest_set = 3;
constexpr std::size_t most_explanations = 5;
constexpr double worth_another = 10;    ///< a larger set must be nearer by this factor
constexpr double far_nearer = 100;      ///< a set is mentioned if it is nearer than declared by this factor
constexpr std::size_t most_scans = 12;  ///< each reads the whole tensor

constexpr std::size_t most_fits = 6;
constexpr std::size_t most_places_of_grid = std::size_t{1} << 16;
constexpr double most_heads = 1024;  ///< each of which is tried

/// Common numbers of heads, the most common first.
constexpr std::array<double, 13> head_counts = {8, 16, 32, 12, 4, 64, 2, 40, 48, 6, 20, 24, 10};

/// Common widths of heads, which are tried if the width is unknown.
constexpr std::array<double, 6> widths = {64, 128, 32, 80, 96, 256};

bool needs_width(const Edit& edit) {
    return edit.action == Action::value && edit.to.find("(d)") != std::string_view::npos;
}

bool is_arithmetic(const Edit& edit) {
    return edit.action == Action::arithmetic || edit.action == Action::power_as_quotient;
}

bool same(const Model& a, const Model& b) {
    const auto equal = [](const formula::Node& x, const formula::Node& y) {
        return (!x && !y) || (x && y && formula::equal(x, y));
    };
    return equal(a.value, b.value) && equal(a.visible, b.visible) && equal(a.slack, b.slack) &&
           a.system.kind == b.system.kind && a.pairing == b.pairing && a.has_row_constant == b.has_row_constant;
}

/// Each head, or first head, of each number of heads from which the tensor may have some.
std::vector<Choice> heads_of(const Case& all, const Edit& edit) {
    const scheme::Context& given = all.question.context;
    const bool has_heads = all.layout.has(Axis::head);
    if (has_heads != (edit.action == Action::some_heads) || given.head > 0 || given.heads > most_heads) return {};
    const bool is_learned = !all.question.learned.empty();  // then the number of heads is known
    if (has_heads && (given.heads > 0 || is_learned)) return {};
    std::vector<double> counts(head_counts.begin(), head_counts.end());
    if (given.heads > 0) counts = {given.heads};
    const auto held = static_cast<double>(all.layout.extent(Axis::head));
    std::vector<Choice> choices;
    for (const double heads : counts) {
        if (has_heads && heads == held) continue;  // all of them
        for (double head = 1; head + held - 1 <= heads; ++head) choices.push_back({&edit, 0, heads, head});
    }
    return choices;
}

bool supposes_heads(const Edit& edit) {
    return edit.action == Action::one_head || edit.action == Action::some_heads;
}

/// Whether the edit has so many constants that, together with two other edits, one of them comes near to any tensor.
bool is_one_of_many(const Edit& edit) {
    return supposes_heads(edit) || edit.action == Action::grid;
}

/// The edit with each number of columns of a grid. Positions given by `at` are not the places of a grid.
std::vector<Choice> grids_of(const Case& all, const Edit& edit) {
    std::vector<Choice> choices;
    if (!all.question.at.empty()) return choices;
    const std::size_t places = all.layout.extent(Axis::position);
    for (std::size_t columns = 2; 2 * columns <= std::min(places, most_places_of_grid); ++columns)
        if (places % columns == 0) choices.push_back({.edit = &edit, .constants = {std::to_string(columns)}});
    return choices;
}

/// Whether the edit needs numbers that its row does not have.
bool has_constants(const Edit& edit) {
    return !edit.constants.empty() || edit.action == Action::order_of_heads;
}

/// The edits that change something in this case, with each width or head that they may suppose.
std::vector<Choice> choices_of(const Case& all, const Model& declared, Builder& builder) {
    std::vector<Choice> choices;
    const auto consider = [&](const Choice& choice) {
        // Has a meaning only together with an arithmetic.
        if (choice.edit->action == Action::power_as_quotient) return choices.push_back(choice);
        const std::optional<Model> model = builder.build(std::span(&choice, 1));
        if (model && !same(*model, declared)) choices.push_back(choice);
    };
    for (const Edit& edit : edits()) {
        if (!applies(edit, all.layout.part)) continue;
        if (edit.action == Action::grid) {
            for (const Choice& choice : grids_of(all, edit)) consider(choice);
        } else if (has_constants(edit)) {
            if (const std::optional<Choice> choice = with_constants_of_shape(all, edit)) consider(*choice);
        } else if (supposes_heads(edit)) {
            for (const Choice& choice : heads_of(all, edit)) consider(choice);
        } else if (!needs_width(edit) || all.layout.head_dim != 0) {
            consider({&edit});
        } else {
            for (const double width : widths) consider({&edit, width});
        }
    }
    return choices;
}

/// All sets of `size` choices of different groups, `changes` of which are not conventions.
class Sets {
public:
    Sets(const std::vector<Choice>& choices, const numerics::Format* format, std::size_t size, std::size_t changes)
        : choices_(choices), format_(format), size_(size), changes_(changes) {
        extend({}, 0, 0);
    }
    const std::vector<std::vector<Choice>>& list() const { return list_; }

private:
    void extend(const std::vector<Choice>& begun, std::size_t from, std::size_t changes) {
        if (begun.size() == size_) {
            if (changes == changes_) list_.push_back(begun);
            return;
        }
        for (std::size_t at = from; at < choices_.size(); ++at) {
            const bool is_too_many = is_one_of_many(*choices_[at].edit) && size_ > 2;
            const bool excluded = is_too_many || std::any_of(begun.begin(), begun.end(), [&](const Choice& each) {
                                      return each.edit->group == choices_[at].edit->group;
                                  });
            const std::size_t more_changes = changes + (is_convention(*choices_[at].edit, format_) ? 0 : 1);
            if (excluded || more_changes > changes_) continue;
            std::vector<Choice> more = begun;
            more.push_back(choices_[at]);
            extend(more, at + 1, more_changes);
        }
    }

    const std::vector<Choice>& choices_;
    const numerics::Format* format_;
    std::size_t size_;
    std::size_t changes_;
    std::vector<std::vector<Choice>> list_;
};

bool allows_slack(const std::vector<Choice>& set) {
    return std::any_of(set.begin(), set.end(),
                       [](const Choice& each) { return each.edit->action == Action::angle_error; });
}

/// The characters of all constants of a set.
std::size_t length_of_constants(const Explanation& explanation) {
    std::size_t length = 0;
    for (const Choice& each : explanation.choices)
        for (const std::string& constant : each.constants) length += constant.size();
    return length;
}

/// Edits that allow errors of angles come last, because their units are larger. Which of them is nearest says little,
/// so simpler constants come first.
bool is_nearer(const Explanation& a, const Explanation& b) {
    const bool slack_a = allows_slack(a.choices);
    const bool slack_b = allows_slack(b.choices);
    if (slack_a != slack_b) return slack_b;
    const std::size_t length_a = slack_a ? length_of_constants(a) : 0;
    const std::size_t length_b = slack_b ? length_of_constants(b) : 0;
    return length_a == length_b ? a.tally.worst < b.tally.worst : length_a < length_b;
}

Found nearest_first(Found found) {
    std::stable_sort(found.explanations.begin(), found.explanations.end(), is_nearer);
    return found;
}

/// Adds the sets that explain all numbers. `nearest` is the error of the nearest set so far.
void try_sets(const Case& all, const Sets& sets, const tensor::Tensor& tensor, Sample& sample, double& nearest,
              Found& found) {
    Builder builder(all);
    std::size_t scans = 0;
    for (const std::vector<Choice>& set : sets.list()) {
        const std::optional<Model> model = builder.build(set);
        if (!model) continue;
        ++found.tried;
        const double worst = sample.first_look(*model);
        const bool is_larger = !found.nearest.empty() && set.size() > found.nearest.size();
        if (!model->slack && worst < (is_larger ? nearest / worth_another : nearest)) {
            nearest = worst;
            found.nearest = set;
        }
        if (!(worst <= all.tolerance) || !sample.explained_by(*model)) continue;
        if (++scans > most_scans) break;
        Tally tally = scan(all, *model, tensor);
        if (tally.beyond > 0)
            sample.add(tally.at);
        else
            found.explanations.push_back({set, tally});
        if (found.explanations.size() == most_explanations) break;
    }
}

/// Whether a set explains all numbers; if so, it is kept.
bool explains(const Case& all, const std::vector<Choice>& set, const tensor::Tensor& tensor, Sample& sample,
              Found& found) {
    const std::optional<Model> model = Builder(all).build(set);
    if (!model) return false;
    ++found.tried;
    if (!(sample.first_look(*model) <= all.tolerance) || !sample.explained_by(*model)) return false;
    const Tally tally = scan(all, *model, tensor);
    if (tally.beyond > 0)
        sample.add(tally.at);
    else
        found.explanations.push_back({set, tally});
    return tally.beyond == 0;
}

/// What a search combines with one change: layouts of the tensor, and ways of computing it.
struct Surroundings {
    std::vector<std::vector<Choice>> layouts = {{}};
    std::vector<std::vector<Choice>> arithmetics = {{}};

    explicit Surroundings(const std::vector<Choice>& choices) {
        for (const Choice& each : choices) {
            if (each.edit->action == Action::other_pairing) layouts.push_back({each});
            if (each.edit->action == Action::angle_error) arithmetics.push_back({each});
        }
    }
};

std::vector<Choice> joined(std::vector<Choice> set, const std::vector<Choice>& more) {
    set.insert(set.end(), more.begin(), more.end());
    return set;
}

/// Every constant that a fit may find: params, which are the simpler answer, and then constants of edits.
std::vector<Unknown> unknowns_of(const Case& all) {
    std::vector<Unknown> unknowns;
    for (const Edit& edit : edits()) {
        if (!applies(edit, all.layout.part) || edit.constants != "fit") continue;
        if (edit.action != Action::fitted)
            unknowns.push_back({{.edit = &edit}, 1});
        else
            for (const auto& [param, declared] : Builder(all).params_in_use())
                unknowns.push_back({{.edit = &edit, .param = param}, declared});
    }
    std::stable_partition(unknowns.begin(), unknowns.end(),
                          [](const Unknown& each) { return each.choice.edit->action == Action::fitted; });
    return unknowns;
}

/// A constant to find, together with other edits.
struct Fit {
    Unknown unknown;
    std::vector<Choice> with;
    std::vector<std::string> values = {};  ///< found from so many numbers of the sample
    std::size_t sample_size = 0;
};

/// Whether a constant that a fit finds explains all numbers. A number that does not fit is added to the sample, and
/// another fit takes it into account, because a sample contains little information about a function with steps.
bool try_value(const Case& all, Fit& fit, const std::vector<Choice>& arithmetic, const tensor::Tensor& tensor,
               Sample& sample, Found& found) {
    for (std::size_t each = 0; each < most_fits; ++each) {
        const std::size_t size = sample.size();
        if (fit.sample_size != size) fit.values = fitted_values(all, fit.unknown, fit.with, sample);
        fit.sample_size = size;
        for (const std::string& value : fit.values) {
            Choice choice = fit.unknown.choice;
            choice.constants = {value};
            if (explains(all, joined(joined({choice}, fit.with), arithmetic), tensor, sample, found)) return true;
        }
        if (sample.size() == size) return false;
    }
    return false;
}

/// Tries sets of one fitted constant, together with layouts and ways of computing: for each constant up to the first
/// set that explains all numbers. A way of computing that allows errors of angles is tried only if no constant explains
/// the numbers without it.
void try_fits(const Case& all, std::vector<Fit> fits, const Surroundings& around, const tensor::Tensor& tensor,
              Sample& sample, Found& found) {
    std::vector<Choice> explaining;
    const auto is_explained = [&](const Unknown& unknown) {
        return std::any_of(explaining.begin(), explaining.end(), [&](const Choice& each) {
            return each.edit == unknown.choice.edit && each.param == unknown.choice.param;
        });
    };
    for (const std::vector<Choice>& arithmetic : around.arithmetics) {
        for (Fit& fit : fits)
            if (!is_explained(fit.unknown) && try_value(all, fit, arithmetic, tensor, sample, found))
                explaining.push_back(fit.unknown.choice);
        if (!explaining.empty()) return;
    }
}

void try_values(const Case& all, const Surroundings& around, const tensor::Tensor& tensor, Sample& sample,
                Found& found) {
    std::vector<Fit> fits;
    for (const Unknown& unknown : unknowns_of(all))
        for (const std::vector<Choice>& layout : around.layouts) fits.push_back({.unknown = unknown, .with = layout});
    try_fits(all, fits, around, tensor, sample, found);
}

/// The same for params together with another base.
void try_values_beside_base(const Case& all, const std::vector<Choice>& choices, const Surroundings& around,
                            const tensor::Tensor& tensor, Sample& sample, Found& found) {
    std::vector<Fit> fits;
    for (const Choice& base : choices) {
        if (base.edit->group != "base") continue;
        for (const Unknown& unknown : unknowns_of(all)) {
            if (unknown.choice.param.empty() || unknown.choice.param == base.edit->from) continue;
            for (const std::vector<Choice>& layout : around.layouts)
                fits.push_back({.unknown = unknown, .with = joined({base}, layout)});
        }
    }
    try_fits(all, fits, around, tensor, sample, found);
}

/// Whether there are explanations, and each contains such an edit.
bool all_hold(const std::vector<Explanation>& explanations, Action action) {
    return !explanations.empty() && std::all_of(explanations.begin(), explanations.end(), [&](const Explanation& each) {
        return std::any_of(each.choices.begin(), each.choices.end(),
                           [&](const Choice& choice) { return choice.edit->action == action; });
    });
}

/// Likewise tries sets of one edit that moves lines of the tensor: all that explain the numbers in one layout and
/// arithmetic.
void try_places(const Case& all, const Surroundings& around, const tensor::Tensor& tensor, Sample& sample,
                Found& found) {
    const std::size_t before = found.explanations.size();
    for (const std::vector<Choice>& layout : around.layouts) {
        for (const std::vector<Choice>& arithmetic : around.arithmetics) {
            const std::vector<Choice> with = joined(layout, arithmetic);
            const std::optional<Model> model = Builder(all).build(with);
            if (!model) continue;
            for (const Choice& choice : joined(moved_places(all, *model, tensor), order_of_heads(all, *model, tensor)))
                explains(all, joined({choice}, with), tensor, sample, found);
            if (found.explanations.size() > before) return;
        }
    }
}

}  // namespace

Found search(const Case& all, const Model& declared, const tensor::Tensor& tensor, Sample& sample) {
    Found found;
    Builder builder(all);
    const std::vector<Choice> choices = choices_of(all, declared, builder);
    const Surroundings around(choices);
    double nearest = sample.first_look(declared) / far_nearer;
    // Conventions come first, then one change and conventions, and so on.
    const std::size_t most = std::min(largest_set, all.question.most_changes);
    for (std::size_t changes = 0; changes <= most; ++changes) {
        for (std::size_t size = std::max<std::size_t>(changes, 1); size <= largest_set; ++size) {
            if (found.explanations.empty())
                try_sets(all, Sets(choices, all.format, size, changes), tensor, sample, nearest, found);
        }
        // The first heads of twice as many have the slopes of half the exponents.
        if (changes == 0 && all_hold(found.explanations, Action::some_heads))
            try_values(all, around, tensor, sample, found);
        if (changes == 1 && found.explanations.empty()) try_values(all, around, tensor, sample, found);
        // A linear bias with moved distances differs by a constant per row.
        if (changes == 1 && (found.explanations.empty() || all_hold(found.explanations, Action::row_constant)))
            try_places(all, around, tensor, sample, found);
        if (changes == 2 && found.explanations.empty())
            try_values_beside_base(all, choices, around, tensor, sample, found);
        if (!found.explanations.empty()) break;
    }
    return nearest_first(found);
}

Found search_arithmetic(const Case& all, const tensor::Tensor& tensor, Sample& sample) {
    Found found;
    std::vector<Choice> choices;
    for (const Edit& edit : edits())
        if (applies(edit, all.layout.part) && is_arithmetic(edit)) choices.push_back({&edit});
    double nearest = 0;  // none is requested
    for (std::size_t size = 1; size <= 2 && found.explanations.empty(); ++size)
        for (std::size_t changes = 0; changes <= size; ++changes)
            try_sets(all, Sets(choices, all.format, size, changes), tensor, sample, nearest, found);
    return nearest_first(found);
}

}  // namespace farfield::compare
