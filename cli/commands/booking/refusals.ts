import { findRefusals } from '../../../services/api/refusals/refusal.repository';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { describeRefusals, toRefusalDocument } from '../hold/actions';

interface RefusalListOptions {
  tenant?: string;
  since?: Date;
  code?: string;
  externalRef?: string;
  limit?: number;
  after?: number;
}

/** Lists refused holds and bookings with their reasons. */
export async function listRefusalsCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, since, code, externalRef, after }: RefusalListOptions,
): Promise<void> {
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  const page = { after, limit: oneMoreThan(limit) };
  const refusals = await findRefusals(db, { tenantId, since, code, externalRef, ...page });
  const found = refusals.map(toRefusalDocument);
  answerPage(output, found, { limit, after: ({ id }) => id }, describeRefusals);
}
