// What an engine reads for one kind of layer.
#pragma once

#include <farfield/doctor/doctor.hpp>
#include <farfield/evaluate/reference.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "doctor/layers.hpp"
#include "doctor/lookup.hpp"
#include "doctor/resolve.hpp"

namespace farfield::doctor {

/// The common data of a configuration's layers.
struct Shared {
    Lookup& lookup;
    const Engine& engine;
    const ModelType& model;
    const Options& options;
    Resolution& result;
    bool is_declared;

    /// The engine's default for the model type, or else that of the model type.
    const double* fallback(std::string_view key) const {
        for (const auto& [name, values] : engine.defaults) {
            if (name != model.name) continue;
            for (const auto& [of_key, value] : values)
                if (of_key == key) return &value;
        }
        return model.default_of(key);
    }

    const ModelGroup* group() const { return engine.group_of(model.name); }

    bool scales() const { return engine.scales_other_models || group(); }
};

/// Reads a kind of layer once.
class LayerReader {
public:
    LayerReader(Shared& shared, const LayerKind& kind) : shared_(shared), lookup_(shared.lookup), kind_(kind) {}

    Layer read(const std::string& position);

private:
    void read_heads();

    void check_shapes(const Found& head_dim);

    long long divided(long long size, const Found& hidden);

    void note_default(const std::string& key, double value);

    std::string at_layer(std::string path) const;

    std::vector<std::string> at_layer(const std::vector<std::string>& paths) const;

    /// Without the keys that the engine does not read for this model type.
    std::vector<std::string> without_ignored(std::vector<std::string> paths) const;

    core::Place place_of(const Found& found) const;

    void add_origin(const std::string& name, const Found& found);

    void read_base();

    void note_base(const std::string& key, double fallback);

    void read_scaling();

    /// Reports a missing scaling of a model type that has one by default.
    void note_unscaled();

    /// Whether the value is an object of objects by layer type.
    static bool holds_layer_types(const Value& value);

    void read_type(const Found& scaling);

    /// Applies the rules of the engine's group of model types to the scaling object.
    void check_group(const Found& scaling);

    void read_rotated();

    void read_fraction();

    void read_rotary();

    const TypeRule* unknown_type();

    /// Adds the value of a key of the scaling object to a formula's variables.
    void put_key(evaluate::Environment& environment, const TypeRule& rule, const std::string& key);

    /// Reports sections of the rotated pairs whose sum is not the number of pairs.
    void check_sections(const Found& sections);

    evaluate::Environment environment_of(const TypeRule& rule);

    bool lacks(const TypeRule& rule, const evaluate::Environment& environment);

    bool read_tables();

    void apply(const TypeRule& rule);

    /// The origin of a param's value: the first key that its formula reads.
    Param origin_of(const std::string& name, const formula::Node& formula, double value);

    /// Reports values of the configuration that the scheme does not allow.
    void check_params(const std::string& scheme, const std::vector<std::pair<std::string, std::string>>& params);
    void put_scheme(const std::string& name, const std::vector<std::pair<std::string, std::string>>& params,
                    const evaluate::Environment& environment);

    void read_other(const std::string& position);

    Shared& shared_;
    Lookup& lookup_;
    const LayerKind& kind_;
    Layer layer_;
    double heads_ = 0;
    long long width_ = 0;
    long long rotated_ = 0;
    double fraction_ = 1;
    bool has_latent_ = false;  ///< latent attention: the rotated part is a head's own part, of 'qk_rope_head_dim'
    std::vector<Param> origins_;
    std::map<std::string, Found> found_;
};

}  // namespace farfield::doctor
