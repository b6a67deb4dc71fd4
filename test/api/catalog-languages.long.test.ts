import { useTestApi } from '../support/api';
import { givenTour, givenVisibilityRule, type TourOverrides, textColumns } from '../support/given';
import { expectProblem } from '../support/responses';
import { useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
beforeEach(() => api.db('tours').delete());

const CATALOG = '/api/tenant/catalog';
type Item = { name: string; lang?: string } & Record<string, unknown>;

/** Sends the request with Accept-Language, and with `lang` if it is given. */
const ask = (path: string, accepted?: string) =>
  accepted === undefined ? reader.get(path) : reader.get(path).set('accept-language', accepted);

const namesOf = ({ items }: { items: Item[] }) => items.map(({ name }) => name);
const shownOf = ({ items }: { items: Item[] }) => items.map(({ name, lang }) => `${lang} ${name}`);

const LAKE: TourOverrides = {
  name: 'Lake walk',
  summary: 'Around the lake',
  tags: ['walk'],
  translations: {
    de: { name: 'Seewanderung', summary: 'Rund um den See', tags: ['Wandern'] },
    'de-CH': { summary: 'Rund um den Schweizer See' },
    fr: { summary: 'Autour du lac' },
  },
};

describe('the language of a tour', () => {
  it.each<
    [
      preference: string,
      lang: string | undefined,
      accepted: string | undefined,
      name: string,
      summary: string,
    ]
  >([
    ['a language with a translation', 'de', undefined, 'de Seewanderung', 'Rund um den See'],
    ['a tag in other letters', 'DE-ch', undefined, 'de Seewanderung', 'Rund um den Schweizer See'],
    [
      'a tag without a translation, whose base language has one',
      'de-AT',
      undefined,
      'de Seewanderung',
      'Rund um den See',
    ],
    ['a language whose translation has no name', 'fr', undefined, 'en Lake walk', 'Autour du lac'],
    ['a language without a translation', 'it', undefined, 'en Lake walk', 'Around the lake'],
    ['the language of the tour', 'en', undefined, 'en Lake walk', 'Around the lake'],
    ['a variant of the language of the tour', 'en-GB', undefined, 'en Lake walk', 'Around the lake'],
    ['the header', undefined, 'de', 'de Seewanderung', 'Rund um den See'],
    ['lang and the header', 'fr', 'de', 'en Lake walk', 'Autour du lac'],
    ['several languages by weight', undefined, 'en;q=0.5, de-AT;q=0.8', 'de Seewanderung', 'Rund um den See'],
    ['the language of the tour before another', undefined, 'en, de;q=0.8', 'en Lake walk', 'Around the lake'],
    [
      'a language that no tour has, before others',
      undefined,
      'it, ja;q=0.9, de;q=0.1',
      'de Seewanderung',
      'Rund um den See',
    ],
    ['a language with the weight 0', undefined, 'de;q=0, fr;q=0.1', 'en Lake walk', 'Autour du lac'],
    ['any language after German', undefined, 'de, *;q=0.5', 'de Seewanderung', 'Rund um den See'],
    ['one language twice', undefined, 'fr, de, fr', 'en Lake walk', 'Autour du lac'],
    [
      'a header with unreadable tags',
      undefined,
      'x, de_DE, -, 123, de',
      'de Seewanderung',
      'Rund um den See',
    ],
  ])('the preference for %s chooses each text', async (_what, lang, accepted, name, summary) => {
    const { slug } = await givenTour(api.db, LAKE);
    const query = lang === undefined ? '' : `?lang=${lang}`;
    const list = await ask(CATALOG + query, accepted);
    expect(shownOf(list.body)).toEqual([name]);
    expect(list.body.items[0].summary).toBe(summary);
    const tour = await ask(`/api/tenant/tours/${slug}${query}`, accepted);
    expect(`${tour.body.lang} ${tour.body.name}`).toBe(name);
    expect(tour.body.summary).toBe(summary);
    for (const { headers } of [list, tour]) {
      expect(headers['content-language']).toBe(name.split(' ', 1)[0]);
      expect(headers.vary).toBe('Accept-Language');
    }
  });

  it.each([undefined, '*', 'de;q=0', '', 'x, 1', ';;;', ',,', 'q=1'])(
    'the header %j is no preference, so the answer has the bytes and headers of a request without it',
    async (accepted) => {
      const { slug } = await givenTour(api.db, LAKE);
      for (const path of [CATALOG, `/api/tenant/tours/${slug}`]) {
        const usual = await reader.get(path);
        const answer = await ask(path, accepted);
        expect(answer.status).toBe(200);
        expect(answer.text).toBe(usual.text);
        expect(answer.text).not.toContain('"lang"');
        expect(answer.headers).not.toHaveProperty('vary');
        expect(answer.headers).not.toHaveProperty('content-language');
      }
    },
  );

  it.each([
    '',
    'd',
    '*',
    'de_DE',
    'de--AT',
    '-de',
    'de-',
    `de-${'abcdefgh-'.repeat(4)}`,
    'dé',
    '1de',
    'de,fr',
  ])('the value %j of lang is refused with 400, on the list and on a tour', async (lang) => {
    const { slug } = await givenTour(api.db, LAKE);
    for (const path of [CATALOG, `/api/tenant/tours/${slug}`]) {
      const answer = await reader.get(`${path}?lang=${encodeURIComponent(lang)}`);
      expectProblem(answer, 400, 'validation_failed');
      expect(answer.body.errors[0]).toMatchObject({ in: 'query', field: 'lang' });
    }
  });

  it('two values of lang are refused with 400 duplicate_parameter', async () => {
    expectProblem(await reader.get(`${CATALOG}?lang=de&lang=fr`), 400, 'duplicate_parameter');
  });

  it('a header with 200 languages is read up to its twentieth entry', async () => {
    await givenTour(api.db, LAKE);
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => `x${String.fromCharCode(97 + (n % 26))}`);
    expect(shownOf((await ask(CATALOG, [...many(19), 'de'].join())).body)).toEqual(['de Seewanderung']);
    expect(shownOf((await ask(CATALOG, [...many(199), 'de'].join())).body)).toEqual(['en Lake walk']);
  });

  it('a header of 13 KB is never an error: its first languages count', async () => {
    await givenTour(api.db, LAKE);
    const { status, body } = await ask(CATALOG, `de, ${'x'.repeat(13_000)}`);
    expect(status).toBe(200);
    expect(shownOf(body)).toEqual(['de Seewanderung']);
  });

  it('the tenth preferred language of the catalog counts', async () => {
    const { db } = api;
    const tags = ['bg', 'cs', 'da', 'el', 'es', 'et', 'fi', 'hr', 'hu'];
    const translations = Object.fromEntries(tags.map((tag) => [tag, { name: `Name ${tag}` }]));
    await givenTour(db, { name: 'Alpine way', language: 'sl', translations });
    await givenTour(db, LAKE);
    expect(shownOf((await ask(`${CATALOG}?q=lake`, [...tags, 'de'].join())).body)).toEqual([
      'de Seewanderung',
    ]);
  });

  it('every text of a tour follows the preference, and texts without a translation are the own ones', async () => {
    const { slug } = await givenTour(api.db, {
      ...LAKE,
      translations: {
        de: {
          name: 'Seewanderung',
          description: 'Der ganze Weg.',
          itinerary: [
            { day: 1, title: 'Ankunft', description: 'Mit dem Zug' },
            { day: 2, title: 'Weg' },
          ],
          inclusions: ['Karte'],
          exclusions: ['Anreise'],
          cancellation_policy: 'Bis zum Vortag.',
        },
      },
    });
    const { body } = await reader.get(`/api/tenant/tours/${slug}?lang=de`);
    expect(body).toMatchObject({
      lang: 'de',
      name: 'Seewanderung',
      summary: 'Around the lake',
      description: 'Der ganze Weg.',
      itinerary: [
        { day: 1, title: 'Ankunft', description: 'Mit dem Zug' },
        { day: 2, title: 'Weg', description: null },
      ],
      inclusions: ['Karte'],
      exclusions: ['Anreise'],
      cancellation_policy: 'Bis zum Vortag.',
      tags: ['walk'],
    });
  });

  it('a tour whose own language is the base of the preference shows its own texts, although its translation has them', async () => {
    await givenTour(api.db, { name: 'Eigen', language: 'de', translations: { en: { name: 'Own' } } });
    expect(shownOf((await reader.get(`${CATALOG}?lang=de-CH`)).body)).toEqual(['de Eigen']);
    expect(shownOf((await reader.get(`${CATALOG}?lang=en`)).body)).toEqual(['en Own']);
  });
});

