-- name: import_take_turn()
-- Numbers are given out here that others must not be given meanwhile. Readers are not held up.
lock table users, topics, messages, token_transactions, knowledge_base, moderation_queue in share row exclusive mode

-- name: import_continue_numbers()
-- Numbers that were not asked of the tables are not known to them.
select setval(pg_get_serial_sequence('users', 'id'), (select coalesce(max(id), 1) from users)),
       setval(pg_get_serial_sequence('topics', 'id'), (select coalesce(max(id), 1) from topics)),
       setval(pg_get_serial_sequence('messages', 'id'), (select coalesce(max(id), 1) from messages)),
       setval(pg_get_serial_sequence('token_transactions', 'id'), (select coalesce(max(id), 1) from token_transactions)),
       setval(pg_get_serial_sequence('knowledge_base', 'id'), (select coalesce(max(id), 1) from knowledge_base)),
       setval(pg_get_serial_sequence('moderation_queue', 'id'), (select coalesce(max(id), 1) from moderation_queue))

-- name: import_open_topics_of(ids)
select t.id, t.updated_at from unnest(:ids::bigint[]) wanted (value) join topics t on t.id = wanted.value
where t.status = 'open' order by t.id

-- name: import_draft_states(ids)
select q.id, q.status from unnest(:ids::bigint[]) wanted (value) join moderation_queue q on q.id = wanted.value order by q.id
