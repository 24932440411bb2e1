// A kind of quantity that needs models, trained here or read from a file: its keys, and how a declared one is prepared
// and computed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/keys.hpp>
#include <farfield/core/table.hpp>
#include <farfield/measure/network.hpp>
#include <farfield/train/memory.hpp>
#include <farfield/train/training.hpp>

namespace farfield::measure {

/// A [train.NAME] with its models, one a seed; or a [checkpoint.NAME], whose one training has its shape, scheme and
/// text.
struct Subject {
    std::string name;                                                ///< "windows[w=8]"
    std::vector<train::Training> trainings;                          ///< one a seed, alike otherwise
    std::vector<std::shared_ptr<const model::Model<float>>> models;  ///< of each; null where the training diverged
    std::shared_ptr<const Network> checkpoint = nullptr;             ///< in place of models, once it is read
    bool is_checkpoint = false;

    const train::Source& source() const { return *trainings.front().source; }
    std::size_t train_length() const { return trainings.front().config.train_length; }
};

/// What a quantity may read while it is computed.
struct Inputs {
    const Subject& subject;
    const Subject* against = nullptr;  ///< the training that `against` names
    std::size_t processors = 1;
    std::function<bool()> interrupted = [] { return false; };
};

/// Rows that a quantity takes from a source, and where the study asks for them.
struct Feed {
    struct Length {
        std::size_t tokens = 0;
        core::Place place;
    };
    std::vector<Length> lengths;
    train::Part part = train::Part::held_out;
    std::size_t rows = 1;       ///< different ones, of every length
    std::string_view rows_key;  ///< the key that asks for them: "segments"
    core::Place rows_place;
};

/// The models that memory is asked for: the first seed's training, and how many seeds.
struct Measured {
    const std::string& name;  ///< "windows[w=8]"
    const train::Training& training;
    std::size_t seeds;
    std::size_t processors;
    model::Footprints& footprints;

    model::Footprint footprint(model::Work work, const model::BatchShape& shape) const {
        return footprints.of(training.config, training.scheme, work, shape);
    }
};

/// What measuring takes of the memory beside the models, and what it is: "attention of 't' at length 512".
struct Memory {
    std::vector<train::MemoryPart> parts;
    std::string what;
};

/// A checked quantity, ready to be measured.
class Prepared {
public:
    virtual ~Prepared() = default;
    /// Tokens that pass through each model, a pass back counting as two; for the estimate of the time.
    virtual double tokens() const = 0;
    /// What it feeds to the models; nothing if it feeds nothing.
    virtual Feed feed() const { return {}; }
    /// Adds a problem for what it asks of a scheme that this one does not have.
    virtual void check(const scheme::Scheme&, core::Problems&) const {}
    /// Adds a problem for what it asks of a shape that this one does not have. A checkpoint's is known once it is open.
    virtual void check_shape(const model::Config&, core::Problems&) const {}
    /// Adds a problem for what it asks that a checkpoint does not have.
    virtual void check_checkpoint(core::Problems&) const {}
    /// What it takes of the memory; no parts where that is little. Throws core::PreconditionError for a shape or scheme
    /// that a model refuses.
    virtual Memory memory(const Measured&) const { return {}; }
    /// Throws core::MissingError if that is more than is available. The subject's models need not be there: this is
    /// asked before they are trained. Of a checkpoint each pass asks by itself.
    void require_memory(const Inputs& inputs) const;
    /// The names of its values and columns, with numbers that mean nothing: what a claim may name, known before the
    /// models are trained. May have names that run() leaves out, never the other way around.
    virtual core::Result outline(const Inputs&) const = 0;
    /// Measures it; values are means over the seeds whose training did not diverge. Stops soon if interrupted; the
    /// result is then of no use. Throws core::UserError if the corpus is too short for it.
    virtual core::Result run(const Inputs& inputs) const = 0;
};

/// One row of the catalogue.
struct Kind {
    std::string_view name;
    std::string_view summary;
    std::span<const core::Key> keys;
    bool needs_models = true;  ///< false: the trainings' settings are enough
    std::unique_ptr<Prepared> (*prepare)(const core::Entries& settings, core::Problems&) = nullptr;
    bool counts_threads = false;  ///< whether results depend on the number of threads
    bool takes_checkpoints = true;
    bool needs_text = false;  ///< a corpus that is a text, and no process
};

/// Every kind, in the order of the documentation (src/measure/catalogue.cpp).
std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);

}  // namespace farfield::measure
