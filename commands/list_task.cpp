#include "commands/list_task.h"

namespace ultr {

void ListTask::fields(Fields& f) {
  f.text("run", run_, "The folder of a trained run.");
  f.texts("options", data_.options,
          "Options of the format to change, such as on_error=skip; others are as in the run.");
  f.texts("data", data_.files, "Files of lists.");
  f.text("format", data_.format, "Format of the files, as in --list; default: that of the run.");
  f.text("output", output_, output_help_);
}

std::vector<ArgumentForm> ListTask::argument_forms() const {
  return {{"run", "RUN", ArgumentForm::Kind::required_positional},
          {"options", "KEY=VALUE", ArgumentForm::Kind::positional},
          {"data", "FILE", ArgumentForm::Kind::required_option},
          {"format", "NAME"},
          {"output", "FILE"}};
}

}  // namespace ultr
