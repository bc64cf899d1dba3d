"""Published experiments, run again from end to end: corpora, text models, the experiment, its words and its figure."""
