import { randomUUID } from 'node:crypto';
import { run } from '../../cli/program';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { openDatabase } from '../../services/platform/database/database';
import { untilTransactionWaits } from '../support/lock-wait';
import { openIo } from './run-once';
import { useTestTerminal } from './terminal';

/** The read-cache validity, and the longest wait that a busy machine may need. */
const VALIDITY_MS = 1_000;
const INSTANCE_WAIT_MS_MAX = 2_500;

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});
beforeEach(async () => {
  await terminal.db('api_instances').delete();
  await terminal.tourctl('tenant activate acme');
});

const currentVersion = async () => (await terminal.db('change_version').first('version')).version as number;

/** Inserts the row of an API instance. */
async function givenInstance(): Promise<{ see: () => Promise<void> }> {
  const id = randomUUID();
  await terminal.db('api_instances').insert({ id, seen_version: await currentVersion(), poll: 1 });
  const see = async () => {
    const seen_version = await currentVersion();
    await terminal.db('api_instances').where({ id }).update({ seen_version, poll: 2 });
  };
  return { see };
}

async function timed<T>(work: () => Promise<T>): Promise<{ took: number; answer: T }> {
  const begun = performance.now();
  const answer = await work();
  return { took: performance.now() - begun, answer };
}

const suspend = () => timed(() => terminal.tourctl('tenant suspend acme --yes --json'));

describe('a command that changes cached data', () => {
  it('a command that changes cached data answers as soon as the last instance has seen the change', async () => {
    const quick = await givenInstance();
    const slow = await givenInstance();
    setTimeout(() => void quick.see(), 300);
    setTimeout(() => void slow.see(), 600);
    const { took, answer } = await suspend();
    expect(answer.json.status).toBe('suspended');
    expect(took).toBeGreaterThan(450);
    expect(took).toBeLessThan(VALIDITY_MS);
  });

  it('a command that changes cached data answers after one second if an instance is silent, and removes that instance', async () => {
    const live = await givenInstance();
    await givenInstance();
    setTimeout(() => void live.see(), 300);
    const { took } = await suspend();
    expect(took).toBeGreaterThan(VALIDITY_MS);
    expect(took).toBeLessThan(INSTANCE_WAIT_MS_MAX);
    expect(await terminal.db('api_instances').select('poll')).toEqual([{ poll: 2 }]);
  });

  it('a command that changes cached data does not drop an instance that is alive but late', async () => {
    await givenInstance();
    const polls = setInterval(() => void terminal.db('api_instances').increment('poll', 1).then(), 100);
    const { took } = await suspend();
    clearInterval(polls);
    expect(took).toBeGreaterThan(VALIDITY_MS);
    expect(await terminal.db('api_instances')).toHaveLength(1);
  });

  it('a command that changes cached data answers at once if no instance runs or no cached data changes', async () => {
    expect((await suspend()).took).toBeLessThan(VALIDITY_MS);
    await givenInstance();
    const { took, answer } = await timed(() =>
      terminal.tourctl('key issue acme --scope catalog:read --json'),
    );
    expect(answer.code).toBe(0);
    expect(took).toBeLessThan(VALIDITY_MS);
  });

  it('a command that changes cached data prints its answer after Ctrl-C, and says that the change was made', async () => {
    await givenInstance();
    const { id } = await terminal.json('key issue acme --scope catalog:read');
    const interrupt = new AbortController();
    const { io, written } = openIo({ env: terminal.env, interrupted: interrupt.signal });
    const code = run(['key', 'rotate', id, '--grace', '1h', '--json'], io);
    while (!(await terminal.db('api_keys').where({ id }).first()).replacedBy)
      await new Promise((resolve) => setTimeout(resolve, 5));
    interrupt.abort();
    expect(written.stdout).toBe('');

    expect(await code).toBe(130);
    expect(JSON.parse(written.stdout).key).toMatch(/^svc_live_/);
    expect(JSON.parse(written.stderr).error).toEqual({
      code: 'interrupted',
      message: 'Interrupted, but the change was made and applies on every instance',
    });
  });

  it('a command that changes cached data rolls back after Ctrl-C while its transaction waits for a lock', async () => {
    const interrupt = new AbortController();
    const { io, written } = openIo({ env: terminal.env, interrupted: interrupt.signal });
    const lock = await terminal.db.transaction();
    await lock('tenants').where({ slug: 'acme' }).forUpdate().first();
    const code = run(['tenant', 'suspend', 'acme', '--yes'], io);
    await untilTransactionWaits(terminal.db);
    interrupt.abort();
    await lock.commit();

    expect([await code, written.stderr]).toEqual([130, 'error: Interrupted\n']);
    // Waits for the row lock of a transaction that has not ended yet.
    const { status } = await terminal.db('tenants').where({ slug: 'acme' }).forUpdate().first();
    expect(status).toBe('active');
  });

  it('a command that changes cached data stops waiting for instances in time if the database is unreachable', async () => {
    const lost = openDatabase('postgres://nobody@127.0.0.1:1/nothing', { applicationName: 'tests' });
    const { took } = await timed(() => awaitInstances(lost));
    await lost.destroy();
    expect(took).toBeGreaterThan(VALIDITY_MS);
    expect(took).toBeLessThan(INSTANCE_WAIT_MS_MAX);
  });
});
