import { issueWidgetToken, type WidgetTokenToIssue } from '../../services/api/credentials/manage-credentials';
import type { WidgetToken } from '../../services/api/credentials/credential';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { givenTenant, PEPPER } from '../support/given';

export const SHOP = 'https://shop.example.com';

/** Issues a widget token, by default with SHOP as its only origin. */
export async function givenWidgetToken(
  db: Db,
  tenant: Tenant,
  { origins = [SHOP], ...rest }: WidgetTokenToIssue = {},
): Promise<{ id: string; token: string; credential: WidgetToken }> {
  const { token, credential } = await inTransaction(db, (trx) =>
    issueWidgetToken(trx, PEPPER, tenant, { origins, ...rest }),
  );
  return { id: credential.id, token, credential };
}

/** Issues tokens that may not be used, one for each reason. */
export async function givenUnusableTokens(
  db: Db,
): Promise<{ expired: string; revoked: string; paused: string }> {
  const tenant = await givenTenant(db);
  const expired = await givenWidgetToken(db, tenant, { lifetimeSeconds: 60 });
  const over = { created_at: '2020-01-01', expires_at: '2020-01-02' };
  await db('widget_tokens').where({ id: expired.id }).update(over);
  const revoked = await givenWidgetToken(db, tenant);
  await db('widget_tokens').where({ id: revoked.id }).update({ revoked_at: db.fn.now() });
  const suspended = await givenTenant(db);
  const paused = await givenWidgetToken(db, suspended);
  await db('tenants').where({ id: suspended.id }).update({ status: 'suspended' });
  return { expired: expired.token, revoked: revoked.token, paused: paused.token };
}
