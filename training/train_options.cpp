#include "training/train_options.h"

namespace ultr {

void TrainOptions::fields(Fields& f) {
  f.integer("epochs", epochs, "Passes over the training sessions at most.", between(1, 1e9));
  f.integer("batch_size", batch_size, "Sessions a step.", between(1, 1e9));
  f.integer("early_stopping", early_stopping,
            "Stop after so many epochs without a better validation loss; 0: never. The best "
            "parameters are restored always.",
            between(0, 1e9));
  f.word("loss_mean", loss_mean,
         "The loss of a batch: the mean over its documents, or over each session's documents and "
         "then over sessions.",
         {"documents", "sessions"});
  f.boolean("shuffle", shuffle, "Draw a new order of sessions for every epoch.");
  f.integer("partitions", partitions,
            "Parts of the training log, of each of which a step takes as many sessions; 0: one a "
            "process (mpirun). Results depend on it, not on the number of processes. em and "
            "counting take all sessions at once and leave it aside.",
            between(0, 1e6));
}

}  // namespace ultr
