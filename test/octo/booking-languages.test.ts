import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../support/given';
import { endHoldIn, useWebsite } from '../support/website';
import { holdIdOf } from './conformance-api';

const api = useTestApi();
const reseller = useWebsite(api);
const CONTENT = { 'octo-capabilities': 'octo/content' };
const inLanguage = (language: string) => ({ ...CONTENT, 'accept-language': language });
const GERMAN = inLanguage('de-AT, en;q=0.5');

/** Has its name in German, but not its summary. */
let lake: GivenTour;
/** Its own language is French, the only one of this catalog. */
let path: GivenTour;
beforeAll(async () => {
  lake = await givenTour(api.db, {
    name: 'Lake walk',
    summary: 'Around the lake',
    translations: { de: { name: 'Seewanderung' }, it: { name: 'Giro del lago' } },
  });
  path = await givenTour(api.db, { name: 'Sentier', language: 'fr' });
  await givenTour(api.db, { name: 'Zoo' });
  for (const tour of [lake, path]) {
    await givenDeparture(api.db, tour, { date: daysFromToday(30), seats: 100 });
    await givenDeparture(api.db, tour, { date: daysFromToday(31), seats: 100 });
  }
});

const departureIds = (tour: GivenTour): Promise<string[]> =>
  api.db('departures').where({ tour_id: tour.id }).orderBy('departure_date').pluck('id');

async function bodyFor(tour: GivenTour, more: object = {}) {
  const [availabilityId] = await departureIds(tour);
  return {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId,
    unitItems: [{ unitId: 'adult' }],
    ...more,
  };
}

const reserve = async (tour: GivenTour, headers: Record<string, string>, more: object = {}) =>
  reseller.post('/octo/bookings', await bodyFor(tour, more), headers);
const read = (uuid: string, headers: Record<string, string>) =>
  reseller.get(`/octo/bookings/${uuid}`).set(headers);

/** Returns the language that an answer names, and the title, the summary and the own name of its product. */
function textsOf({ status, headers, body }: Response) {
  expect([status, body.errorMessage]).toEqual([200, undefined]);
  const { title, shortDescription, internalName } = body.product;
  expect(body.option).toEqual(body.product.options[0]);
  return [headers['content-language'], title, shortDescription, internalName];
}

const IN_GERMAN = ['de', 'Seewanderung', 'Around the lake', 'Lake walk'];
const IN_ENGLISH = ['en', 'Lake walk', 'Around the lake', 'Lake walk'];

