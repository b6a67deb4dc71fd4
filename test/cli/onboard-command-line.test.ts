import { describeCommand, type OnboardPlan } from '../../cli/commands/tenant/onboard/onboard-plan';
import { ONBOARD_FLAGS } from '../../cli/commands/tenant/onboard/onboard-flags';

import { flagName } from '../../cli/engine/command';

const BARE: OnboardPlan = {
  ...{ name: 'Acme', slug: 'acme', status: 'trial', country: 'DE', currency: { code: 'EUR', digits: 2 } },
  ...{ visibility: 'all', scope: ['catalog:read'], key: false, widget: false },
};
/** All that may be given; the type sees to it that nothing is left out. */
const WHOLE: Required<OnboardPlan> = {
  ...BARE,
  ...{ status: 'active', bookingPrefix: 'ACME', visibility: 'none', depositPercent: '30', maxHoldShare: 40 },
  ...{ continent: ['europe'], tour: ['dolomites'], percent: '12.5', amount: '5', roundTo: '5' },
  ...{ origin: ['https://acme.example'], dev: true, key: true, website: 'https://acme.example' },
  ...{ keyExpiresIn: 86_400, widget: true, widgetExpiresIn: 86_400, webhook: 'https://acme.example/hooks' },
  ...{ event: ['booking.created'], format: 'spec', out: 'acme.env', yes: true },
};

const flagsOf = (plan: OnboardPlan) => describeCommand(plan).match(/(?<=\s)--[a-z-]+/g) ?? [];

it('the same in one line has every flag of tenant onboard, and none that it has not', () => {
  const said = new Set([...flagsOf(WHOLE), ...flagsOf(BARE)]);
  expect([...said].sort()).toEqual([...ONBOARD_FLAGS.map(flagName), '--yes'].sort());
});
