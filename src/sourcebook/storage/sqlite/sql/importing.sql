-- name: import_take_turn()
-- Whoever writes is alone here.

-- name: import_continue_numbers()
-- The database goes on behind the highest number by itself.

-- name: import_open_topics_of(ids)
select t.id, t.updated_at from json_each(:ids) wanted cross join topics t on t.id = wanted.value
where t.status = 'open' order by t.id

-- name: import_draft_states(ids)
select q.id, q.status from json_each(:ids) wanted cross join moderation_queue q on q.id = wanted.value order by q.id
