import { setImmediate as nextTurn } from 'node:timers/promises';
import { bookingTexts } from '../../services/api/octo/octo-bookings.controller';
import { useTestApi } from '../support/api';
import { givenWebsite, type Website } from '../support/website';
import { reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const COPIES = 120;

const api = useTestApi();
const { tours } = useConformance(api);
let site: Website;
let holdIds: string[];
let date: string;

beforeAll(async () => {
  site = await givenWebsite(api, { maxHolds: 1000 });
  date = tours.startTime.open[0]!.date;
  const unitItems = [{ unitId: 'adult' }, { unitId: 'child' }];
  const body = reservationOf(tours.startTime, { unitItems });
  for (let n = 0; n < COPIES; n += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => expectOcto(await site.post('/octo/bookings', body), 'booking')),
    );
  holdIds = await api.db('seat_holds').where({ tenant_id: site.tenant.id }).orderBy('created_at').pluck('id');
}, 60_000);

const list = (headers: Record<string, string> = {}) =>
  site.get(`/octo/bookings?localDate=${date}`).set(headers);

describe('a list of more than 100 bookings', () => {
  it('a list of more than 100 bookings shows each booking with the fields of a single read', async () => {
    const headers = { 'octo-capabilities': 'octo/pricing, octo/content' };
    const listed = expectOcto(await list(headers), 'bookings');
    expect(listed).toHaveLength(COPIES);
    for (const booking of [listed[0], listed[COPIES / 2], listed[COPIES - 1]])
      expect(booking).toEqual(
        expectOcto(await site.get(`/octo/bookings/${booking.uuid}`).set(headers), 'booking'),
      );
  });

  it('the server handles other requests after every 20 bookings of a long list', async () => {
    const view = {
      tenant: site.tenant,
      capabilities: [],
      baseUrl: 'https://api.example.test',
      preferred: undefined,
    };
    let turns = 0;
    let ended = false;
    const counting = (async () => {
      while (!ended) {
        await nextTurn();
        turns += 1;
      }
    })();
    const turnsOfTexts: number[] = [];
    const lengths: number[] = [];
    let text = '';
    for await (const part of bookingTexts(api.db, holdIds, view)) {
      turnsOfTexts.push(turns);
      lengths.push(part.split('"utcCreatedAt"').length - 1);
      text += part;
    }
    ended = true;
    await counting;
    expect(lengths).toEqual([20, 20, 20, 20, 20, 20, 0]);
    expect(JSON.parse(text)).toHaveLength(COPIES);
    for (const [index, turn] of turnsOfTexts.slice(1, 6).entries())
      expect(turn).toBeGreaterThan(turnsOfTexts[index]!);
  });

  it('OCTO answers concurrent long lists of one key', async () => {
    const lists = await Promise.all([1, 2, 3].map(async () => list()));
    for (const answer of lists) expect(expectOcto(answer, 'bookings')).toHaveLength(COPIES);
  });

  /** Returns the keys of the long lists for which a request takes a turn. */
  async function listsOf(request: () => PromiseLike<unknown>): Promise<string[]> {
    const { readsInTurn } = api.context;
    const taken: string[] = [];
    api.context.readsInTurn = (key, work, atOnce) => {
      if (key.startsWith('list of')) taken.push(key);
      return readsInTurn(key, work, atOnce);
    };
    await request();
    api.context.readsInTurn = readsInTurn;
    return taken;
  }

  it('a long list of bookings waits for other long lists of its key, but a short list does not', async () => {
    expect(await listsOf(list)).toEqual([expect.stringMatching(/^list of bookings /)]);
    const short = await listsOf(async () => {
      expect((await site.get('/octo/bookings?resellerReference=none')).body).toEqual([]);
    });
    expect(short).toEqual([]);
  });

  it('OCTO answers 429 to a long list that has waited two seconds for another long list of its key', async () => {
    const [key] = await listsOf(list);
    let end = () => {};
    const running = api.context.readsInTurn(key!, () => new Promise<void>((resolve) => (end = resolve)));
    const refused = await list();
    end();
    await running;
    expectOctoError(refused, 429, 'RATE_LIMITED');
    expect(refused.headers['retry-after']).toBe('1');
  });
});
