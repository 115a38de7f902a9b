-- A source of an approved answer names the headings that its quote stands under, as citations do.

alter table knowledge_base_sources add column section text collate "C";
