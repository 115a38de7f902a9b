-- name: user_by_id(user_id)
select id, telegram_user_id, username, first_name, last_name, language, role, token_balance, is_blocked, forgotten_at,
       created_at, updated_at
from users where id = :user_id

-- name: user_by_telegram(telegram_user_id)
select id, telegram_user_id, username, first_name, last_name, language, role, token_balance, is_blocked, forgotten_at,
       created_at, updated_at
from users where telegram_user_id = :telegram_user_id

-- name: insert_user(telegram_user_id, username, first_name, last_name, language, role, now)
insert into users (telegram_user_id, username, first_name, last_name, language, role, created_at, updated_at)
values (:telegram_user_id, :username, :first_name, :last_name, :language, :role, :now, :now)
on conflict do nothing
returning id, telegram_user_id, username, first_name, last_name, language, role, token_balance, is_blocked,
          forgotten_at, created_at, updated_at

-- name: refresh_user(user_id, username, first_name, last_name, language, now)
-- A language that is known was perhaps chosen, and stays.
update users
set username = :username, first_name = :first_name, last_name = :last_name,
    language = coalesce(language, :language), updated_at = :now
where id = :user_id

-- name: users_of_role(role)
-- Those who were forgotten are nobody.
select id, telegram_user_id, username, first_name, last_name, language, role, token_balance, is_blocked, forgotten_at,
       created_at, updated_at
from users where forgotten_at is null and (cast(:role as text) is null or role = :role) order by id

-- name: count_users()
-- The one at the keyboard is always there.
select count(*) as count from users where forgotten_at is null and id <> 1

-- name: set_user_role(user_id, role, now)
update users set role = :role, updated_at = :now where id = :user_id and forgotten_at is null

-- name: set_user_language(user_id, language, now)
update users set language = :language, updated_at = :now where id = :user_id and forgotten_at is null

-- name: set_user_blocked(user_id, is_blocked, now)
update users set is_blocked = :is_blocked, updated_at = :now where id = :user_id and forgotten_at is null

-- name: nameless_user(user_id, now)
update users
set telegram_user_id = null, username = null, first_name = null, last_name = null, language = null, role = 'user',
    is_blocked = 0, forgotten_at = :now, updated_at = :now
where id = :user_id

-- name: delete_messages_of_user(user_id)
delete from messages where user_id = :user_id

-- name: delete_sessions_of_user(user_id)
delete from chat_sessions where user_id = :user_id

-- name: curated_of_user(user_id)
select k.id from knowledge_base k
where k.draft_id in (select q.id from moderation_queue q where q.user_id = :user_id)
   or k.id in (select q.kb_id from moderation_queue q where q.user_id = :user_id)
order by k.id

-- name: detach_curated_of_user(user_id)
update knowledge_base set draft_id = null
where draft_id in (select q.id from moderation_queue q where q.user_id = :user_id)

-- name: delete_drafts_of_user(user_id)
delete from moderation_queue where user_id = :user_id

-- name: delete_confirmations_of_user(user_id)
delete from knowledge_base_confirmations where user_id = :user_id

-- name: delete_lone_wordings()
-- Words that only a person who is forgotten had used, and that nobody decided on.
delete from knowledge_base_wordings
where status in ('proposed', 'confirmed')
  and not exists (select 1 from knowledge_base_confirmations c where c.wording_id = knowledge_base_wordings.id)

-- name: delete_accounts_of_user(user_id)
delete from accounts where user_id = :user_id

-- name: delete_keys_of_user(user_id)
delete from api_keys where user_id = :user_id

-- name: delete_bounds_of_user(user_id)
delete from user_collections where user_id = :user_id

-- name: nameless_transactions(user_id)
-- A key may hold the number of a chat, a description anything.
update token_transactions set description = null, idempotency_key = 'forgotten:' || id where user_id = :user_id

-- name: nameless_reservations(user_id)
update reservations set idempotency_key = 'forgotten:' || id where user_id = :user_id

-- name: open_topic(user_id, channel_key)
select id, user_id, session_id, channel_key, status, culture, category, follow_ups_left, created_at, updated_at,
       closed_at
from topics where user_id = :user_id and channel_key = :channel_key and status = 'open'

-- name: topic_to_enter(user_id, channel_key, question_key)
-- The open topic with what a question in it depends on: whether it was paid for, whether somebody is answering, and
-- whether this question was asked before. Without such a topic, a row that tells the last alone.
select t.id, t.user_id, t.session_id, t.channel_key, t.status, t.culture, t.category, t.follow_ups_left, t.created_at,
       t.updated_at, t.closed_at,
       case when exists (
           select 1 from token_transactions p join reservations r on r.id = p.reservation_id and r.status = 'settled'
           where p.user_id = :user_id and p.topic_id = t.id and p.operation_type = 'new_topic') then 1 else 0 end as is_paid,
       case when exists (
           select 1 from reservations h where h.status = 'held' and h.topic_id = t.id) then 1 else 0 end as is_held,
       case when exists (
           select 1 from messages m where m.external_id = :question_key) then 1 else 0 end as is_logged
from (select 1 as always) o
left join topics t on t.user_id = :user_id and t.channel_key = :channel_key and t.status = 'open'

