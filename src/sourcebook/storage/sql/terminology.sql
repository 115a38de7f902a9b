-- name: terminology_entries()
select id, term, preferred_phrase, description, language, created_at from terminology order by term_key

-- name: put_terminology(term, term_key, preferred_phrase, description, language, now)
insert into terminology (term, term_key, preferred_phrase, description, language, created_at)
values (:term, :term_key, :preferred_phrase, :description, :language, :now)
on conflict (term_key) do update
set term = excluded.term, preferred_phrase = excluded.preferred_phrase, description = excluded.description,
    language = excluded.language
returning id, term, preferred_phrase, description, language, created_at

-- name: delete_terminology(term_key)
delete from terminology where term_key = :term_key
