// Engines and model types as data.
#pragma once

#include <farfield/core/document.hpp>
#include <farfield/formula/tree.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::doctor {

using Formulas = std::vector<std::pair<std::string, formula::Node>>;

/// The rule of an engine for one value of "rope_type".
struct TypeRule {
    std::string name;
    std::vector<std::string> aliases;
    std::string scheme;                                                  ///< of the catalogue or of schemes.toml
    std::vector<std::string> needs;                                      ///< keys without which it refuses
    std::vector<std::string> reads;                                      ///< keys of the scaling object
    std::vector<std::pair<std::string, std::vector<std::string>>> only;  ///< keys read only for these model types
    std::vector<std::pair<std::string, double>> defaults;

    /// Whether the key is read for this model type.
    bool reads_for(std::string_view key, std::string_view model_type) const;
    Formulas let;             ///< names for the formulas below
    Formulas params;          ///< of the scheme
    formula::Node attention;  ///< null: 1
    formula::Node softmax;    ///< factor of all logits; null: 1
};

/// The rules of an engine for the scaling object of some model types.
struct ModelGroup {
    std::vector<std::string> names;    ///< model types
    std::vector<std::string> types;    ///< scaling types that they support; empty: all of the engine
    bool refuses_others = true;        ///< whether other types are refused; otherwise they have no effect
    std::vector<std::string> needs;    ///< keys of the scaling object without which they refuse
    bool refuses_more = false;         ///< whether other keys of the scaling object are refused
    std::vector<std::string> ignores;  ///< keys of the configuration that other model types read
};

struct Engine {
    std::string name;
    std::string doc;
    std::string source;
    std::vector<std::string> scaling;   ///< paths in the order in which they are tried
    std::vector<std::string> type;      ///< keys of the scaling object
    std::vector<std::string> base;      ///< paths
    std::vector<std::string> fraction;  ///< paths
    std::vector<std::string> original;  ///< paths
    bool refuses_without_type = false;
    bool refuses_unknown_type = true;
    std::vector<ModelGroup> groups;
    bool scales_other_models = true;                                                            ///< those of no group
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>> defaults;  ///< by model type
    std::vector<TypeRule> types;

    const TypeRule* find(std::string_view scaling_type) const;

    /// Null if no group names the model type.
    const ModelGroup* group_of(std::string_view model_type) const;
};

/// The engine of that name; throws core::UserError with the known ones.
Engine load_engine(std::string_view name);

/// The defaults of a model type for missing keys.
struct ModelType {
    std::string name;
    bool known = false;
    std::string position = "rotary";                       ///< "rotary", "alibi", "t5", "learned", "sinusoidal", "nope"
    std::vector<std::pair<std::string, double>> defaults;  ///< by key
    std::vector<std::pair<std::string, double>> sizes;     ///< defaults of a configuration that gives none of them
    std::string alibi;           ///< the key of the switch for ALiBi; empty: the type has no such switch
    bool has_alibi = false;      ///< the default of this switch
    bool scales_alibi = false;   ///< biases are divided by sqrt(d), as products of queries and keys are
    long long rotary_width = 0;  ///< the hidden size of the models that rotate; the others have ALiBi; 0: any
    std::string
        reserved;  ///< the key of a token after which positions are counted; empty: all rows of the table are used
    bool interleaved = false;
    std::string pattern;  ///< the key whose value n makes every n-th layer attend fully
    long long every = 0;  ///< its default; 0: all layers are alike
    bool first_is_full = false;
    std::string others = "sliding_attention";  ///< the type of the layers between
    std::string full = "full_attention";
    std::vector<std::string> without_rotation;                           ///< layer types without rotation
    std::vector<std::pair<std::string, std::vector<std::string>>> base;  ///< keys of the base, by layer type
    std::vector<std::string> unscaled;                                   ///< layer types without scaling
    std::vector<std::pair<std::string, std::string>> width;  ///< the key of the width of a head, by layer type
    std::string indices;         ///< the key of a list of the layers of type `full`; the others are of type `others`
    std::string scaled;          ///< the scaling type of its class where the configuration has no scaling
    bool windowed_only = false;  ///< `every` and `without_rotation` apply only to a configuration with a window
    bool last_is_full = false;   ///< the last layer attends fully, whatever its type
    bool one_sided = false;      ///< 'local_attention' is halved for a query that sees earlier tokens alone

    const double* default_of(std::string_view key) const;
    /// Whether layers of this type have a rotation.
    bool rotates(std::string_view layer_type) const;
};

/// Whether layers of this type have no rotation in any model, such as convolutions.
bool never_rotates(std::string_view layer_type);

/// The model type from models.toml or recent_models.toml; one that is in neither has the defaults above and counts as
/// unknown.
ModelType load_model_type(std::string_view name);

/// Every key of models.toml and of engines, with which a misspelt key is compared.
const std::vector<std::string>& known_keys();

/// The names that lists of layer types have.
const std::vector<std::string>& known_layer_types();

}  // namespace farfield::doctor