describe('a list in a language', () => {
  const givenMixed = async () => {
    await givenTour(api.db, {
      name: 'Alps',
      translations: { de: { name: 'Zugspitze' }, ja: { name: '富士山' } },
    });
    await givenTour(api.db, { name: 'Bay', continent: 'europe' });
    await givenTour(api.db, {
      name: 'Coast',
      translations: { de: { name: 'Ährenküste' } },
      continent: 'europe',
    });
    await givenTour(api.db, { name: 'Dunes', translations: { fr: { name: 'Les dunes' } } });
    await givenTour(api.db, {
      name: 'Erg',
      language: 'fr',
      translations: { de: { name: 'Cañon' }, en: { summary: 'Sand' } },
    });
  };

  it('a list in a language is in the order of the shown names, and has the language of each item', async () => {
    await givenMixed();
    const { body, headers } = await reader.get(`${CATALOG}?lang=de`);
    expect(shownOf(body)).toEqual(['de Ährenküste', 'en Bay', 'de Cañon', 'en Dunes', 'de Zugspitze']);
    expect(headers).not.toHaveProperty('content-language');
    expect(headers.vary).toBe('Accept-Language');
    const french = (await ask(CATALOG, 'fr, ja;q=0.5')).body;
    expect(shownOf(french)).toEqual(['en Bay', 'en Coast', 'fr Erg', 'fr Les dunes', 'ja 富士山']);
    expect(namesOf((await reader.get(CATALOG)).body)).toEqual(['Alps', 'Bay', 'Coast', 'Dunes', 'Erg']);
  });

  it.each(['lang=de', 'lang=fr', 'lang=ja', 'lang=en', 'lang=de&continent=europe'])(
    'the pages of the list with %s have each tour once, in the order of the complete list',
    async (query) => {
      await givenMixed();
      const all = shownOf((await reader.get(`${CATALOG}?${query}`)).body);
      const paged: string[] = [];
      for (let cursor = ''; ;) {
        const { body, headers } = await reader.get(`${CATALOG}?${query}&limit=1${cursor}`);
        paged.push(...shownOf(body));
        if (body.next_cursor === null) break;
        expect(headers.link).toContain(query.split('&', 1)[0]);
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(paged).toEqual(all);
      expect(paged.length).toBeGreaterThan(1);
    },
  );

  it('a cursor of one language is refused with another language and without one', async () => {
    await givenMixed();
    const { next_cursor: cursor } = (await reader.get(`${CATALOG}?lang=de&limit=1`)).body;
    const next = `${CATALOG}?limit=1&cursor=${cursor}`;
    for (const query of ['&lang=fr', ''])
      expectProblem(await reader.get(next + query), 400, 'invalid_cursor');
    expectProblem(await ask(next, 'fr'), 400, 'invalid_cursor');
    expect((await ask(next, 'de')).status).toBe(200);
    // The catalog has no text in de-CH, so the list is the same.
    expect((await reader.get(`${next}&lang=de-CH`)).status).toBe(200);
    const { next_cursor: usual } = (await reader.get(`${CATALOG}?limit=1`)).body;
    expectProblem(await reader.get(`${CATALOG}?lang=de&limit=1&cursor=${usual}`), 400, 'invalid_cursor');
  });

  it.each([
    ['lang=de', 'zug', ['de Zugspitze']],
    ['lang=de', 'alp', ['de Zugspitze']],
    ['lang=de', 'ahren', ['de Ährenküste']],
    ['lang=de', 'dune', ['en Dunes']],
    ['lang=de', 'les dunes', []],
    ['lang=fr', 'zug', []],
    ['lang=fr', 'les dunes', ['fr Les dunes']],
    ['lang=ja', '富士', ['ja 富士山']],
    ['lang=de', 'er', ['de Cañon']],
    ['lang=de&sort=next_departure_date', 'zug', ['de Zugspitze']],
    ['lang=de&sort=next_departure_date', 'coast', ['de Ährenküste']],
    ['lang=fr&sort=next_departure_date', 'zug', []],
  ])(
    'with %s, q finds names with "%s" as shown, and in the tour\'s own language',
    async (query, q, found) => {
      await givenMixed();
      const { body } = await reader.get(`${CATALOG}?${query}&q=${encodeURIComponent(q)}`);
      expect(shownOf(body)).toEqual(found);
    },
  );

  it('a list in a language has the tours that tour rules show, and lacks those that they hide', async () => {
    const { db } = api;
    const hidden = await givenTour(db, { name: 'Hidden', translations: { de: { name: 'Versteckt' } } });
    const shown = await givenTour(db, { name: 'Seen', translations: { de: { name: 'Gesehen' } } });
    const plain = await givenTour(db, { name: 'Found' });
    await givenTour(db, { name: 'Usual', translations: { de: { name: 'Aal' } } });
    await givenVisibilityRule(db, reader, hidden, false);
    await givenVisibilityRule(db, reader, shown, true);
    await givenVisibilityRule(db, reader, plain, true);
    const list = async (query: string) => shownOf((await reader.get(`${CATALOG}?lang=de${query}`)).body);
    expect(await list('')).toEqual(['de Aal', 'en Found', 'de Gesehen']);
    expect(await list('&q=gesehen')).toEqual(['de Gesehen']);
    expect(await list('&q=seen')).toEqual(['de Gesehen']);
    expect(await list('&q=versteckt')).toEqual([]);
  });

  it('a draft and an archived tour are in no list, and come back when they are published', async () => {
    const { db } = api;
    const { id } = await givenTour(db, { ...LAKE, status: 'draft' });
    const list = async () => shownOf((await reader.get(`${CATALOG}?lang=de`)).body);
    expect(await list()).toEqual([]);
    await db('tours').where({ id }).update({ status: 'published' });
    expect(await list()).toEqual(['de Seewanderung']);
    await db('tours').where({ id }).update({ status: 'archived' });
    expect(await list()).toEqual([]);
    expect(await db('tour_names')).toEqual([]);
    expect(await db('tour_tag_names')).toEqual([]);
  });

  it('a list of a tag in a language has translated and untranslated tours, in the order of the shown names', async () => {
    const { db } = api;
    const tags = ['walk'];
    await givenTour(db, { name: 'Quiet forest', tags });
    await givenTour(db, { name: 'Other forest' });
    await givenTour(db, { ...LAKE, name: 'Zebra lake' });
    await givenTour(db, { name: 'Alpine way', tags, translations: { fr: { name: 'Voie' } } });
    const ruled = await givenTour(db, { name: 'Hill', tags, translations: { de: { name: 'Hügel' } } });
    await givenVisibilityRule(db, reader, ruled, true);
    const list = async (query: string) =>
      shownOf((await reader.get(`${CATALOG}?lang=de&tag=walk${query}`)).body);
    expect(await list('')).toEqual(['en Alpine way', 'de Hügel', 'en Quiet forest', 'de Seewanderung']);
    expect(await list('&q=zebra')).toEqual(['de Seewanderung']);
    expect(await list('&q=seewand')).toEqual(['de Seewanderung']);
    expect(await list('&q=quiet&country=VN')).toEqual(['en Quiet forest']);
    const first = await reader.get(`${CATALOG}?lang=de&tag=walk&limit=3`);
    expect(shownOf(first.body)).toEqual(['en Alpine way', 'de Hügel', 'en Quiet forest']);
    expect(await list(`&limit=3&cursor=${first.body.next_cursor}`)).toEqual(['de Seewanderung']);
  });

  it('a list of a tag in a language follows a tour that gets and loses translations and tags', async () => {
    const { db } = api;
    const { id } = await givenTour(db, { name: 'Lake', tags: ['walk'] });
    const list = async (tag: string) => shownOf((await reader.get(`${CATALOG}?lang=de&tag=${tag}`)).body);
    const write = async (columns: object) => db('tours').where({ id }).update(columns);
    await givenTour(db, { name: 'Zoo', translations: { de: { name: 'Tierpark' } } });
    expect(await list('walk')).toEqual(['en Lake']);
    const german = { translations: '{"de": {"name": "See"}}', translation_names: '{"de": "see"}' };
    await write(german);
    expect(await list('walk')).toEqual(['de See']);
    await write({ tags: ['swim', 'swim'] });
    expect(await Promise.all(['walk', 'swim'].map(list))).toEqual([[], ['de See']]);
    await write({ translations: '{}', translation_names: '{}' });
    expect(await list('swim')).toEqual(['en Lake']);
    expect(await db('tour_tag_names').where({ tour_id: id })).toEqual([]);
  });

  it.each([
    ['tag=walk', ['de Seewanderung']],
    ['tag=Wandern', []],
    ['country=VN', ['de Seewanderung']],
    ['country=DE', []],
    ['continent=asia', ['de Seewanderung']],
    ['duration_min=3&duration_max=3', ['de Seewanderung']],
    ['departs_from=2020-01-01', []],
    ['sort=next_departure_date', ['de Seewanderung']],
    ['updated_since=1970-01-01T00:00:00Z', ['de Seewanderung']],
  ])('a list in German with the filter %s has the tours that match', async (filter, found) => {
    await givenTour(api.db, LAKE);
    expect(shownOf((await reader.get(`${CATALOG}?lang=de&${filter}`)).body)).toEqual(found);
  });

  it('a change of a translation is a change for updated_since, with another ETag', async () => {
    const { db } = api;
    const { id } = await givenTour(db, LAKE);
    const first = await reader.get(`${CATALOG}?lang=de&updated_since=1970-01-01T00:00:00Z`);
    const since = `${CATALOG}?lang=de&updated_since=${first.body.as_of}`;
    expect((await reader.get(since)).body.items).toEqual([]);
    const before = await reader.get(`${CATALOG}?lang=de`);
    await db('tours')
      .where({ id })
      .update({
        ...textColumns({ translations: { de: { name: 'Am See' } } }),
        updated_at: db.fn.now(),
      });
    expect(shownOf((await reader.get(since)).body)).toEqual(['de Am See']);
    const after = await reader.get(`${CATALOG}?lang=de`).set('if-none-match', before.headers.etag as string);
    expect(after.status).toBe(200);
    const same = await reader.get(`${CATALOG}?lang=de`).set('if-none-match', after.headers.etag as string);
    expect([same.status, same.headers['content-language'], same.headers.vary]).toEqual([
      304,
      'de',
      'Accept-Language',
    ]);
  });

  it('an empty list in a language has no Content-Language', async () => {
    const { body, headers } = await reader.get(`${CATALOG}?lang=de`);
    expect(body.items).toEqual([]);
    expect(headers).not.toHaveProperty('content-language');
  });
});
