import { listRefusals } from '../../../services/api/departures/list-refusals';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import { describeRefusals, toRefusalDocument } from '../hold/refusal-document';

interface RefusalListOptions {
  tenant?: string;
  since?: Date;
  code?: string;
  externalRef?: string;
  limit?: number;
  after?: number;
}

/** Why was this booking refused? */
export async function listRefusalsCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, since, code, externalRef, after }: RefusalListOptions,
): Promise<void> {
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  const page = { after, limit: oneMoreThan(limit) };
  const refusals = await listRefusals(db, { tenantId, since, code, externalRef, ...page });
  const found = refusals.map(toRefusalDocument);
  answerPage(output, found, { limit, after: ({ id }) => id }, describeRefusals);
}