-- name: topic_to_continue(user_id, session_id, question_key)
-- The topic around a conversation, open or not, as `topic_to_enter` has it.
select t.id, t.user_id, t.session_id, t.channel_key, t.status, t.culture, t.category, t.follow_ups_left, t.created_at,
       t.updated_at, t.closed_at,
       case when exists (
           select 1 from token_transactions p join reservations r on r.id = p.reservation_id and r.status = 'settled'
           where p.user_id = :user_id and p.topic_id = t.id and p.operation_type = 'new_topic') then 1 else 0 end as is_paid,
       case when exists (
           select 1 from reservations h where h.status = 'held' and h.topic_id = t.id) then 1 else 0 end as is_held,
       case when exists (
           select 1 from messages m where m.external_id = :question_key) then 1 else 0 end as is_logged
from (select 1 as always) o
left join topics t on t.user_id = :user_id and t.session_id = :session_id order by t.id desc limit 1

-- name: topic_by_id(topic_id)
select id, user_id, session_id, channel_key, status, culture, category, follow_ups_left, created_at, updated_at,
       closed_at
from topics where id = :topic_id

-- name: topics_of_user(user_id, limit)
select id, user_id, session_id, channel_key, status, culture, category, follow_ups_left, created_at, updated_at,
       closed_at
from topics where user_id = :user_id order by id desc limit :limit

-- name: insert_topic_session(session_id, user_id, face, channel_key, scope, now)
insert into chat_sessions (id, user_id, face, channel_key, scope, created_at, updated_at)
values (:session_id, :user_id, :face, :channel_key, :scope, :now, :now)

-- name: insert_topic(user_id, session_id, channel_key, culture, category, now)
insert into topics (user_id, session_id, channel_key, status, culture, category, created_at, updated_at)
values (:user_id, :session_id, :channel_key, 'open', :culture, :category, :now, :now)
returning id, user_id, session_id, channel_key, status, culture, category, follow_ups_left, created_at, updated_at,
          closed_at

-- name: close_topic(topic_id, now)
update topics set status = 'closed', closed_at = :now, updated_at = :now where id = :topic_id and status = 'open'

-- name: set_topic_culture(topic_id, culture, category, now)
update topics set culture = :culture, category = :category, updated_at = :now where id = :topic_id

-- name: delete_topic_session(topic_id)
-- The conversation takes the topic and its messages with it.
delete from chat_sessions where id = (select t.session_id from topics t where t.id = :topic_id)

-- name: insert_message(user_id, direction, text, session_id, topic_id, chat_message_id, external_id, meta, now)
insert into messages (user_id, direction, text, session_id, topic_id, chat_message_id, external_id, meta, created_at)
values (:user_id, :direction, :text, :session_id, :topic_id, :chat_message_id, :external_id, :meta, :now)
on conflict do nothing
returning id

-- name: message_by_id(message_id)
select m.id, m.user_id, m.direction, coalesce(m.text, c.content) as text, m.session_id, m.topic_id, m.chat_message_id,
       m.external_id, m.meta, m.created_at
from messages m left join chat_messages c on c.id = m.chat_message_id where m.id = :message_id

-- name: message_by_external(external_id)
select m.id, m.user_id, m.direction, coalesce(m.text, c.content) as text, m.session_id, m.topic_id, m.chat_message_id,
       m.external_id, m.meta, m.created_at
from messages m left join chat_messages c on c.id = m.chat_message_id where m.external_id = :external_id

-- name: messages_of_visit(question_key, answer_key)
select m.id, m.user_id, m.direction, coalesce(m.text, c.content) as text, m.session_id, m.topic_id, m.chat_message_id,
       m.external_id, m.meta, m.created_at
from messages m left join chat_messages c on c.id = m.chat_message_id
where m.external_id in (:question_key, :answer_key)

-- name: last_message_of_user(user_id, direction)
select m.id, m.user_id, m.direction, coalesce(m.text, c.content) as text, m.session_id, m.topic_id, m.chat_message_id,
       m.external_id, m.meta, m.created_at
from messages m left join chat_messages c on c.id = m.chat_message_id
where m.user_id = :user_id and m.direction = :direction order by m.id desc limit 1

-- name: messages_of_topic(topic_id, limit)
select m.id, m.user_id, m.direction, coalesce(m.text, c.content) as text, m.session_id, m.topic_id, m.chat_message_id,
       m.external_id, m.meta, m.created_at
from messages m left join chat_messages c on c.id = m.chat_message_id
where m.topic_id = :topic_id order by m.id desc limit :limit

-- name: set_message_meta(message_id, meta)
update messages set meta = :meta where id = :message_id

-- name: bind_message(message_id, chat_message_id)
-- Once the conversation holds the words, they are nowhere else.
update messages set text = null, chat_message_id = :chat_message_id where id = :message_id

-- name: chat_message_by_id(message_id)
select id, session_id, position, role, content, citations, tier, details, created_at
from chat_messages where id = :message_id

-- name: due_drafts(now)
select payload from jobs where kind = 'draft' and status = 'pending' and run_at <= :now order by id limit 100

-- name: delete_draft_job(unique_key)
-- Nobody finishes such a job: it waits, or there is none. By its status too it is found in the index of what waits.
delete from jobs where kind = 'draft' and unique_key = :unique_key and status in ('pending', 'doing')
