import { issueWidgetToken, type WidgetTokenToIssue } from '../../services/api/credentials/issue-credential';
import type { WidgetToken } from '../../services/api/credentials/credential';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type Db, inTransaction } from '../../services/platform/database';
import { PEPPER } from '../support/given';

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
