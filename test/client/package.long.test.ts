import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import * as elementRules from '../../clients/booking-element/src/party-rules';
import client from '../../clients/typescript/package.json';
import { devDependencies, version } from '../../package.json';
import type { Category } from '../../services/api/parties/category';
import { UnsoldCategoryError } from '../../services/api/parties/party';
import {
  assertWantedParty,
  changedParty,
  partyInput,
  partyOfRequest,
} from '../../services/api/parties/requested-party';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { useTestApi } from '../support/api';
import { categoriesArbitrary, CODES, pricesArbitrary, unitsArbitrary } from '../element/random-categories';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { CLIENT, folderWithClient } from '../support/packed-client';
import { useTemporaryFolder } from '../support/temporary-folder';
import { add, eventually, startFastWorker, whenAll } from '../webhook-queue/queue-fixture';

const FOLDER = useTemporaryFolder();
const run = promisify(execFile);
const README = readFileSync(path.join(CLIENT, 'README.md'), 'utf8');
const [BOOK, RECEIVE, PROXY] = [...README.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code!);

const api = useTestApi();
let folder: string;
let tenantId: string;
let worker: Worker;
let receiver: ChildProcess;
let environment: NodeJS.ProcessEnv;
let output = '';

beforeAll(async () => {
  folder = await folderWithClient(FOLDER);
  await writeFile(path.join(folder, 'book.mjs'), BOOK!);
  await writeFile(path.join(folder, 'receive.mjs'), RECEIVE!);
  const tenant = await givenTenant(api.db);
  tenantId = tenant.id;
  await givenDeparture(api.db, await givenTour(api.db));
  const [port] = await freePorts();
  const address = `http://127.0.0.1:${port}/`;
  const { secret } = await add(api.db, tenant.id, address);
  environment = {
    API: api.baseUrl,
    KEY: await givenKey(api.db, tenant),
    WEBHOOK_SECRET: secret,
    PORT: `${port}`,
  };
  receiver = spawn(process.execPath, ['receive.mjs'], {
    cwd: folder,
    env: { ...process.env, ...environment },
  });
  receiver.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually('the receiver', () => fetch(address).catch(() => undefined));
  worker = startFastWorker(api.db);
}, 180_000);
afterAll(async () => {
  receiver.kill('SIGKILL');
  await worker.stop(0);
});

const runNode = (...parameters: string[]) =>
  run(process.execPath, parameters, { cwd: folder, env: { ...process.env, ...environment } });

