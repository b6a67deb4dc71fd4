import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger';
import type { Config } from './config/config';
import { type DatabaseOptions, type Db, openDatabase } from './database/database';
import { joinEmbeddedPostgres } from './embedded-postgres/embedded-postgres';
import { databaseReason, isDatabaseAway, sqlState } from './errors';
import { UnusableDatabaseError } from './readiness';

/**
 * Runs a service. The process ends through onShutdown. After an error it ends with exit code 1 and one line on stderr that names the next
 * step.
 * @param ports the names of the variables that set the service's ports
 * @param main receives a function that ends the process for an error that `main` cannot throw
 */
export function runService(
  service: string,
  ports: string,
  main: (fail: (error: unknown) => void) => Promise<void>,
): void {
  const fail = (error: unknown) => failStart(service, ports, error);
  // Without a listener, an error of these streams, for example of a full disk, ends the process.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  // Ends the process with an error, because Node itself would end with exit code 0 when nothing is left to wait for.
  process.once('beforeExit', () =>
    fail(new Error('The process ended although nobody stopped it: read its log, then start it again.')),
  );
  main(fail).catch(fail);
}

function failStart(service: string, ports: string, error: unknown): void {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  const text =
    code === 'EADDRINUSE'
      ? `Port ${port} is taken: stop the process that uses it, or set ${ports} to another port.`
      : message;
  process.stderr.write(`${service}: ${text}\n`, () => process.exit(1));
  // Ends the process also while nothing reads its stderr.
  setTimeout(() => process.exit(1), STDERR_MS);
}

const STDERR_MS = 1000;

/**
 * Runs `stop` once on SIGTERM, SIGINT, or when the parent that forked this process ends. Then exits with 0, or with 1 if
 * `stop` fails or takes longer than `graceMs`.
 */
export function onShutdown(log: Logger, graceMs: number, stop: () => Promise<void>): void {
  let stopping = false;
  const begin = (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), graceMs).unref();
    const exit = (code: number) => log.flush(() => process.exit(code));
    stop().then(
      () => exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', () => begin('SIGTERM'));
  process.on('SIGINT', () => begin('SIGINT'));
  if (process.channel) process.on('disconnect', () => begin('parent gone'));
}

export interface ServiceDatabase {
  openPool(options: DatabaseOptions): Db;
  /** Closes every pool, and leaves the embedded server if there is one. */
  close(): Promise<void>;
}

/** Opens the database of DATABASE_URL, or the embedded database of DATA_DIR. Starts the embedded database if it does not run. */
export async function openServiceDatabase(config: Config, log: Logger): Promise<ServiceDatabase> {
  const onNotice = (line: string) => log.info(line);
  const server = config.databaseUrl
    ? { url: config.databaseUrl, leave: () => Promise.resolve() }
    : await joinEmbeddedPostgres(path.resolve(config.dataDir), { onNotice });
  const canPrepare = config.preparedStatements || !config.databaseUrl;
  const pools: Db[] = [];
  return {
    openPool(options) {
      const pool = openDatabase(server.url, { ...options, canPrepare });
      pools.push(pool);
      return pool;
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await server.leave();
    },
  };
}

const PAUSE_MS = 1000;

/**
 * Repeats `work` until the database executes it, and logs why it waits. Waits for ever while the database is unavailable, refuses
 * statements, is read-only or lacks migrations.
 * @param isStopping ends the wait when it returns true
 * @throws the errors of `work` that do not come from the database
 */
export async function untilUsable(
  log: Logger,
  work: () => Promise<void>,
  isStopping: () => boolean = () => false,
): Promise<void> {
  for (let logged = ''; !isStopping(); await sleep(PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isOfDatabase(error)) throw error;
      const reason = databaseReason(error);
      if (reason !== logged) log.warn({ reason }, 'waiting for the database');
      logged = reason;
    }
  }
}

function isOfDatabase(error: unknown): boolean {
  return error instanceof UnusableDatabaseError || isDatabaseAway(error) || sqlState(error) !== undefined;
}
