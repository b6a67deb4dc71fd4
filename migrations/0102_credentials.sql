-- Credentials: the API keys and widget tokens of tenants, and the check values of the secrets of the installation.

-- The API keys of tenants. Stores only a digest of the token. The public id is the primary key and may appear in logs.
create table api_keys (
  id           char(12)    primary key constraint api_keys_id_form check (id ~ '^[0-9A-Za-z]{12}$'),
  tenant_id    uuid        not null references tenants (id),
  -- The successor of a rotated key has the same family, and so the same quota.
  family_id    char(12)    not null,
  name         text        constraint api_keys_name_length check (char_length(name) between 1 and 200),
  website      text        constraint api_keys_website_length check (char_length(website) between 1 and 253),
  scopes       text[]      not null
               constraint api_keys_scopes_known
               check (cardinality(scopes) > 0 and scopes <@ array['catalog:read', 'booking:create', 'booking:read', 'booking:manage']),
  digest       bytea       not null constraint api_keys_digest_length check (octet_length(digest) = 32),
  digest_alg   text        not null constraint api_keys_digest_alg_known check (digest_alg in ('sha256', 'hmac-sha256')),
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  replaced_by  char(12)    references api_keys (id),
  last_used_at timestamptz,
  -- The last time at which a browser sent the key. Such a key is not secret: every visitor can read it.
  browser_seen_at timestamptz
);
create index api_keys_tenant on api_keys (tenant_id, created_at);

-- The widget tokens of tenants. A token without origins of its own uses the tenant's current origins.
create table widget_tokens (
  id           char(12)    primary key constraint widget_tokens_id_form check (id ~ '^[0-9A-Za-z]{12}$'),
  tenant_id    uuid        not null references tenants (id),
  family_id    char(12)    not null,
  origins      text[]
               constraint widget_tokens_origins_no_wildcard check (array_to_string(origins, ' ') !~ '[*]')
               constraint widget_tokens_origins_at_most_twenty check (cardinality(origins) between 1 and 20),
  digest       bytea       not null constraint widget_tokens_digest_length check (octet_length(digest) = 32),
  digest_alg   text        not null constraint widget_tokens_digest_alg_known check (digest_alg in ('sha256', 'hmac-sha256')),
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  replaced_by  char(12)    references widget_tokens (id),
  last_used_at timestamptz
);
create index widget_tokens_tenant on widget_tokens (tenant_id, created_at);
create index widget_tokens_origins on widget_tokens using gin (origins);

-- A check value of each secret that this database needs. A start with another secret is refused, because it could not open the
-- stored data. The check value does not reveal the secret.
create table secret_checks (
  variable    text        primary key constraint secret_checks_variable_known check (variable in ('SECRETS_KEY', 'KEY_PEPPER')),
  -- Null: the secret was in use before this table existed. The first process that proves that it has the secret stores the value.
  check_value text,
  created_at  timestamptz not null default now()
);