describe('the languages of bookings by OCTO', () => {
  it('every answer of a booking shows the texts in the language of Accept-Language, and names it', async () => {
    const placed = await reserve(lake, GERMAN);
    expect(textsOf(placed)).toEqual(IN_GERMAN);
    expect(placed.headers).toMatchObject({ 'available-languages': 'en, fr, de, it' });
    expect(placed.headers.vary).toContain('Accept-Language');
    const at = `/octo/bookings/${placed.body.uuid}`;
    const [, availabilityId] = await departureIds(lake);
    expect(textsOf(await read(placed.body.uuid, GERMAN))).toEqual(IN_GERMAN);
    expect(textsOf(await reseller.post(`${at}/extend`, {}, GERMAN))).toEqual(IN_GERMAN);
    expect(textsOf(await reseller.patch(at, { availabilityId }, GERMAN))).toEqual(IN_GERMAN);
    const contact = { fullName: 'Ana Lima' };
    expect(textsOf(await reseller.post(`${at}/confirm`, { contact }, GERMAN))).toEqual(IN_GERMAN);
    expect(textsOf(await reseller.patch(at, { notes: 'Late' }, GERMAN))).toEqual(IN_GERMAN);
    expect(textsOf(await reseller.post(`${at}/cancel`, {}, GERMAN))).toEqual(IN_GERMAN);
  });

  it('a booking has the same texts and the same language as its product, for each preference', async () => {
    const { body } = await reserve(lake, CONTENT);
    for (const preference of ['de', 'it;q=0.2, de;q=0.1', 'ja', '*', 'de-CH', 'en, de', 'no tag!', 'fr']) {
      const product = await reseller.get(`/octo/products/${lake.id}`).set(inLanguage(preference));
      const shown = await read(body.uuid, inLanguage(preference));
      expect(shown.body.product).toEqual(product.body);
      const headersOf = (answer: Response) => [
        answer.headers['content-language'],
        answer.headers['available-languages'],
        answer.headers.vary,
      ];
      expect(headersOf(shown)).toEqual(headersOf(product));
    }
  });

  it('a booking without a preference has the texts of the tour, and names the language of the tour', async () => {
    expect(textsOf(await reserve(lake, CONTENT))).toEqual(IN_ENGLISH);
    const placed = await reserve(path, CONTENT);
    expect(textsOf(placed)).toEqual(['fr', 'Sentier', null, 'Sentier']);
    const cancelled = await reseller.post(`/octo/bookings/${placed.body.uuid}/cancel`, {}, CONTENT);
    expect(textsOf(cancelled)).toEqual(['fr', 'Sentier', null, 'Sentier']);
    expect(cancelled.headers.vary ?? '').not.toContain('Accept-Language');
  });

  it('a booking that was placed in one language is shown in the language of each later request', async () => {
    const { body } = await reserve(lake, GERMAN, { resellerReference: 'R-7' });
    expect(textsOf(await read(body.uuid, CONTENT))).toEqual(IN_ENGLISH);
    expect(textsOf(await read(body.uuid, inLanguage('it')))).toEqual([
      'it',
      'Giro del lago',
      'Around the lake',
      'Lake walk',
    ]);
    await endHoldIn(api.db, await holdIdOf(api, body.uuid), -1);
    expect(textsOf(await read(body.uuid, GERMAN))).toEqual(IN_GERMAN);
  });

  it('a list of bookings shows the texts in the preferred language, and names one language', async () => {
    await reserve(lake, CONTENT, { resellerReference: 'R-8' });
    await reserve(path, CONTENT, { resellerReference: 'R-8' });
    const list = async (headers: Record<string, string>) => {
      const answer = await reseller.get('/octo/bookings?resellerReference=R-8').set(headers);
      const titles = answer.body.map(({ product }: { product: { title: string } }) => product.title);
      return [answer.headers['content-language'], ...titles];
    };
    expect(await list(CONTENT)).toEqual(['en', 'Sentier', 'Lake walk']);
    expect(await list(GERMAN)).toEqual(['de', 'Sentier', 'Seewanderung']);
  });

  it('an answer without octo/content is the same for every Accept-Language', async () => {
    const { body } = await reserve(lake, {});
    const [plain, german] = [await read(body.uuid, {}), await read(body.uuid, { 'accept-language': 'de' })];
    expect(german.text).toBe(plain.text);
    expect(german.headers).not.toHaveProperty('content-language');
    expect(body.product).not.toHaveProperty('title');
  });

  it('a refusal of a booking names no language', async () => {
    const refused = await reserve(lake, GERMAN, { availabilityId: 'none' });
    expect([refused.status, refused.body.error]).toEqual([400, 'INVALID_AVAILABILITY_ID']);
    expect(refused.headers).not.toHaveProperty('content-language');
  });
});

describe('a repeated request of OCTO in another language', () => {
  it('a reservation that is repeated by its UUID is shown in the language of the repeat', async () => {
    const uuid = randomUUID();
    expect(textsOf(await reserve(lake, GERMAN, { uuid }))).toEqual(IN_GERMAN);
    expect(textsOf(await reserve(lake, CONTENT, { uuid }))).toEqual(IN_ENGLISH);
  });

  it('a request that is repeated by its Idempotency-Key has the stored answer, and names its language', async () => {
    const key = () => ({ 'idempotency-key': randomUUID() });
    const placing = key();
    const placed = await reserve(lake, { ...GERMAN, ...placing });
    const cancelling = key();
    const cancel = (headers: Record<string, string>) =>
      reseller.post(`/octo/bookings/${placed.body.uuid}/cancel`, {}, { ...headers, ...cancelling });
    const cancelled = await cancel(CONTENT);
    for (const headers of [GERMAN, CONTENT, inLanguage('it')]) {
      const again = await reserve(lake, { ...headers, ...placing });
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([placed.text, 'true']);
      expect(textsOf(again)).toEqual(IN_GERMAN);
      const ended = await cancel(headers);
      expect([ended.text, ended.headers['idempotent-replayed']]).toEqual([cancelled.text, 'true']);
      expect(textsOf(ended)).toEqual(IN_ENGLISH);
    }
  });
});
