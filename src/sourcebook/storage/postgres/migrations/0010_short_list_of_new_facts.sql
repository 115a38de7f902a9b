-- What was added last waits in a list of the index, which every search with a filter reads to its end. 64 kB of it take a
-- tenth of a millisecond; the 4 MB that are the default take several.

alter index idx_document_chunks_facts set (gin_pending_list_limit = 64);