/** Compiles a program with the strictest options, and returns the errors of the compiler. */
async function compile(name: string, program: string): Promise<string> {
  await writeFile(path.join(folder, name), program);
  const compiler = path.resolve(CLIENT, '../../node_modules/typescript/bin/tsc');
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noEmit'];
  const flags = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--skipDefaultLibCheck'];
  const { stdout } = await runNode(compiler, ...strict, ...flags, name).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

const few = fc.integer({ min: 0, max: 4 });
const bodyArbitrary = fc.oneof(
  fc.record({ party: unitsArbitrary }),
  fc.record({ adults: few, children: few }, { requiredKeys: [] }),
  fc.record({ party: unitsArbitrary, adults: few, children: few, quantity: few }, { requiredKeys: [] }),
);
const requestArbitrary = fc.record({
  categories: categoriesArbitrary,
  prices: pricesArbitrary,
  now: fc.option(unitsArbitrary),
  body: bodyArbitrary,
});
/** Requests of random parties for random tours. Every second tour has no rules, and each of its categories has a price and takes one seat. */
const requestsArbitrary = fc.oneof(
  requestArbitrary,
  requestArbitrary.map((request) => ({
    ...request,
    categories: CODES.map((code): Category => ({ code, kind: 'other', seats: 1, people: 1 })),
    prices: Object.fromEntries(CODES.map((code) => [code, 1])),
  })),
);
type PartyRequest = typeof requestsArbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Rules = Pick<
  typeof elementRules,
  'partyIssue' | 'requestedParty' | 'resolveChange' | 'resolveParty' | 'toParty'
>;

/** Returns the verdict of the rules: the category that they refuse, `party` for the whole party, or the party with its seats. */
function verdictOf(rules: Rules, { categories, prices, now, body }: PartyRequest) {
  const requested = rules.requestedParty(body);
  const { party, seats, issue } = now
    ? rules.resolveChange(rules.toParty(now, categories), requested, categories)
    : rules.resolveParty(requested, categories);
  const refused = issue ?? rules.partyIssue(party, categories, prices, {});
  if (refused) return refused.kind === 'both' ? 'party' : (refused.category ?? 'party');
  return { party, seats };
}

/** Returns the verdict of the API, in the form of verdictOf. */
function verdictOfApi({ categories, prices, now, body }: PartyRequest) {
  try {
    const requested = partyInput(body);
    const wanted = now
      ? changedParty(elementRules.toParty(now, categories), requested, categories)
      : partyOfRequest(requested, categories);
    assertWantedParty(wanted, categories, prices);
    return { party: wanted.party, seats: wanted.seats };
  } catch (error) {
    return error instanceof UnsoldCategoryError ? error.category : 'party';
  }
}

/** Writes the verdicts of the packed client. */
const VERDICTS = `
  import { readFileSync } from 'node:fs';
  import * as rules from './node_modules/@tour-platform/client/dist/proxy/party-rules.js';
  ${verdictOf.toString()}
  const requests = JSON.parse(readFileSync('requests.json', 'utf8'));
  process.stdout.write(JSON.stringify(requests.map((request) => verdictOf(rules, request))));
`;

describe('the client package as npm installs it', () => {
  it('the code in the README of the client package books, and receives the webhook of the booking', async () => {
    const { stdout } = await runNode('book.mjs');
    expect(stdout).toMatch(/^Booked as \S+-\d+\n$/);
    await eventually('the event', () => /^msg_\S+ booking\.created$/m.test(output) || undefined);
    expect(await whenAll(api.db, tenantId, 'delivered')).toHaveLength(1);
    const forged = { method: 'POST', body: '{"event_type": "booking.created"}' };
    expect((await fetch(`http://127.0.0.1:${environment.PORT}/`, forged)).status).toBe(401);
  });

  it('the code in the README of the client package answers the pages of a site', async () => {
    await writeFile(path.join(folder, 'proxy.mjs'), PROXY!);
    const [port] = await freePorts();
    const env = { ...process.env, ...environment, PORT: `${port}`, SECRET: 's'.repeat(32) };
    const site = spawn(process.execPath, ['proxy.mjs'], { cwd: folder, env });
    try {
      const address = `http://127.0.0.1:${port}/tours/tours`;
      const answer = await eventually('the site', () => fetch(address).catch(() => undefined));
      expect(await answer.json()).toMatchObject({ items: [{ price_from: 500 }] });
    } finally {
      site.kill('SIGKILL');
    }
  });

  it('require loads the client package without a warning', async () => {
    const program = "process.stdout.write(Object.keys(require('@tour-platform/client')).sort().join())";
    const { stdout, stderr } = await runNode('-e', program);
    expect({ stdout, stderr }).toEqual({
      stdout: 'TourPlatformError,WebhookVerificationError,createClient,isOutdated,tourProxy,verifyWebhook',
      stderr: '',
    });
  });

  it('the API, the client package and the element give the same verdict on 1,000 random parties', async () => {
    const requests = fc.sample(requestsArbitrary, 1_000);
    await writeFile(path.join(folder, 'requests.json'), JSON.stringify(requests));
    await writeFile(path.join(folder, 'verdicts.mjs'), VERDICTS);
    const verdicts = requests.map(verdictOfApi);
    expect(JSON.parse((await runNode('verdicts.mjs')).stdout)).toEqual(verdicts);
    expect(requests.map((request) => verdictOf(elementRules, request))).toEqual(verdicts);
    const refused = verdicts.filter((verdict) => typeof verdict === 'string');
    expect(new Set(refused)).toEqual(new Set([...CODES, 'party']));
    expect(refused.length).toBeLessThan(900);
  });

  it('the types of the client package accept the calls of the API, and refuse others', async () => {
    const program = `
      import { createClient, TourPlatformError, tourProxy, verifyWebhook } from '@tour-platform/client';
      import { createServer, type IncomingMessage } from 'node:http';
      const proxy = tourProxy({
        baseUrl: '',
        apiKey: '',
        secret: '',
        allow: (request: Request, call) => call !== 'book' || request.headers.has('x-person'),
      });
      createServer(proxy);
      export const GET: (request: Request) => Promise<Response> = proxy;
      export const total = async (request: IncomingMessage) => (await proxy.bookingOf(request))?.total_price;
      // @ts-expect-error there is no such option
      tourProxy({ baseUrl: '', apiKey: '', secret: '', holds: 1 });
      // @ts-expect-error a visitor does not see the rule of the price
      export const rule = async (request: Request) => (await proxy.bookingOf(request))?.price_breakdown.rule;
      const platform = createClient({ baseUrl: '', apiKey: '' });
      const path = { hold_id: 'x' };
      const { data: filters } = await platform.GET('/api/tenant/catalog/filters');
      export const tours: number | undefined = filters.countries[0]?.tours;
      const { data: hold } = await platform.GET('/api/gateway/holds/{hold_id}', { params: { path } });
      export const until: string = hold.expires_at;
      const { id, event } = verifyWebhook(['whsec_'], {}, '');
      export const seen: string = event.event_type === 'hold.expired' ? event.hold_id : id;
      export const isBusy = (error: TourPlatformError) => error.code === 'departure_busy';
      // @ts-expect-error there is no such code
      export const isFull = (error: TourPlatformError) => error.code === 'no_seats';
      // @ts-expect-error a hold has no such status
      export const isGone = hold.status === 'gone';
      // @ts-expect-error OCTO's paths are for OCTO's clients
      await platform.GET('/octo/supplier');
      // @ts-expect-error the catalog has no POST
      await platform.POST('/api/tenant/catalog');
      // @ts-expect-error the path needs a value
      await platform.DELETE('/api/gateway/holds/{hold_id}');
      // @ts-expect-error a booking needs a body
      await platform.POST('/api/tenant/bookings', {});
      // @ts-expect-error the name of a filter is misspelled
      await platform.GET('/api/tenant/catalog', { params: { query: { tags: 'family' } } });
      // @ts-expect-error the name of an optional field is misspelled
      await platform.POST('/api/gateway/holds/{hold_id}/extend', { params: { path }, body: { hold_minute: 5 } });
    `;
    expect(await compile('types.mts', program)).toBe('');
  }, 180_000);

  it('the README of the client package has at most 430 words', () => {
    expect(README.split(/\s+/).length).toBeLessThanOrEqual(430);
  });

  it('the client package has the version of the platform, and depends on the packages that these tests use', () => {
    expect(client.version).toBe(version);
    expect(devDependencies).toMatchObject(client.dependencies);
  });
});
