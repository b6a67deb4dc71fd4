import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '../../services/platform/migrate/migrate';
import { type Db, openDatabase } from '../../services/platform/database/database';
import {
  type EmbeddedPostgres,
  joinEmbeddedPostgres,
} from '../../services/platform/embedded-postgres/embedded-postgres';
import { readDiskSpace } from '../../services/platform/directories';
import { runOnce } from '../cli/run-once';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { givenKey, givenTenant } from '../support/given';
import { describeWithSmallDisks, mountSmallDisk, removeSmallDisks } from '../support/small-disk';
import { CUSTOMER, givenSeats, type Seats } from '../support/website';

/** Enough for the database, and for the files that the server keeps of its log. */
const MIB = 320;
const AT_ONCE = 60;
/** /readyz gives a result again for a second. */
const FRESH_MS = 1000;

describeWithSmallDisks('a database whose disk is full', () => {
  let directory: string;
  let server: EmbeddedPostgres;
  let db: Db;
  let api: ApiProcess;
  let key: string;
  let seats: Seats;
  beforeAll(async () => {
    directory = mountSmallDisk(MIB);
    server = await joinEmbeddedPostgres(directory);
    db = openDatabase(server.url, { applicationName: 'tests', poolMax: 3 });
    await migrate(db);
    key = await givenKey(db, await givenTenant(db, { maxUnpaid: 10_000 }));
    seats = await givenSeats(db, { seats: 10_000 });
    api = await startApiProcess(server.url);
  });
  afterAll(async () => {
    await api?.stop();
    await db?.destroy();
    await server?.leave();
    removeSmallDisks();
  });

  const filler = () => path.join(directory, 'filler');
  const fill = () => {
    const left = readDiskSpace(directory)!.freeBytes;
    try {
      writeFileSync(filler(), Buffer.alloc(left));
      writeFileSync(`${filler()}-rest`, Buffer.alloc(1024 ** 2));
    } catch {
      // The disk is full.
    }
  };
  const makeSpace = () => {
    for (const file of [filler(), `${filler()}-rest`]) rmSync(file, { force: true });
  };

  const book = async (n: number) => {
    const response = await fetch(`${api.baseUrl}/api/tenant/bookings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...CUSTOMER,
        tour_id: seats.tour.id,
        departure_date: seats.date,
        adults: 1,
        notes: `${n} `.padEnd(2000, 'x'),
      }),
    });
    const { code, retryable } = (await response.json()) as { code?: string; retryable?: boolean };
    return response.status === 201 ? '201' : `${response.status} ${code} ${retryable}`;
  };
  const burst = async (n: number) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, i) => book(n * AT_ONCE + i)));
  const ready = async () => {
    await new Promise((resolve) => setTimeout(resolve, FRESH_MS + 100));
    const response = await fetch(`${api.baseUrl}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  const doctor = async () => {
    const { code, json } = await runOnce('doctor --json', {
      env: {
        DATABASE_URL: server.url,
        SECRETS_KEY: 's'.repeat(32),
        CURSOR_KEY: 'c'.repeat(32),
        DATA_DIR: '/tmp',
      },
    });
    return { code, ...json.checks.find(({ name }: { name: string }) => name === 'database') };
  };

  it('sales fail with internal_error alone, /readyz is 503, and doctor names the disk of the server; with space all are well again', async () => {
    expect(await ready()).toEqual({ status: 200, body: { ok: true } });
    expect(await book(0)).toBe('201');
    fill();
    const answers: string[] = [];
    for (let n = 0; n < 20 && answers.slice(-AT_ONCE).every((one) => one === '201'); n++)
      answers.push(...(await burst(n)));
    answers.push(...(await burst(20)));
    expect([...new Set(answers)].sort()).toEqual(['201', '500 internal_error true']);
    expect(await ready()).toEqual({ status: 503, body: { ok: false, reason: 'database disk is full' } });
    expect(await doctor()).toMatchObject({
      code: 1,
      status: 'broken',
      detail: expect.stringMatching(
        /a sale fails: the disk of the database server is full: .*No space left on device/,
      ),
    });
    makeSpace();
    expect(await ready()).toEqual({ status: 200, body: { ok: true } });
    expect(await book(1)).toBe('201');
    expect(await doctor()).toMatchObject({ status: 'ok' });
  });
});
