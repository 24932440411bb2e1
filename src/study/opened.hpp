// Checkpoints and texts that several studies of a process read. Each is opened, encoded and digested once.
#pragma once

#include <memory>
#include <string>

#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/train/source.hpp>
#include <farfield/train/text.hpp>

#include "study/trainings.hpp"

namespace farfield::study {

/// A checkpoint without its weights.
struct OpenCheckpoint {
    std::shared_ptr<const checkpoint::Checkpoint> header;
    std::shared_ptr<const train::Encoding> encoding;
    std::string identity;
};

/// The checkpoint of a path. A single file is kept open until the process ends, and opened again if the file at the
/// path was replaced or changed.
OpenCheckpoint open_once(const std::string& path);

/// The corpus of a training, in the tokens of the checkpoint if there is one. A builtin text is kept until the process
/// ends; the user's files are read each time.
std::shared_ptr<const train::Source> open_once(const TrainItem& item, const OpenCheckpoint* checkpoint);

}  // namespace farfield::study
