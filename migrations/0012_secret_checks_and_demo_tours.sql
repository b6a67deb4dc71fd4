-- A check value of each secret that something in this database depends on: a start with another secret is refused, because it
-- would open nothing. One-way, so it gives nothing away.
create table secret_checks (
  variable    text        primary key constraint secret_checks_variable_known check (variable in ('SECRETS_KEY', 'KEY_PEPPER')),
  -- Null: the secret was in use before this table existed. The first start that proves to have it fills it in.
  check_value text,
  created_at  timestamptz not null default now()
);
insert into secret_checks (variable) select 'SECRETS_KEY' where exists (select from webhook_secrets);
insert into secret_checks (variable) select 'KEY_PEPPER'
where exists (select from api_keys where digest_alg = 'hmac-sha256')
   or exists (select from widget_tokens where digest_alg = 'hmac-sha256');

-- The tours that the demo has planted, and when they changed last by its hand. One that has changed since is an operator's, and the
-- demo leaves it alone. (Not the revision: that grows with sales from the terminal too.)
create table demo_tours (
  tour_id    uuid        primary key references tours (id) on delete cascade,
  updated_at timestamptz not null
);
-- Until now each start planted the demo again: what has not changed since the last one is as the demo left it.
insert into demo_tours (tour_id, updated_at)
select t.id, t.updated_at
from tours t, (select max(at) as at from audit_log where action = 'demo.plant') as last_start
where t.image_url = '/covers/' || t.slug || '.svg' and t.status = 'published'
  and t.updated_at < last_start.at + interval '10 seconds';
