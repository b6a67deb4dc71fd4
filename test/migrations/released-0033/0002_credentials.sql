-- API keys and widget tokens. Stores only a digest of the token. The public id is the primary key and may appear in logs.
create table api_keys (
  id           char(12)    primary key constraint api_keys_id_form check (id ~ '^[0-9A-Za-z]{12}$'),
  tenant_id    uuid        not null references tenants (id),
  -- A rotated key keeps its family, and with it the quota bucket.
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
  -- Last request with the headers of a browser. A key in a browser is known to every visitor.
  browser_seen_at timestamptz
);
create index api_keys_tenant on api_keys (tenant_id, created_at);

-- A widget token without origins of its own follows the tenant's origins as they change.
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
