"""What words mean to the analyser, by the lists of words in `text/lists`."""
