-- The resource that refused a sale: operators see it, the tenant sees the free seats only (ADR 76).

-- Its code. Null: the refusal had another reason, or an API of the release before wrote it.
alter table sale_refusals add column resource text;

insert into rolling_migrations values ('0170_refused_by_resource');
