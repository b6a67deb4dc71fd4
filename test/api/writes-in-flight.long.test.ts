import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { runOnce } from '../cli/run-once';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { PEPPER } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { givenWebsite, type Website } from '../support/website';
import {
  explainUnlistedWrites,
  type Given,
  givenForWrites,
  SEAT_CHANGES,
  WRITES,
} from '../support/writing-requests';

/** A command that ends a key, a tenant or what a tenant sees waits for the writes whose COMMIT is slow, on every route. */
const api = useTestApi();
const terminal = useTerminalOf(api);

/** The commands that end a key or a tenant. */
const COMMANDS: Record<string, (given: Given) => string> = {
  'key revoke': ({ site }) => `key revoke ${keyIdOf(site)}`,
  'key rotate --grace 0': ({ site }) => `key rotate ${keyIdOf(site)} --grace 0`,
  'tenant suspend': ({ site }) => `tenant suspend ${site.tenant.slug}`,
  'tenant close': ({ site }) => `tenant close ${site.tenant.slug}`,
};

/** The commands that hide the tour from the tenant. */
const HIDING: Record<string, (given: Given) => string> = {
  'visibility deny': ({ site }) => `visibility deny ${site.tenant.slug}`,
  'visibility deny --tour': ({ site, tour }) => `visibility deny ${site.tenant.slug} --tour ${tour.slug}`,
  'tenant set --visibility none': ({ site }) => `tenant set ${site.tenant.slug} --visibility none`,
};

const keyIdOf = ({ key }: Website) => key.split('_')[2]!;

beforeAll(async () => {
  terminal.env.KEY_PEPPER = PEPPER;
  // The writes of the tenants in slow_commits sleep in their COMMIT, once for each written row. Their connections then have the tenant's
  // id as their name.
  await api.db.raw(`
    create table slow_commits (tenant_id uuid primary key, seconds float8 not null);
    create function sleep_at_commit() returns trigger language plpgsql security definer as $$
      begin
        perform set_config('application_name', new.tenant_id::text, true), pg_sleep(seconds)
          from slow_commits where tenant_id = new.tenant_id;
        return null;
      end $$;
    create constraint trigger slow_hold after insert or update on seat_holds
      deferrable initially deferred for each row execute function sleep_at_commit();
    create constraint trigger slow_lead after insert or update on booking_leads
      deferrable initially deferred for each row execute function sleep_at_commit();
    create constraint trigger slow_subscription after insert or update on webhook_endpoints
      deferrable initially deferred for each row execute function sleep_at_commit();
  `);
});

async function given(): Promise<Given> {
  return givenForWrites(api, await givenWebsite(api));
}

function slowCommitsOf({ site }: Given, seconds: number) {
  return api.db('slow_commits').insert({ tenant_id: site.tenant.id, seconds });
}

/** Resolves when a write of the tenant sleeps in its COMMIT. */
async function untilInCommit({ site }: Given): Promise<void> {
  const sleeping = "select from pg_stat_activity where application_name = ? and wait_event = 'PgSleep'";
  while ((await api.db.raw(sleeping, [site.tenant.id])).rows.length === 0) await sleep(5);
}

/** Returns all rows of the tenant that its writes change. */
async function rowsOf({ site }: Given): Promise<unknown> {
  const { rows } = await api.db.raw(
    `select (select jsonb_agg(h order by h.id) from seat_holds h where h.tenant_id = :id) as holds,
       (select jsonb_agg(l order by l.id) from booking_leads l where l.tenant_id = :id) as leads,
       (select jsonb_agg(e order by e.id) from webhook_endpoints e where e.tenant_id = :id) as endpoints`,
    { id: site.tenant.id },
  );
  return rows[0];
}

/**
 * Runs the command while the COMMIT of a write of the route is slow.
 * @param later the status of the same request after the command. Undefined: any
 * @param made its tenant and its departures; by default new ones
 * @returns what is wrong; undefined: nothing
 */
async function faultOf(
  route: string,
  command: (given: Given) => string,
  later: number | undefined,
  made?: Given,
): Promise<string | undefined> {
  const all = made ?? (await given());
  const send = await WRITES[route]!(all);
  const before = await rowsOf(all);
  await slowCommitsOf(all, 0.4);
  const answer = send();
  await untilInCommit(all);
  const { code, stderr } = await terminal.tourctl(`${command(all)} --yes`);
  const atReturn = await rowsOf(all);
  const { status } = await answer;
  const after = await rowsOf(all);
  const again = await send();
  if (code !== 0) return `${route}: ${stderr}`;
  if (status >= 300) return `${route} answers ${status}`;
  if (JSON.stringify(before) === JSON.stringify(atReturn)) return `${route} is not committed at the return`;
  if (JSON.stringify(after) !== JSON.stringify(atReturn)) return `${route} commits after the return`;
  return [undefined, again.status].includes(later) ? undefined : `${route} answers ${again.status} later`;
}

