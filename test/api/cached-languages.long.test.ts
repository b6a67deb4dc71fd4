import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Response } from 'supertest';
import { createCachedReads } from '../../services/api/http/api-context';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import {
  type ReadCache,
  type ReadCacheValidity,
  startReadCacheValidity,
} from '../../services/platform/read-cache/read-cache';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useWebsite } from '../support/website';
import { givenWidgetToken, SHOP } from '../widget/given-widget';

const api = useTestApi();
const terminal = useTerminalOf(api);
const shop = useWebsite(api);
const folder = useTemporaryFolder();

let polls: Db;
let validity: ReadCacheValidity & { stop(): Promise<void> };
let token: string;
/** The keys under which answers were cached or looked up by the handlers. A request that is answered before Express adds none. */
let keys: string[];

function recordKeys(answers: ReadCache): ReadCache {
  return {
    ...answers,
    get: (key, load) => {
      keys.push(key);
      return answers.get(key, load);
    },
  };
}

beforeAll(async () => {
  polls = openDatabase(api.database.url, { applicationName: 'tests', poolMax: 1 });
  validity = startReadCacheValidity(polls, createLogger('silent', 'tests'));
  const reads = createCachedReads(api.db, validity);
  Object.assign(api.context, { ...reads, answers: recordKeys(reads.answers) });
});
afterAll(async () => {
  await validity.stop();
  await polls.destroy();
});
beforeEach(async () => {
  await api.db('tours').delete();
  await givenTour(api.db, {
    slug: 'lake',
    name: 'Lake walk',
    translations: { de: { name: 'Seewanderung' }, fr: { name: 'Le lac' } },
  });
  await givenTour(api.db, {
    slug: 'bay',
    name: 'Bay',
    language: 'fr',
    translations: { de: { name: 'Bucht' } },
  });
  token = await freshToken();
  await awaitInstances(api.db);
  keys = [];
});

/** Issues another token of the same tenant. Tokens share cached answers, but each has its own limit of 120 requests a minute. */
const freshToken = async () => (await givenWidgetToken(api.db, shop.tenant)).token;

/** Sends the request of a widget with each value of Accept-Language. @returns all different answers */
async function askForAll(values: string[]): Promise<Set<string>> {
  const tokens = await Promise.all(values.flatMap((_, n) => (n % 100 === 0 ? [freshToken()] : [])));
  await awaitInstances(api.db);
  const answers = new Set<string>();
  for (const [n, value] of values.entries()) {
    token = tokens[Math.floor(n / 100)]!;
    answers.add(shownOf(await WIDGET(value)).join());
  }
  return answers;
}

type Ask = (accepted: string | undefined, lang?: string) => PromiseLike<Response>;

const withHeaders = (accepted: string | undefined): Record<string, string> =>
  accepted === undefined ? {} : { 'accept-language': accepted };
const queryOf = (lang: string | undefined) => (lang === undefined ? '' : `&lang=${lang}`);

const LIST: Ask = (accepted, lang) =>
  shop.get(`/api/tenant/catalog?limit=5${queryOf(lang)}`).set(withHeaders(accepted));
const WIDGET: Ask = (accepted, lang) =>
  api.http
    .get(`/api/widget/tours?limit=5&token=${token}${queryOf(lang)}`)
    .set({ ...withHeaders(accepted), origin: SHOP });
const TOUR: Ask = (accepted, lang) =>
  shop.get(`/api/tenant/tours/lake${queryOf(lang).replace('&', '?')}`).set(withHeaders(accepted));

/** Repeats a request until its answer comes from the cache. On a slow machine, a late poll makes the cache invalid for a while. */
async function fromCache(ask: () => PromiseLike<Response>): Promise<Response> {
  for (;;) {
    const before = keys.length;
    const response = await ask();
    if (keys.length === before) return response;
  }
}

/** Returns the shown names, each with its language if the request wishes one. */
function shownOf({ body }: Response): string[] {
  const items: { name: string; lang?: string }[] = body.items ?? [body];
  return items.map(({ name, lang }) => (lang === undefined ? name : `${lang} ${name}`)).sort();
}

