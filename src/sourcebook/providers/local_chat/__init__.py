"""A chat model on this machine: GGUF weights, run by llama.cpp in a child process of Sourcebook's own."""