/** @returns the faults on all routes */
async function faultsOf(
  routes: string[],
  command: (given: Given) => string,
  later?: number,
): Promise<string[]> {
  const faults: (string | undefined)[] = [];
  const left = [...routes];
  // The API has eight connections.
  while (left.length > 0)
    faults.push(...(await Promise.all(left.splice(0, 4).map((route) => faultOf(route, command, later)))));
  return faults.filter((fault) => fault !== undefined);
}

describe('a command that ends a key or a tenant while the COMMIT of a write is slow', () => {
  it('each route that may write is listed with a request', () => {
    expect(explainUnlistedWrites()).toEqual([]);
  });

  it.each(Object.entries(COMMANDS))(
    '%s returns when the write is committed, on every route',
    async (_, command) => {
      expect(await faultsOf(Object.keys(WRITES), command, 401)).toEqual([]);
    },
  );
});

describe('a command that hides a tour while the COMMIT of a write is slow', () => {
  it.each(Object.entries(HIDING))(
    '%s returns when the change of seats is committed, on every route',
    async (_, command) => {
      expect(await faultsOf(Object.keys(SEAT_CHANGES), command)).toEqual([]);
    },
  );

  it('visibility clear returns when a hold is committed, and the next hold finds no tour', async () => {
    const route = 'POST /api/gateway/tours/{id_or_slug}/hold';
    const clear = ({ site, tour }: Given) => `visibility clear ${site.tenant.slug} --tour ${tour.slug}`;
    const all = await given();
    const { slug } = all.site.tenant;
    await terminal.tourctl(`visibility allow ${slug} --tour ${all.tour.slug}`);
    await terminal.tourctl(`visibility deny ${slug}`);
    expect(await faultOf(route, clear, 404, all)).toBeUndefined();
  });
});

/** Longer than a command waits. */
const LONG_SECONDS = 6.5;

/** Begins a write of the route whose COMMIT takes longer than a command waits. @returns its answer */
async function beginLongWrite(all: Given, route: string): Promise<{ answer: Promise<Response> }> {
  const send = await WRITES[route]!(all);
  await slowCommitsOf(all, LONG_SECONDS);
  const answer = send();
  await untilInCommit(all);
  return { answer };
}

interface LongWrite {
  route: string;
  /** Runs a command while the write sleeps in its COMMIT. */
  check: (all: Given, answer: Promise<Response>) => Promise<void>;
}

/**
 * Declares a test for each title. The writes sleep in their COMMIT at the same time, which takes seven seconds and not seven for each.
 * @param writes by the titles of their tests; at most four, because the API has eight connections
 */
function itDuringLongWrites(writes: Record<string, LongWrite>): void {
  const checks = new Map<string, Promise<void>>();
  beforeAll(async () => {
    for (const [title, { route, check }] of Object.entries(writes)) {
      const all = await given();
      // Begins one write after another, because one transaction commits writes that arrive together.
      const { answer } = await beginLongWrite(all, route);
      const checked = check(all, answer);
      // The test of this title reports the error.
      checked.catch(() => undefined);
      checks.set(title, checked);
    }
  });
  it.each(Object.keys(writes))('%s', async (title) => expect(await checks.get(title)).toBeUndefined());
}

/** @param subject the first words of the message */
function endsInFlight(name: string, subject: string): LongWrite['check'] {
  return async (all, answer) => {
    const line = `${COMMANDS[name]!(all)} --yes --json`;

    const first = terminal.tourctl(line);
    while ((await all.site.get('/octo/supplier')).status !== 401) await sleep(50);
    const { code, stdout, error } = await first;
    const atReturn = await rowsOf(all);
    expect([code, stdout, error.code]).toEqual([1, '', 'writes_in_flight']);
    expect(error.message).toMatch(
      new RegExp(
        `^${subject} \\S+ is refused already, but writes that began before still run after five seconds. ` +
          'Repeat the command to learn that they ended.$',
      ),
    );

    const second = await terminal.tourctl(line);
    const after = await rowsOf(all);
    expect(second.code).toBe(0);
    expect(second.json).toMatchObject({ status: expect.stringMatching(/^(revoked|suspended|closed)$/) });
    expect(after).not.toEqual(atReturn);
    expect((await answer).status).toBeLessThan(300);
    expect(await rowsOf(all)).toEqual(after);
  };
}

