-- name: lock_user(user_id)
-- Whatever changes a person's tokens, topics or questions begins with this: such changes take turns.
select id, telegram_user_id, username, first_name, last_name, language, role, token_balance, is_blocked, forgotten_at,
       created_at, updated_at
from users where id = :user_id for update

-- name: delete_jobs_of_user(user_id)
-- Messages that wait to be sent, or were sent, name whom they are for.
delete from jobs
where owner_id = :user_id::bigint
   or (kind in ('message', 'draft') and payload::jsonb ->> 'user_id' = :user_id::bigint::text)
