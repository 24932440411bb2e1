// The laws that a tensor of an implementation satisfies, for a bias or mask, or for a table of a rotation.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <farfield/compare/laws.hpp>

#include "quantity/kinds.hpp"
#include "quantity/tensor_file.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 4> laws_keys = {
    tensor_file_key,
    tensor_name_key,
    Key{.name = "part",
        .type = KeyType::text,
        .fallback = "by the tensor's name",
        .meaning = "what the tensor holds",
        .choices = "bias|mask|cos|sin|turn"},
    Key{.name = "ulp",
        .type = KeyType::number,
        .fallback = "2",
        .meaning = "units in the last place that count as equal",
        .least = 0,
        .most = compare::most_tolerance},
};

/// No value is certain, because equality is up to a bound on roundings.
core::Result result_of(const std::vector<compare::Law>& laws) {
    core::Result result;
    const auto kept = std::count_if(laws.begin(), laws.end(), [](const compare::Law& law) { return law.holds; });
    result.set("laws", core::Cell::of(static_cast<double>(laws.size())));
    result.set("kept", core::Cell::of(static_cast<double>(kept)));
    for (const compare::Law& law : laws) {
        result.set(law.name, core::Cell::of(law.holds ? 1 : 0));
        if (!law.holds) result.notes.emplace_back("not " + law.name, law.counterexample);
    }
    return result;
}

class Laws : public Prepared {
public:
    Laws(TensorFile file, std::optional<compare::Part> part, double tolerance)
        : file_(std::move(file)), part_(part), tolerance_(tolerance) {}

    double cost() const override { return file_.cost(); }

    core::Result run(const Inputs&) const override {
        return placed(file_,
                      [this] { return result_of(compare::laws_of(file_.open(), file_.path, part_, tolerance_)); });
    }

private:
    TensorFile file_;
    std::optional<compare::Part> part_;
    double tolerance_;
};

std::unique_ptr<Prepared> prepare_laws(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    TensorFile file = read_tensor_file(declaration, "file", "tensor", problems);
    if (problems.reports() != problems_before || file.path.empty()) return nullptr;
    const std::optional<std::string> part = core::read_text(declaration.settings, "part");
    return std::make_unique<Laws>(std::move(file), part ? compare::find_part(*part) : std::nullopt,
                                  core::Settings(declaration.settings, laws_keys).number("ulp"));
}

}  // namespace

const Kind& laws_kind() {
    static const Kind kind{"laws",
                           "the laws that a tensor of an implementation satisfies, without a formula",
                           laws_keys,
                           false,
                           prepare_laws,
                           SearchRule::none,
                           {"kept >= 0 and kept <= laws and kept == floor(kept) and laws == floor(laws) and "
                            "finite >= 0 and finite <= 1 and finite == floor(finite) and causal >= 0 and causal "
                            "<= 1 and causal == floor(causal) and relative >= 0 and relative <= 1 and relative == "
                            "floor(relative) and translation >= 0 and translation <= 1 and translation == "
                            "floor(translation) and order >= 0 and order <= 1 and order == floor(order) and "
                            "bounded >= 0 and bounded <= 1 and bounded == floor(bounded) and start >= 0 and start "
                            "<= 1 and start == floor(start) and steady >= 0 and steady <= 1 and steady == "
                            "floor(steady)"}};
    return kind;
}

}  // namespace farfield::quantity
