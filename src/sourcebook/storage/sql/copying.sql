-- name: base_is_empty()
select not exists (select 1 from collections) and not exists (select 1 from chat_sessions) as is_empty

-- name: delete_all_users()
-- Of a base that is about to be filled: who was there first comes with the others.
delete from users

-- name: last_change()
select coalesce(max(seq), 0) as seq from changes