const GERMAN = ['de Bucht', 'de Seewanderung'];
const FRENCH = ['fr Bay', 'fr Le lac'];
const OWN = ['Bay', 'Lake walk'];
const WISHES: [accepted: string | undefined, lang: string | undefined, shown: string[]][] = [
  [undefined, undefined, OWN],
  ['de', undefined, GERMAN],
  ['fr', undefined, FRENCH],
  ['de;q=0.9, fr;q=0.8', undefined, GERMAN],
  ['de;q=0.8, fr;q=0.9', undefined, FRENCH],
  ['fr;q=0.9, de;q=0.8', undefined, FRENCH],
  ['en, de;q=0.5', undefined, ['de Bucht', 'en Lake walk']],
  ['it', undefined, ['en Lake walk', 'fr Bay']],
  ['*', undefined, OWN],
  ['de;q=0', undefined, OWN],
];
const WISHES_WITH_LANG: typeof WISHES = [
  [undefined, 'de', GERMAN],
  ['fr', 'de', GERMAN],
  ['de', 'fr', FRENCH],
  ['de', 'it', ['en Lake walk', 'fr Bay']],
  ['*', 'fr', FRENCH],
];

describe('cached answers in languages', () => {
  it.each<[string, Ask, typeof WISHES, (shown: string) => boolean]>([
    ['the list of a server', LIST, [...WISHES, ...WISHES_WITH_LANG], () => true],
    ['the list of a widget', WIDGET, WISHES, () => true],
    ['a tour', TOUR, [...WISHES, ...WISHES_WITH_LANG], (shown) => !/Bay|Bucht/.test(shown)],
  ])(
    'the cached answers for %s are in the languages of each request, whatever was asked before',
    async (_what, ask, wishes, isShown) => {
      const first: Response[] = [];
      for (const [accepted, lang] of wishes) first.push(await ask(accepted, lang));
      for (const [n, [accepted, lang, shown]] of wishes.entries()) {
        const cached = await fromCache(() => ask(accepted, lang));
        expect([accepted, lang, ...shownOf(cached)]).toEqual([accepted, lang, ...shown.filter(isShown)]);
        expect(cached.text).toBe(first[n]!.text);
        const { vary, etag } = cached.headers;
        expect({ vary, etag, language: cached.headers['content-language'] }).toEqual({
          vary: first[n]!.headers.vary,
          etag: first[n]!.headers.etag,
          language: first[n]!.headers['content-language'],
        });
      }
    },
  );

  it.each<[string, (n: number) => string, string[]]>([
    ['the same language', (n) => `x${n.toString(36)}, de-x${n};q=0.9, de;q=0.${100 + n}`, GERMAN],
    ['no language', (n) => `it-x${n}, x${n.toString(36)};q=0.5`, ['en Lake walk', 'fr Bay']],
  ])(
    '500 values of Accept-Language that wish %s of the catalog share one cached answer',
    async (_what, valueOf, shown) => {
      const values = Array.from({ length: 500 }, (_, n) => valueOf(n));
      await fromCache(() => WIDGET(values[0]));
      expect([...(await askForAll(values))]).toEqual([shown.join()]);
      expect(new Set(keys).size).toBe(1);
    },
  );

  it('an import of a translation changes the next answer, for a language that the catalog had and for a new one', async () => {
    for (const accepted of ['de', 'it']) await fromCache(() => WIDGET(accepted));
    const file = path.join(folder, 'tours.json');
    const change = async (translations: object) => {
      const tour = { slug: 'lake', continent: 'asia', country: 'VN', duration_days: 3, currency: 'EUR' };
      writeFileSync(file, JSON.stringify([{ ...tour, name: 'Lake walk', base_price: 500, translations }]));
      expect((await terminal.tourctl(`catalog import ${file} --json`)).json.errors).toEqual([]);
    };
    await change({ de: { name: 'Am See' } });
    expect(shownOf(await WIDGET('de'))).toEqual(['de Am See', 'de Bucht']);
    expect(shownOf(await fromCache(() => WIDGET('de')))).toEqual(['de Am See', 'de Bucht']);
    expect(shownOf(await fromCache(() => WIDGET('it')))).toEqual(['en Lake walk', 'fr Bay']);
    await change({ it: { name: 'Il lago' } });
    expect(shownOf(await WIDGET('it'))).toEqual(['fr Bay', 'it Il lago']);
    expect(shownOf(await fromCache(() => WIDGET('it')))).toEqual(['fr Bay', 'it Il lago']);
  });
});
