"""Models in the ONNX format that read two texts together: rerankers, readers and judges; and what all models share."""
