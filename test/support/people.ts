import { runOnce, type Answer } from '../cli/run-once';
import type { TestTerminal } from '../cli/terminal';

/** A person at a terminal of the own: DATABASE_URL is that of the person's login. */
export interface PersonTerminal {
  env: Record<string, string>;
  /** Runs one command line in this process. */
  tourctl(line: string | string[], stdin?: string): Promise<Answer>;
  /** Returns the JSON document that the line answers with `--json`. @throws Error with the message of a refusal */
  json(line: string): Promise<Answer['json']>;
  /** Returns the exit code and the error code of a line, such as "1 not_allowed", or "0". */
  outcome(line: string): Promise<string>;
}

/** Takes the right to connect from PUBLIC, so that the database may have people. */
export async function closeDatabase({ db }: Pick<TestTerminal, 'db'>): Promise<void> {
  await db.raw(
    `do $$ begin execute format('revoke connect on database %I from public', current_database()); end $$`,
  );
}

/** Adds a person with these roles. The database must be closed. */
export async function givenPerson(owner: TestTerminal, name: string, roles: string): Promise<PersonTerminal> {
  const { code, stdout, stderr } = await owner.tourctl(`people add ${name} --role ${roles} --json`);
  if (code !== 0) throw new Error(stderr);
  return personTerminal(owner, JSON.parse(stdout).database_url);
}

/** Opens a terminal with the address of a login. */
export function personTerminal(owner: Pick<TestTerminal, 'env'>, url: string): PersonTerminal {
  const env = { ...owner.env, DATABASE_URL: url };
  const tourctl = (line: string | string[], stdin?: string) => runOnce(line, { env, stdin });
  return {
    env,
    tourctl,
    json: async (line) => {
      const { code, stdout, stderr } = await tourctl(`${line} --json`);
      if (code !== 0) throw new Error(`tourctl ${line}: ${stderr}`);
      return JSON.parse(stdout);
    },
    outcome: async (line) => {
      const answer = await tourctl(`${line} --json --yes`);
      if (answer.code === 0) return '0';
      if (answer.stderr === '') return `${answer.code}`;
      return `${answer.code} ${answer.error.code}: ${answer.error.message}`;
    },
  };
}
