import { readFileSync } from 'node:fs';
import path from 'node:path';
import { VARIABLES } from '../../services/platform/config/variables';
import { LIFE_MINUTES } from '../../services/api/holds/hold-length';
import { COUNTS_KEPT_DAYS, REFUSALS_KEPT_DAYS } from '../../services/api/refusals/refusal';
import { OVERLAP_DAYS, OVERLAP_MAX_DAYS } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { LINK_MINUTES, SESSION_HOURS } from '../../services/webhook-queue/monitor/session';
import { BREAKER } from '../../services/webhook-queue/worker/breaker';
import { COOKIE_SECONDS } from '../../clients/typescript/src/proxy/visitor';
import { VALIDITY_MS } from '../../services/platform/read-cache/instance.repository';
import { useTestDatabase } from '../support/database';
import { givenTenant } from '../support/given';

const PAGE = readFileSync(path.join(__dirname, '../../docs/deadlines.md'), 'utf8');
const database = useTestDatabase();

/** Returns the text of the entry of a deadline, on one line. */
function rowOf(deadline: string): string {
  const row = PAGE.split('\n- ')
    .map((entry) => entry.split('\n\n')[0]!.replaceAll('\n  ', ' '))
    .find((entry) => entry.startsWith(deadline));
  return row ?? `docs/deadlines.md has no entry "${deadline}"`;
}

describe('the page of deadlines', () => {
  it('the page has the defaults of a new tenant', async () => {
    const tenant = await givenTenant(database.db);
    expect(rowOf('a hold,')).toContain(
      `\`hold_minutes\`: ${tenant.holdDefaultMinutes}, at most ${tenant.holdMaxMinutes},`,
    );
    expect(rowOf('an unpaid booking')).toContain(`window: ${tenant.paymentWindowMinutes! / 60} hours`);
    expect(rowOf('the reminder')).toContain(`${tenant.paymentReminderMinutes! / 60} hours before`);
  });

  it('the page has the limits of the code', () => {
    expect(rowOf('an extension')).toContain(`${LIFE_MINUTES} minutes after the hold was placed`);
    expect(rowOf('refusals of sales')).toContain(
      `${REFUSALS_KEPT_DAYS} days; their counts ${COUNTS_KEPT_DAYS}`,
    );
    expect([OVERLAP_DAYS, rowOf('a rotated signing secret')]).toEqual([
      1,
      expect.stringContaining(`a day, at most ${OVERLAP_MAX_DAYS}`),
    ]);
    expect(rowOf('a link and a session')).toContain(`${LINK_MINUTES} minutes, once; ${SESSION_HOURS} hours`);
    expect(rowOf('the cookie of a visitor')).toContain(`${COOKIE_SECONDS / 3600} hours`);
    expect([VALIDITY_MS, rowOf('cached credentials')]).toEqual([1_000, expect.stringContaining('a second')]);
    expect(rowOf('a pause of the breaker')).toContain(
      `${BREAKER.openSeconds} seconds, doubled up to ${BREAKER.openSecondsMax / 60} minutes`,
    );
    expect(rowOf('a failing endpoint')).toContain(
      `${BREAKER.autoDisableSeconds / 86_400} days without an accepted delivery, and ${BREAKER.autoDisableDeaths} given up`,
    );
  });

  it.each(['HOLD_CUSTOMER_DAYS', 'HOLD_RETENTION_DAYS', 'ANSWER_DAYS', 'WEBHOOK_RETENTION_DAYS'] as const)(
    'the page has the default of %s',
    (name) => {
      expect(PAGE).toContain(`\`${name}\`, ${VARIABLES[name].default}`);
    },
  );
});
