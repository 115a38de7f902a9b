"""One file for each engine, all behind the socket of `benchmarks.speed.engine`."""
