import path from 'node:path';
import type { TestApi } from '../support/api';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { preparedBeforeAll } from '../support/prepared';
import { openPseudoTerminal, type PseudoTerminal } from '../support/pseudo-terminal';
import { type Answer, runOnce } from './run-once';

/** The program as a shell starts it. */
export const TOURCTL = path.resolve(__dirname, '../../cli/tourctl.js');

export interface TestTerminal extends TestDatabase {
  env: Record<string, string>;
  /** Runs one command line in this process; it cannot ask questions. */
  tourctl(line: string | string[], stdin?: string): Promise<Answer>;
  /** Returns the JSON document that the line answers with `--json`. */
  json(line: string): Promise<Answer['json']>;
  /**
   * Returns the exit code and the error code of a line that fails with `--json`, such as "1 tenant_not_found".
   * @throws Error if the line writes to stdout
   */
  refusal(line: string): Promise<string>;
  /** Starts a process for the line at a pseudo-terminal. */
  sit(line: string): PseudoTerminal;
}

/** Opens a terminal on its own database before the tests of a file or block, and drops the database after them. */
export function useTestTerminal(settings?: Record<string, string>): TestTerminal {
  const terminal = preparedBeforeAll(() => openTestTerminal(settings));
  afterAll(() => terminal.drop?.());
  return terminal;
}

/** Creates a database (see createTestDatabase) with a terminal on it. The caller drops it. */
export async function openTestTerminal(
  settings?: Record<string, string>,
  template?: string,
): Promise<TestTerminal> {
  return terminalOn(await createTestDatabase(template), settings);
}

/** Opens a terminal on the database of an API, with its secret for cursors. Declare it after useTestApi, which drops the database. */
export function useTerminalOf(api: TestApi): TestTerminal {
  return preparedBeforeAll(async () =>
    terminalOn(api.database, { CURSOR_KEY: api.context.secrets.cursorKey }),
  );
}

function terminalOn(database: TestDatabase, settings: Record<string, string> = {}): TestTerminal {
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEY: 's'.repeat(32),
    CURSOR_KEY: 'c'.repeat(32),
    SUDO_USER: 'olga',
    ...settings,
  };
  const tourctl = (line: string | string[], stdin?: string) => runOnce(line, { env, stdin });
  return {
    ...database,
    env,
    tourctl,
    json: async (line) => (await tourctl(`${line} --json`)).json,
    refusal: async (line) => {
      const { code, stdout, error } = await tourctl(`${line} --json`);
      if (stdout) throw new Error(`tourctl ${line} wrote to stdout: ${stdout}`);
      return `${code} ${error.code}`;
    },
    sit: (line) => openPseudoTerminal(`exec ${process.execPath} ${TOURCTL} ${line}`, env),
  };
}

/** Runs `work` with other settings, and restores the settings after it. */
export async function withEnv<T>(
  { env }: Pick<TestTerminal, 'env'>,
  settings: Record<string, string>,
  work: () => Promise<T>,
): Promise<T> {
  const before = { ...env };
  Object.assign(env, settings);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(settings)) delete env[name];
    Object.assign(env, before);
  }
}

interface Pages {
  /** The field that --after takes. */
  cursor?: string;
  /** True: the list also writes warnings about the items that it shows, even on the last page. */
  warns?: boolean;
}

/**
 * Checks the paging of a list of three items or more. A page that is not the last says on stderr that there are more items. The last
 * page and JSON output say nothing on stderr. `--after` continues after each item.
 * @param list a command line
 */
export async function expectPages(
  { tourctl, json }: TestTerminal,
  list: string,
  { cursor = 'id', warns = false }: Pages = {},
): Promise<void> {
  const { items } = await json(list);
  for (const [i, item] of items.entries())
    expect(await json(`${list} --after ${item[cursor]}`)).toEqual({ items: items.slice(i + 1) });
  const few = await tourctl(`${list} --limit 2`);
  expect(few.stderr).toContain(
    `2 shown, and there are more: --after ${items[1][cursor]} continues, --limit shows up to 1000\n`,
  );
  const all = await tourctl(`${list} --limit ${items.length}`);
  expect(all.stderr).toEqual(warns ? expect.not.stringContaining('there are more') : '');
  const machine = await tourctl(`${list} --limit 2 --json`);
  expect([machine.json, machine.stderr]).toEqual([{ items: items.slice(0, 2) }, '']);
}
