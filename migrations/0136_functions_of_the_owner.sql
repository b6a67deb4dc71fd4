-- Lets only the owner call functions that write. Triggers and the functions with the rights of their owner call them, so neither the API nor
-- the queue needs a right on them.
do $$
declare
  signature text;
begin
  foreach signature in array array['octo_record_change(uuid, text, text, jsonb, jsonb)', 'octo_set_subscription_headers(uuid, json)',
    'current_change()', 'record_tour_changes(uuid[])', 'record_tenant_change(uuid, text)', 'record_visibility(uuid, text, boolean)',
    'record_rates(text[])', 'webhook_attach_month(text, date)', 'webhook_make_month(date)', 'grant_database_roles()']
  loop
    execute format('revoke execute on function %s from public', signature);
  end loop;
end $$;
