import type { Db } from '../../platform/database';
import { noticeOf, ok, type Check } from './check';
import {
  findBlindTenants,
  findDeadContinentRules,
  findDeadPriceRules,
  findOriginGaps,
  type DeadPriceRule,
} from './tenant-gaps.repository';

/** What an operator has set up so that it has no effect. Only tenants that may be used are looked at. */
export async function inspectTenants(db: Db): Promise<Check[]> {
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
    noticeOf('visibility-rules', await findDeadContinentRules(db), {
      meaning: 'rules for a continent that no tour is in',
      label: ({ slug, continent }) => `${continent} of ${slug}`,
      command: ({ slug, continent }) => `tourctl visibility clear ${slug} --continent ${continent}`,
    }),
    await checkPrices(db),
  ];
}

async function checkVisibility(db: Db): Promise<Check> {
  const { anyTour, blind } = await findBlindTenants(db);
  if (!anyTour) return ok('visibility', 'no tour is published yet: tourctl catalog import FILE');
  return noticeOf('visibility', blind, {
    meaning: 'tenants see no tour',
    label: (slug) => slug,
    command: (slug) => `tourctl visibility show ${slug}`,
  });
}

const WHY: Record<DeadPriceRule['because'], string> = {
  currency: 'in another currency than its tenant or tour has',
  past: 'for travel dates that are over',
  archived: 'for an archived tour',
  continent: 'for a continent that no tour is in',
  beaten: 'beaten by a newer one wherever it applies',
};

async function checkPrices(db: Db): Promise<Check> {
  const { dead, withoutRules } = await findDeadPriceRules(db);
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
