import type { Knex } from 'knex';
import type pg from 'pg';
import { toFields } from './field-names';

/** The settings of pools whose connections keep prepared statements. A transaction has the settings of its pool. */
const preparing = new WeakSet<object>();

/** Lets `runPrepared` keep the statements of this pool in its connections. */
export function allowPrepared(db: Knex): void {
  preparing.add(configOf(db));
}

function configOf({ client }: Knex): object {
  return (client as { config: object }).config;
}

interface Statement {
  name: string;
  /** With $1, $2 and so on. */
  text: string;
  /** The names of the values, in their order. */
  values: string[];
}

/** By their text with names. The texts are constants, so the map stays small. */
const statements = new Map<string, Statement>();

/**
 * Runs a statement whose text is constant, with values for names such as `:ids`, and keeps its plan in the connection if
 * PREPARED_STATEMENTS allows it. Use it for the statements of each sale: for one sale the plan takes longer than the execution. In a
 * transaction it passes Knex, which takes 0.1 ms for each statement (ADR 26). Do not use it for statements that lock rows and select a
 * partition while they run (ADR 18).
 * @returns rows with fields, as Knex's own
 * @throws Error when the transaction has ended, and pg.DatabaseError
 */
export async function runPrepared(
  db: Knex,
  sql: string,
  values: Record<string, unknown>,
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as Knex's raw statements
): Promise<pg.QueryResult<any>> {
  if (!db.isTransaction) return db.raw(sql, values as Knex.ValueDict);
  // Its connection may belong to another transaction by now.
  if ((db as Knex.Transaction).isCompleted()) throw new Error('the transaction has ended');
  const { name, text, values: names } = statementOf(sql);
  const client = db.client as Knex.Client;
  const connection = (await client.acquireConnection()) as pg.Client;
  const query = { text, values: names.map((one) => valueOf(values, one)) };
  // As Knex tells its listeners.
  client.emit('query', { sql: text, bindings: query.values });
  const config = preparing.has(configOf(db)) ? Object.assign(query, { name }) : query;
  // The callback, because database.ts closes a connection that does not answer there.
  return new Promise((resolve, reject) => {
    connection.query(config, (error: Error | null, result) => {
      if (error) reject(error);
      else resolve(toFields(result) as pg.QueryResult);
    });
  });
}

function statementOf(sql: string): Statement {
  const known = statements.get(sql);
  if (known) return known;
  const values: string[] = [];
  // Leaves casts such as ::uuid.
  const text = sql.replace(/::|:([a-z]\w*)/gi, (match, name: string | undefined) => {
    if (name === undefined) return match;
    if (!values.includes(name)) values.push(name);
    return `$${values.indexOf(name) + 1}`;
  });
  const statement = { name: `statement_${statements.size + 1}`, text, values };
  statements.set(sql, statement);
  return statement;
}

function valueOf(values: Record<string, unknown>, name: string): unknown {
  const value = values[name];
  if (value === undefined) throw new Error(`the statement has no value for ${name}`);
  return value;
}
