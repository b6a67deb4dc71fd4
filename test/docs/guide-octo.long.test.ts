import { loadConfig } from '../../services/platform/config/config';
import { useTestApi } from '../support/api';
import { describeWith, isInstalled } from '../support/describe-with';
import { givenDeparture, givenTour, PEPPER } from '../support/given';
import { seatsTaken } from '../support/website';
import { callTourctl, folderWith, pageSnippets, runProgram, snippets } from './guide';

const { supplier } = loadConfig({ SUPPLIER_NAME: 'Old Town Tours' });

const api = useTestApi({ supplier });

describeWith(
  'curl jq',
  'the reseller that the guide connects over OCTO',
  () => {
    it('the commands of the OCTO guide connect a reseller, and reserve, change, confirm, find and cancel a booking', async () => {
      const tour = await givenTour(api.db);
      const date = await givenDeparture(api.db, tour, { prices: { adult: 50_000, child: 30_000 } });
      const commands = [...pageSnippets('tenants.md', 'A reseller over OCTO'), ...snippets('sh', 'octo')];
      const script = callTourctl(['set -euo pipefail', ...commands].join('\n')).replaceAll(
        'http://127.0.0.1:3000',
        api.baseUrl,
      );
      const secret = 's'.repeat(32);
      const { code, stdout, stderr } = await runProgram('bash', ['--norc', '-c', script], {
        cwd: await folderWith({}),
        env: { DATABASE_URL: api.database.url, SECRETS_KEY: secret, CURSOR_KEY: secret, KEY_PEPPER: PEPPER },
      });
      expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toContain('"name": "Old Town Tours"');
      expect(stdout).toContain('"ON_HOLD"\n');
      // Two adults and a child at the platform's prices and 12.5 %.
      expect(stdout).toContain('146250\n');
      expect(stdout).toContain('"refund":"NONE","reason":"The customer is ill."');
      const [lead] = await api
        .db('booking_leads as l')
        .join('tenants as n', 'n.id', 'l.tenant_id')
        .where('n.slug', 'sunny')
        .select('l.*');
      expect(stdout).toContain(`"CONFIRMED"\n"${lead.bookingRef}"`);
      expect(lead).toMatchObject({
        status: 'cancelled',
        departureDate: date,
        party: { adult: 1, child: 1 },
        seats: 2,
        externalRef: 'R-81',
        source: 'octo',
        customerName: 'Ana Lima',
        customerEmail: 'ana@example.com',
        customerPhone: null,
        notes: 'Window seats',
        cancelReason: 'The customer is ill.',
      });
      expect(await seatsTaken(api.db, { tour, date })).toBe(0);
    });
  },
  isInstalled('curl') && isInstalled('jq'),
);
