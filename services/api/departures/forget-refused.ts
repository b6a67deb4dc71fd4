import type { Trx } from '../../platform/database';
import { findReferences, forgetReferences, lockRefusals } from './refusal.repository';

const PAGE = 5000;

/**
 * Takes the references that say who somebody is out of a tenant's refusals. Those that were noted and are not written yet lose
 * theirs when they are, since the caller anonymises a booking of the tenant in the same transaction.
 * @returns how many
 */
export async function forgetRefused(
  trx: Trx,
  tenantId: string,
  tellsOf: (text: string) => boolean,
): Promise<number> {
  await lockRefusals(trx);
  let forgotten = 0;
  for (let afterId = 0; ;) {
    const page = await findReferences(trx, tenantId, { afterId, limit: PAGE });
    const telling = page.filter(({ externalRef }) => tellsOf(externalRef)).map(({ id }) => id);
    if (telling.length > 0) await forgetReferences(trx, telling);
    forgotten += telling.length;
    if (page.length < PAGE) return forgotten;
    afterId = page.at(-1)!.id;
  }
}
