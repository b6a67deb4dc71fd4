import type { Db } from '../../platform/database';
import { noticeOf, ok, type HealthCheck } from './check';
import {
  findTenantsWithoutTours,
  findUnusedContinentRules,
  findUnusedPriceRules,
  findFullShares,
  findOriginGaps,
  type UnusedPriceRule,
} from './tenant-gaps.repository';

/** Finds settings without an effect, of usable tenants only. */
export async function inspectTenants(db: Db): Promise<HealthCheck[]> {
  const { withoutOrigins, withDevelopmentOrigins } = await findOriginGaps(db);
  return [
    noticeOf('origins', withoutOrigins, {
      meaning: 'tenants with a widget token that no site may show',
      label: (slug) => slug,
      command: (slug) => `tourctl origins add ${slug} https://SITE`,
    }),
    noticeOf('development-origins', withDevelopmentOrigins, {
      meaning: 'tenants past the trial with http://localhost, which counts no more',
      label: ({ slug }) => slug,
      command: ({ slug, origins }) => `tourctl origins remove ${slug} ${origins.join(' ')} --yes`,
    }),
    await checkVisibility(db),
    noticeOf('visibility-rules', await findUnusedContinentRules(db), {
      meaning: 'rules for a continent that no tour is in',
      label: ({ slug, continent }) => `${continent} of ${slug}`,
      command: ({ slug, continent }) => `tourctl visibility clear ${slug} --continent ${continent}`,
    }),
    await checkPrices(db),
    checkHoldShares(await findFullShares(db)),
  ];
}

async function checkVisibility(db: Db): Promise<HealthCheck> {
  const { anyTour, blind } = await findTenantsWithoutTours(db);
  if (!anyTour) return ok('visibility', 'no tour is published yet: tourctl catalog import FILE');
  return noticeOf('visibility', blind, {
    meaning: 'tenants see no tour',
    label: (slug) => slug,
    command: (slug) => `tourctl visibility show ${slug}`,
  });
}

/** Ignores a single tenant, which may take all seats. */
function checkHoldShares(full: string[]): HealthCheck {
  return noticeOf('hold-shares', full.length > 1 ? full : [], {
    meaning: 'tenants whose holds and unpaid bookings may keep all seats of a departure from the others',
    label: (slug) => slug,
    command: (slug) => `tourctl tenant set ${slug} --max-hold-share 50`,
  });
}

const WHY: Record<UnusedPriceRule['because'], string> = {
  currency: 'in another currency than its tenant or tour has',
  past: 'for travel dates that are over',
  archived: 'for an archived tour',
  continent: 'for a continent that no tour is in',
  beaten: 'beaten by a newer one wherever it applies',
};

async function checkPrices(db: Db): Promise<HealthCheck> {
  const { dead, withoutRules } = await findUnusedPriceRules(db);
  if (dead.length === 0) {
    const at = withoutRules === 1 ? '1 tenant sells' : `${withoutRules} tenants sell`;
    return ok('prices', `every rule can decide; ${at} at the platform's prices`);
  }
  return noticeOf('prices', dead, {
    meaning: 'price rules that never decide',
    label: ({ slug, id, because }) => `${id} of ${slug} (${WHY[because]})`,
    command: ({ slug, id }) => `tourctl pricing remove ${slug} ${id} --yes`,
  });
}
