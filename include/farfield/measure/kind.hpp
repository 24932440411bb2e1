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

/// A [train.NAME] with its models, one for each seed; or a [checkpoint.NAME] as a single training with the checkpoint's
/// shape, scheme and text.
struct Subject {
    std::string name;                                                ///< "windows[w=8]"
    std::vector<train::Training> trainings;                          ///< one a seed, alike otherwise
    std::vector<std::shared_ptr<const model::Model<float>>> models;  ///< of each; null where the training diverged
    std::shared_ptr<const Network> checkpoint = nullptr;             ///< in place of models, once it is read
    bool is_checkpoint = false;

    const train::Source& source() const { return *trainings.front().source; }
    std::size_t train_length() const { return trainings.front().config.train_length; }
};

/// The inputs of a quantity during its computation.
struct Inputs {
    const Subject& subject;
    const Subject* against = nullptr;  ///< the training that `against` names
    std::size_t processors = 1;
    std::function<bool()> interrupted = [] { return false; };
};

/// The rows that a quantity takes from a source, and the place in the study that requests them.
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
    bool needs_gradient = false;  ///< of an output with respect to the inputs
    /// What chooses the scored tokens: a key, or the kind itself. Rows of copy and parity state them, and allow no
    /// choice.
    struct Choice {
        std::string_view by;
        core::Place place;
    };
    std::vector<Choice> choices = {};
};

/// The models whose memory is estimated: the training of the first seed, and the number of seeds.
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

/// The memory of a measurement in addition to the models, and its description: "attention of 't' at length 512".
struct Memory {
    std::vector<train::MemoryPart> parts;
    std::string what;
};

/// The operations of one forward pass over so many tokens.
using Pass = std::function<double(std::size_t tokens)>;

/// A checked quantity, ready to be measured.
class Prepared {
public:
    virtual ~Prepared() = default;
    /// About how many operations the quantity takes, to estimate its time. A backward pass counts as two forward ones.
    virtual double operations(const Pass& pass) const = 0;
    /// The rows that the quantity feeds to the models; empty if there are none.
    virtual Feed feed() const { return {}; }
    /// Adds a problem if the scheme lacks something that the quantity requires.
    virtual void check(const scheme::Scheme&, core::Problems&) const {}
    /// Adds a problem if the shape lacks something that the quantity requires. The shape of a checkpoint is known once
    /// it is open.
    virtual void check_shape(const model::Config&, core::Problems&) const {}
    /// The memory that the quantity needs; no parts if it needs little. Throws core::PreconditionError for a shape or
    /// scheme that a model refuses.
    virtual Memory memory(const Measured&) const { return {}; }
    /// Throws core::MissingError if this memory is not available. The models of the subject need not exist yet, because
    /// this is checked before they are trained. For a checkpoint, each pass makes its own check.
    void require_memory(const Inputs& inputs) const;
    /// A result with the names of the quantity's values and columns, and with meaningless numbers. Claims are checked
    /// against these names before the models are trained. It contains every name that run() gives, and may contain
    /// more.
    virtual core::Result outline(const Inputs&) const = 0;
    /// Measures the quantity. Values are means over the seeds whose training did not diverge. If interrupted, it stops
    /// soon, and the result is invalid. Throws core::UserError if the corpus is too short.
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
    bool needs_text = false;                   ///< a corpus that is a text, and no process
    std::vector<std::string_view> facts = {};  ///< as in quantity::Kind, of the fields without their brackets
};

/// Every kind, in the order of the documentation (src/measure/catalogue.cpp).
std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);

}  // namespace farfield::measure
