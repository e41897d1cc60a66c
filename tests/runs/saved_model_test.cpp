#include "runs/saved_model.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "commands/built_in_registry.h"
#include "experiment/run_directory.h"
#include "testing/errors.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"
#include "testing/thread_communicator.h"
#include "training/evaluation.h"
#include "training/predictor.h"

namespace ultr::saved_model_test {
namespace {

namespace fs = std::filesystem;
using testing::data_message;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns all that a model predicts of a log, and its evaluation.
std::vector<double> predictions(const SavedModel& saved, const SessionLog& log, int threads) {
  Predictor predictor(saved.model(), threads);
  std::vector<double> numbers;
  for (const std::vector<double>& some :
       {predictor.relevance(log), predictor.click(log), predictor.click_given_clicks_above(log)})
    numbers.insert(numbers.end(), some.begin(), some.end());
  std::vector<SessionLikelihood> each(log.sessions());
  numbers.push_back(evaluate_clicks(saved.model(), log, LossMean::documents, threads, each).loss);
  for (const SessionLikelihood& session : each) numbers.push_back(session.conditional);
  return numbers;
}

/// Tests with the run folder of an untrained model.
class SavedModelTest : public ::testing::Test {
 protected:
  const RunDirectory& save(const std::string& type) {
    folder_.emplace((parent_.path() / type).string(), type);
    folder_->create();
    folder_->write("config.yaml", "model: " + type + "\n");
    folder_->write_model(testing::model_for(type, data_.dataset), data_.dataset.dictionary);
    return *folder_;
  }
  SavedModel load() { return {folder_->path(), registry_}; }
  /// Returns the error message for the saved pbm, without the name of the folder.
  std::string refusal() {
    const std::string message = data_message([&] { load(); });
    EXPECT_THAT(message, StartsWith(folder_->path().string()));
    return message.substr(folder_->path().string().size());
  }
  fs::path model_file(const std::string& name) const { return folder_->path() / "model" / name; }

