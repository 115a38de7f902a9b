-- name: lock_user(user_id)
-- Whatever changes a person's tokens, topics or questions begins with this: such changes take turns.
select id, telegram_user_id, username, first_name, last_name, language, role, token_balance, is_blocked, forgotten_at,
       created_at, updated_at
from users where id = :user_id for update

-- name: lock_visitor(user_id, topic_id, external_id)
-- A person, as `lock_user` has it, with their topic, and their question as far as it got.
select u.token_balance, t.id, t.user_id, t.session_id, t.channel_key, t.status, t.culture, t.category,
       t.follow_ups_left, t.created_at, t.updated_at, t.closed_at,
       m.id as message_id, m.chat_message_id, m.meta as message_meta
from users u
join topics t on t.id = :topic_id
left join messages m on m.external_id = :external_id
where u.id = :user_id for update of u

-- name: note_draft_of_answer(external_id, draft_id)
update messages set meta = (meta::jsonb || jsonb_build_object('draft_id', :draft_id::bigint))::text where external_id = :external_id

-- name: note_delivery(external_id)
update messages set meta = (meta::jsonb || '{"delivered": true}'::jsonb)::text where external_id = :external_id

-- name: delete_jobs_of_user(user_id)
-- Messages that wait to be sent, or were sent, name whom they are for.
delete from jobs
where owner_id = :user_id::bigint
   or (kind in ('message', 'draft') and payload::jsonb ->> 'user_id' = :user_id::bigint::text)
