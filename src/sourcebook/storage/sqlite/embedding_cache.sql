-- name: tables_of_others()
-- Somebody may have named a file that is something else.
select name from sqlite_schema where type = 'table' and name not in ('embeddings', 'sqlite_sequence') order by name

-- name: make_embeddings()
create table if not exists embeddings (
    id integer constraint embeddings_key primary key autoincrement,
    key text not null,
    vector blob not null,
    constraint embeddings_identity unique (key)
) strict

-- name: remembered_embeddings(keys)
select key, vector from embeddings where key in (select value from json_each(:keys))

-- name: remember_embedding(key, vector)
insert into embeddings (key, vector) values (:key, :vector) on conflict do nothing

-- name: embeddings_held()
-- How many bytes the file has in use, and how many rows.
select (select page_count from pragma_page_count) - (select freelist_count from pragma_freelist_count) as pages,
       (select page_size from pragma_page_size) as page_size, (select count(*) from embeddings) as rows

-- name: forget_oldest_embeddings(count)
delete from embeddings where id in (select id from embeddings order by id limit :count)
