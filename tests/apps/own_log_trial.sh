# From a shop's click log to relevance by name, labels and a trained ranker: own_log_trial_test.cpp runs these
# commands on a log that it makes up, and compares with the truth. Each line is one command.
ultr-run diagnose shop.yaml
ultr-run shop.yaml output=run
ultr-run relevance run --output relevance.csv
ultr-run labels run --features products.csv --judged judged.csv --document-column product_id --output labels
ultr-run ranker.yaml output=ranker
