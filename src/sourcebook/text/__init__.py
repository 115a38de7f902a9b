"""Language detection, words, stems, sentences and blocks of a text: the only analyser, used by every room."""
