#include "training/train_options.h"

namespace ultr {

void TrainOptions::fields(Fields& f) {
  f.integer("epochs", epochs, "Maximum number of passes over the training sessions.",
            between(1, 1e9));
  f.integer("batch_size", batch_size, "Sessions per step.", between(1, 1e9));
  f.integer("early_stopping", early_stopping,
            "Stop after this many epochs without a better validation loss; 0: never. The best "
            "parameters are always restored.",
            between(0, 1e9));
  f.word("loss_mean", loss_mean,
         "Average the loss of a batch over its documents, or over each session's documents and "
         "then over sessions.",
         {"documents", "sessions"});
  f.boolean("shuffle", shuffle, "Draw a new order of sessions for every epoch.");
  f.integer("partitions", partitions,
            "Parts of the training log from which each step takes equally many sessions; 0: one "
            "per process (mpirun). Results depend on it, not on the number of processes. Ignored "
            "by em and counting.",
            between(0, 1e6));
}

}  // namespace ultr
