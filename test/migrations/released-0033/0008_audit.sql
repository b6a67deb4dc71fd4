-- One row for every change made from the terminal, written in the transaction of the change. Contains no secret.
create table audit_log (
  id        bigint      generated always as identity primary key,
  at        timestamptz not null default now(),
  actor     text        not null,
  host      text        not null,
  action    text        not null,
  tenant_id uuid        references tenants (id),
  subject   text,
  before    jsonb,
  after     jsonb
);
create index audit_log_tenant on audit_log (tenant_id, id);
-- The history of one booking or hold.
create index audit_log_subject on audit_log (subject, id) where subject is not null;
