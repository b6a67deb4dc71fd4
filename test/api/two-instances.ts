import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '../../cli/program';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import type { Db } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase } from '../support/database';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenTour, PEPPER, unique } from '../support/given';

const ROOT = path.resolve(__dirname, '../..');
export const ORIGIN = 'https://shop.example';

type Environment = Record<string, string>;

/** Two API processes on their own database, and commands that change their cached data. */
export interface TwoInstances {
  db: Db;
  databaseUrl: string;
  baseUrls: string[];
  tourctl(line: string): ReturnType<typeof tourctl>;
  tourctlProcess(line: string): ReturnType<typeof tourctlProcess>;
  givenShop(): Promise<Shop>;
  /** Counts answers of the second process from its cache. */
  hits(): Promise<number>;
  stop(): Promise<void>;
}

export async function startTwoInstances(): Promise<TwoInstances> {
  const database = await createTestDatabase();
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEY: 's'.repeat(32),
    CURSOR_KEY: 'c'.repeat(32),
    KEY_PEPPER: PEPPER,
  };
  const [, , metrics] = await freePorts();
  const instances: ApiProcess[] = [
    await startApiProcess(database.url),
    await startApiProcess(database.url, { METRICS_PORT: `${metrics}` }),
  ];
  return {
    db: database.db,
    databaseUrl: database.url,
    baseUrls: instances.map((instance) => instance.baseUrl),
    tourctl: (line) => tourctl(env, line),
    tourctlProcess: (line) => tourctlProcess(env, line),
    givenShop: () => givenShop(database.db, env),
    hits: () => readHits(`http://127.0.0.1:${metrics}/metrics`),
    async stop() {
      await Promise.all(instances.map((instance) => instance.stop()));
      await database.drop();
    },
  };
}

/** Runs the command in this process. @returns its JSON, and the instant at which it was written (performance.now) */
async function tourctl(
  env: Environment,
  line: string,
): Promise<{ at: number; json: Record<string, string> }> {
  let at = 0;
  let [stdout, stderr] = ['', ''];
  const sink = (write: (text: string) => void) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        write(chunk.toString());
        done();
      },
    });
  const io = {
    stdin: Readable.from([]),
    stdout: sink((text) => {
      at ||= performance.now();
      stdout += text;
    }),
    stderr: sink((text) => (stderr += text)),
    env,
    isTTY: false,
    root: ROOT,
  };
  const code = await run([...line.split(' '), '--yes', '--json'], io);
  if (code !== 0) throw new Error(`tourctl ${line}: ${stderr}`);
  return { at, json: JSON.parse(stdout) };
}

/** Runs the command in its own process. @returns the instant at which it ended */
async function tourctlProcess(env: Environment, line: string): Promise<number> {
  const child = spawn(path.join(ROOT, 'cli/tourctl.js'), [...line.split(' '), '--yes'], {
    env: { PATH: process.env.PATH, ...env },
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`tourctl ${line} ended with ${code}`);
  return performance.now();
}

/** A tenant with a key, a widget token, and a tour that it sells. */
export interface Shop {
  slug: string;
  keyId: string;
  authorization: string;
  tour: string;
  date: string;
  widgetId: string;
  widgetToken: string;
}

async function givenShop(db: Db, env: Environment): Promise<Shop> {
  const slug = unique('shop');
  await tourctl(env, `tenant create --slug ${slug} --name ${slug} --currency EUR`);
  await tourctl(env, `origins add ${slug} ${ORIGIN}`);
  const key = (await tourctl(env, `key issue ${slug} --scope catalog:read`)).json;
  const widget = (await tourctl(env, `widget issue ${slug}`)).json;
  const tour = await givenTour(db);
  const date = await givenDeparture(db, tour);
  await awaitInstances(db);
  return {
    slug,
    keyId: key.id!,
    authorization: `Bearer ${key.key}`,
    tour: tour.slug,
    date,
    widgetId: widget.id!,
    widgetToken: widget.token!,
  };
}

async function readHits(url: string): Promise<number> {
  const text = await (await fetch(url)).text();
  const counts = text.match(/^read_cache_lookups_total{[^}]*outcome="hit"} (\d+)/gm) ?? [];
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
