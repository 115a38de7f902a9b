-- name: insert_session(session_id, title, user_id, face, scope, now)
insert into chat_sessions (id, title, user_id, face, scope, created_at, updated_at)
values (:session_id, :title, :user_id, :face, :scope, :now, :now)

-- name: session_by_id(session_id, user_id)
-- A session is its owner's alone: for anybody else it does not exist.
select s.id, s.title, s.user_id, s.face, s.scope, s.created_at, s.updated_at,
       (select count(*) from chat_messages m where m.session_id = s.id) as message_count
from chat_sessions s where s.id = :session_id and s.user_id = :user_id

-- name: sessions_of_user(user_id, limit)
select s.id, s.title, s.user_id, s.face, s.scope, s.created_at, s.updated_at,
       (select count(*) from chat_messages m where m.session_id = s.id) as message_count
from chat_sessions s where s.user_id = :user_id order by s.updated_at desc, s.id limit :limit

-- name: sessions_behind(user_id, updated_at, session_id, limit)
-- What `sessions_of_user` lists, behind this one.
select s.id, s.title, s.user_id, s.face, s.scope, s.created_at, s.updated_at,
       (select count(*) from chat_messages m where m.session_id = s.id) as message_count
from chat_sessions s
where s.user_id = :user_id
  and (s.updated_at < :updated_at or (s.updated_at = :updated_at and s.id > :session_id))
order by s.updated_at desc, s.id limit :limit

-- name: said_by_user(user_id)
-- A row for each message of a person's conversations, and for a conversation without any.
select s.id, s.title, m.content
from chat_sessions s left join chat_messages m on m.session_id = s.id
where s.user_id = :user_id order by s.updated_at desc, s.id, m.position

-- name: unread_replies(user_id, since)
-- Replies of experts, which have no tier, in conversations that changed lately. Whoever read one left a note of it.
select m.id, m.session_id
from chat_sessions s join chat_messages m on m.session_id = s.id
where s.user_id = :user_id and s.updated_at >= :since and m.role = 'ASSISTANT' and m.tier is null
  and not exists (select 1 from messages n where n.external_id = 'read:' || m.id)
order by m.created_at, m.id

-- name: rename_session(session_id, user_id, title, now)
update chat_sessions set title = :title, updated_at = :now where id = :session_id and user_id = :user_id

-- name: delete_session(session_id, user_id)
delete from chat_sessions where id = :session_id and user_id = :user_id

-- name: touch_session(session_id, title, now)
-- The first question names a conversation that has no title yet. Until the end of the transaction nobody else writes to it.
update chat_sessions set title = coalesce(title, :title), updated_at = :now where id = :session_id

-- name: next_position(session_id)
-- A statement of its own, because one that has to wait for the session would count what was there before.
select coalesce(max(position), -1) + 1 as position from chat_messages where session_id = :session_id

-- name: insert_turn(question_id, answer_id, session_id, question, answer, citations, tier, details, now)
-- A question and its answer at the end of a conversation that is ours until the end of the transaction, as one statement.
insert into chat_messages (id, session_id, position, role, content, citations, tier, details, created_at)
select case when said.place = 0 then cast(:question_id as text) else cast(:answer_id as text) end,
       cast(:session_id as text),
       (select coalesce(max(m.position), -1) + 1 from chat_messages m where m.session_id = :session_id) + said.place,
       case when said.place = 0 then 'USER' else 'ASSISTANT' end,
       case when said.place = 0 then cast(:question as text) else cast(:answer as text) end,
       case when said.place = 0 then null else cast(:citations as text) end,
       case when said.place = 0 then null else cast(:tier as text) end,
       case when said.place = 0 then '{}' else cast(:details as text) end,
       cast(:now as bigint)
from (select 0 as place union all select 1 as place) said
returning position

-- name: insert_chat_message(message_id, session_id, position, role, content, citations, tier, details, now)
insert into chat_messages (id, session_id, position, role, content, citations, tier, details, created_at)
values (:message_id, :session_id, :position, :role, :content, :citations, :tier, :details, :now)

-- name: session_messages(session_id)
select id, session_id, position, role, content, citations, tier, details, created_at
from chat_messages where session_id = :session_id order by position

-- name: last_session_messages(session_id, limit)
select id, session_id, position, role, content, citations, tier, details, created_at
from chat_messages where session_id = :session_id order by position desc limit :limit

-- name: recalled_session(session_id, user_id, limit)
-- A session and its last messages; one row without a message if nothing was said yet.
select s.id as of_session, s.title, s.user_id, s.face, s.scope, s.created_at as begun_at, s.updated_at,
       m.id, m.session_id, m.position, m.role, m.content, m.citations, m.tier, m.details, m.created_at
from chat_sessions s
left join (select * from chat_messages where session_id = :session_id order by position desc limit :limit) m
    on m.session_id = s.id
where s.id = :session_id and s.user_id = :user_id
order by m.position
