-- A search with a filter looks up hundreds of rows one by one. By the id of a chunk alone each is found in one step, where
-- the key takes a step for each level and compares three texts.

create index idx_document_chunks_id on document_chunks using hash (id);

create index idx_vectors_chunk on vectors using hash (chunk_id);
