#include "dsl/divided_model.h"

#include <fmt/core.h>

#include "options/config_tree.h"

namespace ultr {

std::unique_ptr<DividedTables> divide_tables(const TrainableModel& model) {
  const ModelSetting& setting = model.setting();
  if (setting.processes == nullptr) return nullptr;
  std::vector<DividedTable> divided;
  std::vector<EmbeddingTable*> whole;
  for (const auto* layers : {&model.layers(), &model.other_layers()})
    for (const TrainableModel::Layer& layer : *layers) {
      if (!is_of_documents(layer.domain)) {
        for (Parameter* parameter : layer.layer->parameters())
          if (auto* table = dynamic_cast<EmbeddingTable*>(parameter)) whole.push_back(table);
        continue;
      }
      const auto tables = layer.layer->tables_by_entry();
      if (!tables)
        throw ConfigError(fmt::format(
            "model.{}: its layer cannot be divided over {} processes; expected an embedding "
            "without compression, a tower, or one process",
            layer.name, setting.processes->size()));
      for (EmbeddingTable* table : *tables)
        divided.push_back(
            {table, layer.domain == Domain::document_rank ? setting.positions : std::int64_t{1}});
    }
  return std::make_unique<DividedTables>(*setting.processes, std::move(divided), std::move(whole));
}

}  // namespace ultr
