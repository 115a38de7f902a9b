-- Accounts and API keys: who is signed in, and whom to make wait.

-- A collection that is removed takes its bindings with it. With this mark, who was bound to it alone then sees nothing
-- instead of everything.
alter table accounts add column is_bound bigint not null default 0;

alter table api_keys add column is_bound bigint not null default 0;

create unique index idx_accounts_user on accounts (user_id);

create table account_sessions (
    token_hash text collate "C" not null,
    account_id bigint not null,
    expires_at bigint not null,
    created_at bigint not null,
    constraint account_sessions_key primary key (token_hash),
    constraint account_sessions_account foreign key (account_id) references accounts (id) on delete cascade
);

create index idx_account_sessions_account on account_sessions (account_id);

create table sign_in_attempts (
    subject_hash text collate "C" not null,
    attempts bigint not null,
    locked_until bigint not null,
    last_at bigint not null,
    constraint sign_in_attempts_key primary key (subject_hash)
);

create index idx_sign_in_attempts_last on sign_in_attempts (last_at);