describe('a command that ends a key or a tenant while a COMMIT takes longer than five seconds', () => {
  const writes: [command: string, route: string, subject: string][] = [
    ['key revoke', 'POST /api/gateway/tours/{id_or_slug}/hold', 'The key'],
    ['key revoke', 'POST /api/tenant/bookings/{booking_ref}/confirm', 'The key'],
    ['tenant suspend', 'POST /octo/bookings/{uuid}/cancel', 'Each key of'],
    ['tenant close', 'POST /octo/notifications/subscriptions', 'Each key of'],
  ];
  const titled = writes.map(([command, route, subject]) => [
    `${command} ends with writes_in_flight during ${route}, and with exit 0 when it is repeated`,
    { route, check: endsInFlight(command, subject) },
  ]);
  itDuringLongWrites(Object.fromEntries(titled) as Record<string, LongWrite>);
});

async function rotateAtOnce(all: Given, answer: Promise<Response>): Promise<void> {
  const id = keyIdOf(all.site);
  const { code, json, error } = await terminal.tourctl(`key rotate ${id} --grace 0 --yes --json`);
  expect([code, error.code]).toEqual([1, 'writes_in_flight']);
  expect(error.message).toContain(`Run tourctl key revoke ${id} to learn that they ended.`);
  const read = (key: string) => api.http.get('/octo/supplier').set({ authorization: `Bearer ${key}` });
  expect((await read(json.key)).status).toBe(200);
  expect((await read(all.site.key)).status).toBe(401);

  expect((await terminal.tourctl(`key revoke ${id} --yes`)).code).toBe(0);
  expect((await answer).status).toBe(201);
}

async function revokeAndReadSubscriptions(all: Given, answer: Promise<Response>): Promise<void> {
  const line = `key revoke ${keyIdOf(all.site)} --yes`;
  const first = await terminal.tourctl(line);
  expect([first.code, first.stderr.includes('https://reseller.example/hook')]).toEqual([1, false]);
  const second = await terminal.tourctl(line);
  expect([second.code, second.stderr.includes('https://reseller.example/hook')]).toEqual([0, true]);
  expect((await answer).status).toBe(200);
}

async function revokeAndInterrupt(all: Given, answer: Promise<Response>): Promise<void> {
  const before = await rowsOf(all);
  const pressed = new AbortController();
  const line = `key revoke ${keyIdOf(all.site)} --yes`;
  const answered = runOnce(line, { env: terminal.env, interrupted: pressed.signal });
  while ((await all.site.get('/octo/supplier')).status !== 401) await sleep(50);
  pressed.abort();
  const { code, stdout, stderr } = await answered;
  expect(await rowsOf(all)).toEqual(before);
  expect([code, stdout]).toEqual([130, '']);
  expect(stderr).toContain('is refused already, but writes that began before may still run.');
  expect((await answer).status).toBe(200);
}

async function hideTour(all: Given, answer: Promise<Response>): Promise<void> {
  const line = `visibility deny ${all.site.tenant.slug} --json`;
  const first = terminal.tourctl(line);
  while ((await all.site.get(`/api/tenant/tours/${all.tour.slug}`)).status !== 404) await sleep(50);
  const { code, stdout, error } = await first;
  expect([code, stdout, error.code]).toEqual([1, '', 'writes_in_flight']);
  expect(error.message).toMatch(/^Each tour that \S+ does not see now is refused already, but writes/);
  expect((await terminal.tourctl(line)).code).toBe(0);
  expect((await answer).status).toBe(201);
}

describe('a command that waits for five seconds', () => {
  itDuringLongWrites({
    'key rotate --grace 0 prints the new key before it ends with writes_in_flight, and names the command that waits again':
      { route: 'POST /api/tenant/bookings', check: rotateAtOnce },
    'key revoke names a subscription of OCTO whose COMMIT it has waited for': {
      route: 'POST /octo/notifications/subscriptions',
      check: revokeAndReadSubscriptions,
    },
    'Ctrl-C ends the wait, and the command says that the key is refused already': {
      route: 'PATCH /api/gateway/holds/{hold_id}',
      check: revokeAndInterrupt,
    },
    'visibility deny ends with writes_in_flight after five seconds, although the tour is hidden already': {
      route: 'POST /api/tenant/bookings',
      check: hideTour,
    },
  });
});

describe('a command that ends a key while a write waits for a departure', () => {
  it('key revoke does not wait for a write that waits for its departure, and the write is refused', async () => {
    const all = await given();
    const send = await WRITES['PATCH /api/gateway/holds/{hold_id}']!(all);
    const locking = await api.db.transaction();
    await locking('departures').where({ id: all.departureId }).forUpdate().select('id');
    const answer = send();
    await untilTransactionWaits(api.db);
    const { code } = await terminal.tourctl(`key revoke ${keyIdOf(all.site)} --yes`);
    expect(code).toBe(0);
    const atReturn = await rowsOf(all);
    await locking.commit();
    expect((await answer).status).toBe(401);
    expect(await rowsOf(all)).toEqual(atReturn);
    expect((await send()).status).toBe(401);
  });
});
