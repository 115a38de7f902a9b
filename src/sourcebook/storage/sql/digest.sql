-- name: digest_collections()
select c.id, c.name, c.description, c.embedding_dimensions, c.distance_metric, m.name as model, m.version, m.recipe,
       m.tokenizer_hash, n.document_count, n.chunk_count, n.word_rows, n.word_length, n.document_word_rows,
       n.document_word_length
from collections c
join models m on m.id = c.active_model_id
join collection_counters n on n.collection_id = c.id
order by c.id

-- name: digest_documents()
select d.collection_id, d.id, d.file_path, d.filename, d.title, d.content, d.content_hash, d.is_bare, {document_columns}
from documents d order by d.collection_id, d.id

-- name: digest_hashes()
select collection_id, file_hash, document_id from document_hashes order by collection_id, file_hash

-- name: digest_paths()
select collection_id, source_id, path, document_id, subcategory, mtime, size from document_paths
order by collection_id, source_id, path

-- name: digest_chunks()
select collection_id, document_id, id, chunk_index, content, start_index, end_index, token_count, level, parent_id, section,
       page_number, metadata
from document_chunks order by collection_id, document_id, id

-- name: digest_terms()
select collection_id, term, chunk_count, document_count from terms order by collection_id, term
