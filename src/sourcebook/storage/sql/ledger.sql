-- name: take_tokens(user_id, amount, now)
-- What is not there cannot be taken: the condition and the change are one.
update users set token_balance = token_balance - :amount, updated_at = :now
where id = :user_id and token_balance >= :amount

-- name: give_tokens(user_id, amount, now)
update users set token_balance = token_balance + :amount, updated_at = :now where id = :user_id

-- name: insert_transaction(user_id, amount, operation_type, description, idempotency_key, reservation_id, topic_id, admin_id, now)
insert into token_transactions
    (user_id, amount, operation_type, description, idempotency_key, reservation_id, topic_id, admin_id, created_at)
values (:user_id, :amount, :operation_type, :description, :idempotency_key, :reservation_id, :topic_id, :admin_id, :now)
on conflict do nothing
returning id, user_id, amount, operation_type, description, idempotency_key, reservation_id, topic_id, admin_id,
          created_at

-- name: transaction_by_key(idempotency_key)
select id, user_id, amount, operation_type, description, idempotency_key, reservation_id, topic_id, admin_id, created_at
from token_transactions where idempotency_key = :idempotency_key

-- name: transactions_of_user(user_id, limit)
select id, user_id, amount, operation_type, description, idempotency_key, reservation_id, topic_id, admin_id, created_at
from token_transactions where user_id = :user_id order by id desc limit :limit

-- name: count_transactions_of_user(user_id)
select count(*) as count from token_transactions where user_id = :user_id

-- name: insert_reservation(user_id, amount, operation_type, idempotency_key, topic_id, expires_at, now)
insert into reservations
    (user_id, amount, operation_type, status, idempotency_key, topic_id, expires_at, created_at, updated_at)
values (:user_id, :amount, :operation_type, 'held', :idempotency_key, :topic_id, :expires_at, :now, :now)
on conflict do nothing
returning id, user_id, amount, operation_type, status, idempotency_key, topic_id, expires_at, created_at

-- name: reservation_by_id(reservation_id)
select id, user_id, amount, operation_type, status, idempotency_key, topic_id, expires_at, created_at
from reservations where id = :reservation_id

-- name: reservation_by_key(idempotency_key)
select id, user_id, amount, operation_type, status, idempotency_key, topic_id, expires_at, created_at
from reservations where idempotency_key = :idempotency_key

-- name: held_reservations()
-- Few at any time: one for each question that is being answered.
select id, user_id, amount, operation_type, status, idempotency_key, topic_id, expires_at, created_at
from reservations where status = 'held' order by id

-- name: held_in_topic(topic_id)
select id, user_id, amount, operation_type, status, idempotency_key, topic_id, expires_at, created_at
from reservations where status = 'held' and topic_id = :topic_id order by id

-- name: held_by_user(user_id)
select id, user_id, amount, operation_type, status, idempotency_key, topic_id, expires_at, created_at
from reservations where status = 'held' and user_id = :user_id order by id

-- name: end_reservation(reservation_id, status, now)
-- Once: whoever comes second changes nothing.
update reservations set status = :status, updated_at = :now where id = :reservation_id and status = 'held'

-- name: extend_reservation(reservation_id, expires_at, now)
update reservations set expires_at = :expires_at, updated_at = :now where id = :reservation_id and status = 'held'

-- name: topic_was_paid(user_id, topic_id)
select 1 as paid from token_transactions t
join reservations r on r.id = t.reservation_id and r.status = 'settled'
where t.user_id = :user_id and t.topic_id = :topic_id and t.operation_type = 'new_topic' limit 1

-- name: take_follow_up(topic_id, now)
update topics set follow_ups_left = follow_ups_left - 1, updated_at = :now
where id = :topic_id and follow_ups_left >= 1

-- name: give_follow_ups(topic_id, count, now)
update topics set follow_ups_left = follow_ups_left + :count, updated_at = :now where id = :topic_id
