-- Curated answers learn how people ask: other wordings of their questions, and who said that they ask the same.
-- A draft knows of which it is a repeat, and a source whether what stands around its quote has changed.

create table knowledge_base_wordings (
    id integer not null,
    knowledge_base_id integer not null,
    question text not null,
    question_key text not null,
    status text not null,
    decided_by integer,
    decided_at integer,
    created_at integer not null,
    constraint knowledge_base_wordings_key primary key (id),
    constraint knowledge_base_wordings_question unique (knowledge_base_id, question_key),
    constraint knowledge_base_wordings_entry foreign key (knowledge_base_id)
        references knowledge_base (id) on delete cascade,
    constraint knowledge_base_wordings_decider foreign key (decided_by) references users (id),
    constraint knowledge_base_wordings_status check (status in ('proposed', 'confirmed', 'accepted', 'rejected'))
) strict;

create table knowledge_base_wording_vectors (
    wording_id integer not null,
    model_id integer not null,
    vector blob not null,
    constraint knowledge_base_wording_vectors_key primary key (wording_id, model_id),
    constraint knowledge_base_wording_vectors_wording foreign key (wording_id)
        references knowledge_base_wordings (id) on delete cascade,
    constraint knowledge_base_wording_vectors_model foreign key (model_id) references models (id)
) strict;

create table knowledge_base_confirmations (
    wording_id integer not null,
    user_id integer not null,
    created_at integer not null,
    constraint knowledge_base_confirmations_key primary key (wording_id, user_id),
    constraint knowledge_base_confirmations_wording foreign key (wording_id)
        references knowledge_base_wordings (id) on delete cascade,
    constraint knowledge_base_confirmations_user foreign key (user_id) references users (id)
) strict;

alter table knowledge_base_sources add column context_change text;

alter table moderation_queue add column same_as integer
    constraint moderation_queue_repeat references moderation_queue (id) on delete set null;

create index idx_moderation_same on moderation_queue (same_as) where same_as is not null;
