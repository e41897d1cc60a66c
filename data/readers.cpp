#include "data/readers.h"

#include "data/columns.h"
#include "data/open_bandit.h"
#include "data/tiangong.h"
#include "data/yandex.h"

namespace ultr {

const std::vector<ReaderType>& reader_types() {
  static const std::vector<ReaderType> types = {
      {"tiangong", "TianGong-ST sessions as neural click models read them, a list a line.",
       read_tiangong},
      {"yandex",
       "Yandex relevance prediction challenge (WSCD 2012), queries and clicks line by line.",
       read_yandex},
      {"open_bandit", "Open Bandit Dataset, a CSV of impressions: each is a list of one document.",
       read_open_bandit},
      {"columns", "A folder of .npy columns with documents and clicks, memory-mapped.",
       read_columns_log},
  };
  return types;
}

}  // namespace ultr
