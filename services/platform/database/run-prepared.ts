import type { Knex } from 'knex';
import type pg from 'pg';

/** The `userParams` of a pool and of a Trx, which say how runPrepared sends a statement. */
export interface StatementParams {
  /** True: the connections keep prepared statements. */
  canPrepare: boolean;
  /** The settings, if any, with which PostgreSQL plans the statements of a transaction. */
  settings?: string;
}

interface Statement {
  name: string;
  /** The text of the statement, with $1, $2 and so on for the values. */
  text: string;
  /** The names of the values, in their order. */
  values: string[];
}

/**
 * The statements by settings and text. Both are constants, so the maps stay small. PostgreSQL keeps one plan for each name, so a statement has
 * another name with other settings: it would otherwise reuse the plan of those.
 */
const statements = new Map<string, Map<string, Statement>>();

/**
 * Runs a statement whose text is constant, with values for names such as `:ids`. If PREPARED_STATEMENTS allows it, the connection keeps the
 * plan. Use it for frequent statements whose planning takes longer than their execution. Bypasses Knex, which takes 0.1 ms for each
 * statement. Do not use it for statements that lock rows and select a partition while they run (ADR 15).
 * @returns rows with fields, as the statements of Knex do
 * @throws Error when the transaction has ended, and pg.DatabaseError
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as Knex's raw statements
export async function runPrepared<Row extends pg.QueryResultRow = any>(
  db: Knex,
  sql: string,
  values: Record<string, unknown>,
): Promise<pg.QueryResult<Row>> {
  // Refuses a completed transaction: its connection may already belong to another transaction.
  if (db.isTransaction && (db as Knex.Transaction).isCompleted())
    throw new Error('the transaction has ended');
  const { canPrepare, settings = '' } = db.userParams as StatementParams;
  const { name, text, values: names } = statementOf(sql, settings);
  const query: pg.QueryConfig = { text, values: names.map((one) => valueOf(values, one)) };
  if (canPrepare) query.name = name;
  const client = db.client as Knex.Client;
  const connection = (await client.acquireConnection()) as pg.Client;
  // Emits the event that Knex emits for its own statements.
  client.emit('query', { sql: text, bindings: query.values });
  try {
    const result = await send<Row>(connection, query);
    return client.postProcessResponse(result, undefined) as pg.QueryResult<Row>;
  } finally {
    await client.releaseConnection(connection);
  }
}

function send<Row extends pg.QueryResultRow>(
  connection: pg.Client,
  query: pg.QueryConfig,
): Promise<pg.QueryResult<Row>> {
  // Passes a callback, because dropUnusable in database.ts watches the callback and closes a connection that does not answer.
  return new Promise((resolve, reject) => {
    connection.query<Row>(query, (error: Error | null, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}

function statementOf(sql: string, settings: string): Statement {
  const known = statements.get(settings) ?? new Map<string, Statement>();
  statements.set(settings, known);
  const statement = known.get(sql) ?? toStatement(sql);
  known.set(sql, statement);
  return statement;
}

let created = 0;

function toStatement(sql: string): Statement {
  const values: string[] = [];
  // Leaves casts such as ::uuid unchanged.
  const text = sql.replace(/::|:([a-z]\w*)/gi, (match, name: string | undefined) => {
    if (name === undefined) return match;
    if (!values.includes(name)) values.push(name);
    return `$${values.indexOf(name) + 1}`;
  });
  created += 1;
  return { name: `statement_${created}`, text, values };
}

function valueOf(values: Record<string, unknown>, name: string): unknown {
  const value = values[name];
  if (value === undefined) throw new Error(`the statement has no value for ${name}`);
  return value;
}
