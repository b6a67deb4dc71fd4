import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { problemExample } from '../../services/api/docs/problem-examples';
import { WEBHOOK_EVENTS } from '../../services/api/docs/webhook-events';
import { useTestApi } from '../support/api';
import { describeWith, isInstalled } from '../support/describe-with';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { checkoutOfClient } from '../support/packed-client';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenWebsite, type Seats, seatsTaken, type Website } from '../support/website';
import { exampleOf, folderWith, GUIDE, languages, runProgram, snippets } from './guide';

const FOLDER = useTemporaryFolder();
const api = useTestApi();
let website: Website;
let seats: Seats;
let otherSeats: Seats;
let environment: { API: string; KEY: string };
beforeAll(async () => {
  const { db } = api;
  const cancellation = { tiers: [{ until: '7d', refund_percent: 100 }] };
  const tour = await givenTour(db, { tags: ['family'], cancellation });
  const date = await givenDeparture(db, tour, { prices: { adult: 50_000, child: 30_000 } });
  const later = { date: daysFromToday(37), prices: { adult: 60_000, child: 40_000 } };
  seats = { tour, date };
  otherSeats = { tour, date: await givenDeparture(db, tour, later) };
});
beforeEach(async () => {
  website = await givenWebsite(api);
  environment = { API: api.baseUrl, KEY: website.authorization.slice('Bearer '.length) };
});

const bookings = async () => (await website.get('/api/tenant/bookings')).body.items;

describe('the integration guide', () => {
  it('the integration guide names commands of the operator only for the reader’s own machine, and to ask for quotas', () => {
    const naming = Object.entries(GUIDE).filter(([, text]) => text.includes('tourctl'));
    expect(naming.map(([name]) => name)).toEqual(['sell-on-your-page', 'proxy']);
  });

  it('the integration guide uses only languages whose snippets a test runs', () => {
    expect(languages().sort()).toEqual(['html', 'js', 'json', 'nginx', 'sh', 'sql']);
  });

  it('the integration guide links only to pages of the guide and to headings that they have', () => {
    const broken = Object.values(GUIDE).flatMap((text) => {
      // Pictures are shown in the repository only.
      const links = [...text.matchAll(/(?<!!\[[^\]]*)\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)];
      return links.filter(([, file, anchor]) => {
        const target = file ? GUIDE[file.replace('.md', '') as keyof typeof GUIDE] : text;
        return !target || (anchor && !anchorsOf(target).includes(anchor));
      });
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('the example error and events of the guide equal those of the API', () => {
    const [error, ...none] = snippets('json', 'selling').map((text) => JSON.parse(text));
    expect([error, none]).toEqual([problemExample('insufficient_seats'), []]);
    const [event, thin] = snippets('json', 'webhooks').map((text) => JSON.parse(text));
    expect(Object.entries(event)).toEqual(Object.entries(WEBHOOK_EVENTS['booking.created'].example));
    const { booking_ref, lead_id, updated_at } = WEBHOOK_EVENTS['booking.updated'].example;
    expect(thin).toEqual({
      type: 'booking.updated',
      timestamp: thin.timestamp,
      data: { booking_ref, lead_id, updated_at },
    });
  });
});

describeWith(
  'curl jq',
  'the first booking with curl, and a hold',
  () => {
    it('the commands of the guide run from top to bottom, and leave a cancelled booking with the refund of its changed date', async () => {
      const taken = await seatsTaken(api.db, seats);
      const takenLater = await seatsTaken(api.db, otherSeats);
      const [settings, ...steps] = snippets('sh', 'first-booking');
      const script = [
        'set -euo pipefail',
        settings!.replace('http://127.0.0.1:3000', environment.API).replace('svc_live_…', environment.KEY),
        ...steps,
        ...snippets('sh', 'selling'),
      ].join('\n');
      const { code, stderr, stdout } = await runProgram('bash', ['--norc', '-c', script], {
        cwd: await folderWith({}),
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('"confirmed"');
      expect(await bookings()).toMatchObject([
        {
          status: 'cancelled',
          adults: 2,
          children: 0,
          refund: { percent: 100, amount: 1200 },
          external_ref: expect.stringMatching(/^cart-\d+$/) as string,
          total_price: 1200,
          notes: 'Window seats',
        },
      ]);
      expect(await seatsTaken(api.db, seats)).toBe(taken);
      expect(await seatsTaken(api.db, otherSeats)).toBe(takenLater);
    });
  },
  isInstalled('curl') && isInstalled('jq'),
);

describe('the first booking with Node', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderWith({ 'first-booking.mjs': exampleOf('first-booking.mjs') });
    const { checkout, packageJson } = await checkoutOfClient(FOLDER);
    await writeFile(path.join(cwd, 'package.json'), packageJson);
    const install = `npm install "./$(npm pack --silent ${checkout}/clients/typescript)"`;
    const env = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    const { code, stderr } = await runProgram('bash', ['--norc', '-euc', install], { cwd, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }, 120_000);

  const book = () => runProgram('node', ['first-booking.mjs'], { cwd, env: environment });

  it('the program of the guide, with the client installed from a checkout, leaves a confirmed booking of a family on its changed date', async () => {
    const { code, stdout, stderr } = await book();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Three seats until .*, for 1300 EUR\nBooked as .*, 260 EUR to pay now\nChanged to .*, for 1600 EUR\nIt is confirmed\n$/,
    );
    expect(await bookings()).toMatchObject([
      { status: 'confirmed', departure_date: otherSeats.date, adults: 2, children: 1, total_price: 1600 },
    ]);
  });

  it('the program of the guide tells why a hold is refused with 409, and books nothing', async () => {
    await api.db('tenants').where({ id: website.tenant.id }).update({ max_holds: 1 });
    const held = await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    expect(held.status).toBe(201);
    const { code, stdout, stderr } = await book();
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^Not available \(hold_limit_reached\): /);
    expect(await bookings()).toEqual([]);
  });
});

/** Returns the anchors that GitHub creates for the headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
