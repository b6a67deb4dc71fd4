-- A check value of each secret that this database needs. A start with another secret is refused, because it could not open the
-- stored data. The check value does not reveal the secret.
create table secret_checks (
  variable    text        primary key constraint secret_checks_variable_known check (variable in ('SECRETS_KEY', 'KEY_PEPPER')),
  -- Null: the secret was in use before this table existed. The first start that proves to have the secret stores the value.
  check_value text,
  created_at  timestamptz not null default now()
);
insert into secret_checks (variable) select 'SECRETS_KEY' where exists (select from webhook_secrets);
insert into secret_checks (variable) select 'KEY_PEPPER'
where exists (select from api_keys where digest_alg = 'hmac-sha256')
   or exists (select from widget_tokens where digest_alg = 'hmac-sha256');

-- The tours that the demo has created, and the time of its last change to each. The demo does not change a tour that an operator has
-- changed since. The revision cannot show that, because sales from the terminal increment it too.
create table demo_tours (
  tour_id    uuid        primary key references tours (id) on delete cascade,
  updated_at timestamptz not null
);
-- Until this migration each start wrote the demo again. Lists the tours that have not changed since the last start.
insert into demo_tours (tour_id, updated_at)
select t.id, t.updated_at
from tours t, (select max(at) as at from audit_log where action = 'demo.plant') as last_start
where t.image_url = '/covers/' || t.slug || '.svg' and t.status = 'published'
  and t.updated_at < last_start.at + interval '10 seconds';
