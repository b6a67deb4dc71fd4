import { createCachedReads } from '../../services/api/http/api-context';
import { createLogger } from '../../services/platform/logger';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import {
  type ReadCacheValidity,
  startReadCacheValidity,
} from '../../services/platform/read-cache/read-cache';
import { startTestApi, type TestApi } from '../support/api';
import { givenDeparture, givenTour, type GivenTour, givenVisibilityRule } from '../support/given';
import { givenWebsite, type Website } from '../support/website';
import { givenWidgetToken } from '../widget/given-widget';

let api: TestApi;
let polls: Db;
let validity: ReadCacheValidity & { stop(): Promise<void> };
beforeAll(async () => {
  api = await startTestApi();
  polls = openDatabase(api.database.url, { applicationName: 'tests', poolMax: 1 });
  validity = startReadCacheValidity(polls, createLogger('silent', 'tests'));
  Object.assign(api.context, createCachedReads(api.db, validity));
});
afterAll(async () => {
  await validity.stop();
  await polls.destroy();
  await api.stop();
});

/** The time before the start at which the departures of this file close. */
const CUTOFF = { text: '3000m', ms: 3_000 * 60_000 };
const LATER_DATE = '2099-12-30';

interface Closing {
  website: Website;
  widget: string;
  tour: GivenTour;
  /** The date of the departure that closes first. */
  date: string;
  time: string;
  /** The database's time at which it closes. */
  at: Date;
}

/**
 * Creates a tour with a departure that closes by a cut-off in about three seconds, and a later departure. A start time has no seconds, so
 * the time zone of the tour has the seconds of the closing time: the clocks there show a whole minute.
 */
async function closingSoon(isOfTour: boolean): Promise<Closing> {
  const { db } = api;
  const { now } = await db.select(db.raw('clock_timestamp() as now')).first();
  const at = new Date(Math.ceil((now as Date).getTime() / 1000) * 1000 + 3_000);
  const ahead = (60 - at.getUTCSeconds()) % 60;
  const local = new Date(at.getTime() + CUTOFF.ms + ahead * 1000).toISOString();
  const [date, time] = [local.slice(0, 10), local.slice(11, 16)];
  const website = await givenWebsite(api, { defaultVisible: false });
  const tour = await givenTour(db, { timeZone: `<T>-00:00:${String(ahead).padStart(2, '0')}` });
  await givenVisibilityRule(db, website, tour, true);
  await givenDeparture(db, tour, { date, startTime: time });
  await givenDeparture(db, tour, { date: LATER_DATE, startTime: time });
  if (isOfTour) await db('tours').where({ id: tour.id }).update({ booking_cutoff: CUTOFF.text });
  else await db('departures').where({ tour_id: tour.id }).update({ closes_before: CUTOFF.text });
  const { token: widget } = await givenWidgetToken(db, website.tenant);
  await awaitInstances(db);
  return { website, widget, tour, date, time, at };
}

/** Returns what each answer says about the departure that closes, and the ETags of the cached answers. */
async function answersOf({ website, widget, tour, date }: Closing) {
  const get = async (path: string) => {
    const { status, body, headers } = await website.get(path);
    expect(status).toBe(200);
    return { body, etag: headers.etag as string };
  };
  const list = await get('/api/tenant/catalog');
  const detail = await get(`/api/tenant/tours/${tour.slug}`);
  const filters = await get('/api/tenant/catalog/filters');
  const departures = await get(`/api/tenant/tours/${tour.slug}/departures`);
  const on = await get(`/api/tenant/catalog?departs_from=${date}&departs_to=${date}`);
  const availability = await get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`);
  const page = await api.http.get('/embed/tours').query({ token: widget, lang: 'en' });
  return {
    shown: {
      list: list.body.items[0].next_departure_date,
      tour: detail.body.next_departure_date,
      filters: filters.body.departures.from,
      departures: departures.body.items.map((item: { status: string }) => item.status),
      closes: departures.body.items[0].closes_at,
      onDate: on.body.items.length,
      availability: availability.body.status,
      page: page.text.includes(`datetime="${date}"`),
    },
    etags: [list.etag, detail.etag],
  };
}

describe.each([
  ['the cut-off of its tour', true],
  ['its own cut-off', false],
])('a departure that closes by %s', (_, isOfTour) => {
  it('every answer turns at the instant of the cut-off, also from the caches', async () => {
    const closing = await closingSoon(isOfTour);
    const { website, tour, date, time, at } = closing;
    const hold = () => website.hold(tour, { departure_date: date, departure_time: time, quantity: 1 });
    const before = await answersOf(closing);
    expect(before.shown).toEqual({
      list: date,
      tour: date,
      filters: date,
      departures: ['available', 'available'],
      closes: at.toISOString(),
      onDate: 1,
      availability: 'available',
      page: true,
    });
    expect((await answersOf(closing)).etags).toEqual(before.etags);
    expect((await hold()).status).toBe(201);
    const early = await answersOf(closing);

    await api.db.raw('select pg_sleep_until(?)', [at]);

    const after = await answersOf(closing);
    expect(after.shown).toEqual({
      list: LATER_DATE,
      tour: LATER_DATE,
      filters: LATER_DATE,
      departures: ['closed', 'available'],
      closes: at.toISOString(),
      onDate: 0,
      availability: 'closed',
      page: false,
    });
    for (const [n, etag] of after.etags.entries()) expect(etag).not.toBe(early.etags[n]);
    const refused = await hold();
    expect([refused.status, refused.body.code]).toEqual([409, 'departure_gone']);
  });
});