  const testing::TemporaryFolder parent_;
  const ExperimentData data_ = testing::small_simulation();
  Registry registry_ = built_in_registry();
  std::optional<RunDirectory> folder_;
};

TEST_F(SavedModelTest, EveryModelRoundTrips) {
  for (const ModelType& type : model_types()) {
    save(type.name);
    const SavedModel saved = load();
    const TrainableModel written = testing::model_for(type.name, data_.dataset);
    EXPECT_EQ(saved.model().type(), type.name);
    EXPECT_EQ(testing::values_of(saved.model()), testing::values_of(written)) << type.name;
    EXPECT_EQ(saved.dictionary().documents(), data_.dataset.dictionary.documents());
    EXPECT_EQ(saved.model().setting().positions, 5);
    EXPECT_EQ(saved.features(), 0u);
  }
}

/// Tests processes that each hold a part of the tables of query-document pairs, with threads in
/// their place.
TEST_F(SavedModelTest, SeveralProcessesPredictToTheBitsOfOne) {
  SessionLog log;  // of several shards
  for (std::size_t i = 0; i < 700; ++i)
    log.add(data_.dataset.train[i % data_.dataset.train.sessions()]);
  for (const ModelType& type : model_types()) {
    save(type.name);
    const std::vector<double> alone = predictions(load(), log, 2);
    for (const int count : {2, 3})
      testing::ThreadCommunicators(count).run([&](Communicator& processes) {
        Registry registry = built_in_registry();
        const SavedModel saved(folder_->path(), registry, &processes);
        EXPECT_EQ(predictions(saved, log, processes.process() + 1), alone) << type.name;
      });
  }
}

TEST_F(SavedModelTest, AModelThatCannotBeDividedSaysSo) {
  save("pbm");
  folder_->write("config.yaml", "model: {type: pbm, attraction: table}\n");
  testing::ThreadCommunicators(2).run([&](Communicator& processes) {
    Registry registry = built_in_registry();
    EXPECT_THAT(
        testing::config_message([&] { SavedModel(folder_->path(), registry, &processes); }),
        StartsWith("model.attraction: its layer cannot be divided over 2 processes; expected"));
  });
}

TEST_F(SavedModelTest, MissingFilesAreNamed) {
  EXPECT_EQ(
      data_message([&] { SavedModel(parent_.path() / "none", registry_); }),
      (parent_.path() / "none").string() + ": there is no such folder; expected that of a run");
  save("pbm");
  fs::remove(folder_->path() / "config.yaml");
  EXPECT_EQ(refusal(), ": has no config.yaml; expected the folder of a finished run");
  folder_->write("config.yaml", "model: pbm\n");
  for (const char* file : {"attraction.npy", "dictionary.document.npy"}) {
    fs::rename(model_file(file), model_file("aside"));
    EXPECT_THAT(refusal(), StartsWith("/model/" + std::string(file) + ": ")) << file;
    fs::rename(model_file("aside"), model_file(file));
  }
  fs::remove(model_file("dictionary.query.npy"));
  EXPECT_THAT(refusal(), StartsWith("/model: has no dictionary; "));
  fs::remove(model_file("model.json"));
  EXPECT_EQ(refusal(), ": has no model/model.json; expected the folder of a finished run");
}

TEST_F(SavedModelTest, ParametersMustHaveTheirShapeAndBeFinite) {
  save("pbm");
  write_npy(model_file("examination.npy"), std::vector<float>(6));
  EXPECT_EQ(refusal(),
            "/model/examination.npy: is [6]; expected [5], as the run's configuration says");
  write_npy(model_file("examination.npy"), std::vector<float>(10), 2);
  EXPECT_EQ(refusal(),
            "/model/examination.npy: is [5, 2]; expected [5], as the run's configuration says");
  write_npy(model_file("examination.npy"), std::vector<double>(5));
  EXPECT_THAT(refusal(), StartsWith("/model/examination.npy: "));
  std::vector<float> values(5);
  values[3] = std::numeric_limits<float>::infinity();
  write_npy(model_file("examination.npy"), values);
  EXPECT_EQ(refusal(), "/model/examination.npy: entry 3 is inf; expected a finite number");
}

TEST_F(SavedModelTest, FilesMustFitTogether) {
  save("pbm");
  folder_->write("config.yaml", "model: dbn\n");
  EXPECT_EQ(refusal(), "/model/model.json: type is \"pbm\"; expected 'dbn', as config.yaml says");
  folder_->write("config.yaml", "model: {type: pbm, attraction: {baseline: false}}\n");
  EXPECT_EQ(refusal(),
            "/model/model.json: 3 parameters; expected 2, those of the run's configuration");
  folder_->write("config.yaml", "model: nothing\n");
  EXPECT_THAT(refusal(), HasSubstr("config.yaml:1:8: model is 'nothing'; expected one of"));
  folder_->write("config.yaml", "model: pbm\n");
  const std::string json = testing::read_text(model_file("model.json"));
  for (const auto& [wrong, message] : std::vector<std::pair<std::string, std::string>>{
           {"{", ": is not a JSON object; expected the description of a model"},
           {"[]", ": is not a JSON object; expected the description of a model"},
           {"{}", ": rows is missing; expected a whole number from 1 to 4294967296"},
           {R"({"rows": 3})", ": rows is 3; expected 57, as the dictionary has"},
           {R"({"rows": 57, "positions": -1})",
            ": positions is -1; expected a whole number from 1 to 65536"}}) {
    folder_->write("model/model.json", wrong);
    EXPECT_EQ(refusal(), "/model/model.json" + message);
  }
  folder_->write("model/model.json", json);
  EXPECT_EQ(load().dictionary().rows(), 57) << "nothing else was wrong";
}

}  // namespace
}  // namespace ultr::saved_model_test
