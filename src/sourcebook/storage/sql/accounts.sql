-- name: insert_account(user_id, login, password_hash, is_bound, now)
insert into accounts (user_id, login, password_hash, is_bound, created_at, updated_at)
values (:user_id, :login, :password_hash, :is_bound, :now, :now)
on conflict do nothing
returning id

-- name: account_by_login(login)
select a.id, a.user_id, a.login, a.password_hash, a.is_bound, a.last_login_at, a.created_at,
       u.role, u.is_blocked, u.forgotten_at
from accounts a join users u on u.id = a.user_id where a.login = :login

-- name: all_accounts()
select a.id, a.user_id, a.login, a.password_hash, a.is_bound, a.last_login_at, a.created_at,
       u.role, u.is_blocked, u.forgotten_at
from accounts a join users u on u.id = a.user_id order by a.login

-- name: account_of_session(token_hash, now)
select a.id, a.user_id, a.login, a.password_hash, a.is_bound, a.last_login_at, a.created_at,
       u.role, u.is_blocked, u.forgotten_at
from account_sessions s
join accounts a on a.id = s.account_id
join users u on u.id = a.user_id
where s.token_hash = :token_hash and s.expires_at > :now

-- name: any_account()
select 1 as one from accounts limit 1

-- name: any_key(now)
select 1 as one from api_keys
where revoked_at is null and (expires_at is null or expires_at > :now) limit 1

-- name: set_account_password(account_id, password_hash, now)
update accounts set password_hash = :password_hash, updated_at = :now where id = :account_id

-- name: set_account_bound(account_id, is_bound, now)
update accounts set is_bound = :is_bound, updated_at = :now where id = :account_id

-- name: note_sign_in(account_id, now)
update accounts set last_login_at = :now where id = :account_id

-- name: delete_account(account_id)
delete from accounts where id = :account_id

-- name: collections_of_user(user_id)
select collection_id from user_collections where user_id = :user_id order by collection_id

-- name: collections_of_users()
select user_id, collection_id from user_collections order by user_id, collection_id

-- name: bind_user(user_id, collection_id)
insert into user_collections (user_id, collection_id) values (:user_id, :collection_id) on conflict do nothing

-- name: insert_account_session(token_hash, account_id, expires_at, now)
insert into account_sessions (token_hash, account_id, expires_at, created_at)
values (:token_hash, :account_id, :expires_at, :now)

-- name: delete_account_session(token_hash)
delete from account_sessions where token_hash = :token_hash

-- name: delete_sessions_of_account(account_id)
delete from account_sessions where account_id = :account_id

-- name: delete_expired_account_sessions(now)
delete from account_sessions where expires_at <= :now

-- name: claim_attempts(subject_hash, now)
-- Locks the row, made if need be, so that guesses made at the same time take turns.
insert into sign_in_attempts (subject_hash, attempts, locked_until, last_at) values (:subject_hash, 0, 0, :now)
on conflict (subject_hash) do update set last_at = sign_in_attempts.last_at
returning locked_until

-- name: count_attempt(subject_hash, forgotten_before, now)
update sign_in_attempts
set attempts = case when last_at <= :forgotten_before then 1 else attempts + 1 end, last_at = :now
where subject_hash = :subject_hash
returning attempts

-- name: lock_attempts(subject_hash, locked_until)
update sign_in_attempts set locked_until = :locked_until where subject_hash = :subject_hash

-- name: undo_attempt(subject_hash, free)
-- One that succeeded is no guess.
update sign_in_attempts
set attempts = attempts - 1, locked_until = case when attempts - 1 < :free then 0 else locked_until end
where subject_hash = :subject_hash and attempts > 0

-- name: delete_attempts(subject_hash)
delete from sign_in_attempts where subject_hash = :subject_hash

-- name: delete_old_attempts(forgotten_before)
delete from sign_in_attempts where last_at <= :forgotten_before

-- name: insert_key(user_id, name, prefix, key_hash, scopes, is_bound, expires_at, now)
insert into api_keys (user_id, name, prefix, key_hash, scopes, is_bound, expires_at, created_at)
values (:user_id, :name, :prefix, :key_hash, :scopes, :is_bound, :expires_at, :now)
returning id

-- name: bind_key(api_key_id, collection_id)
insert into api_key_collections (api_key_id, collection_id) values (:api_key_id, :collection_id)
on conflict do nothing

-- name: all_keys()
select k.id, k.user_id, k.name, k.prefix, k.scopes, k.is_bound, k.expires_at, k.revoked_at, k.last_used_at,
       k.created_at, a.login
from api_keys k left join accounts a on a.user_id = k.user_id order by k.id

-- name: key_by_id(key_id)
select k.id, k.user_id, k.name, k.prefix, k.scopes, k.is_bound, k.expires_at, k.revoked_at, k.last_used_at,
       k.created_at, a.login
from api_keys k left join accounts a on a.user_id = k.user_id where k.id = :key_id

-- name: key_by_hash(key_hash, now)
-- A key acts for its person: it can do nothing that the person cannot do.
select k.id, k.user_id, k.name, k.scopes, k.is_bound, k.last_used_at, u.role, u.is_blocked, u.forgotten_at,
       coalesce(a.is_bound, 0) as is_person_bound
from api_keys k
join users u on u.id = k.user_id
left join accounts a on a.user_id = k.user_id
where k.key_hash = :key_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > :now)

-- name: collections_of_key(api_key_id)
select collection_id from api_key_collections where api_key_id = :api_key_id order by collection_id

-- name: collections_of_keys()
select api_key_id, collection_id from api_key_collections order by api_key_id, collection_id

-- name: revoke_key(key_id, now)
update api_keys set revoked_at = :now where id = :key_id and revoked_at is null

-- name: revoke_keys_of_user(user_id, now)
update api_keys set revoked_at = :now where user_id = :user_id and revoked_at is null

-- name: note_key_use(key_id, now, before)
update api_keys set last_used_at = :now where id = :key_id and (last_used_at is null or last_used_at <= :before)

-- name: existing_collections()
select id from collections order by id
