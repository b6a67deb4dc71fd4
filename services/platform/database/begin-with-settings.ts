import type { EventEmitter } from 'node:events';
import type { Knex } from 'knex';
import { type Prefix, sendWithNext } from './first-statement';
import { keepsPrepared } from './run-prepared';

/** The options of a transaction of `beginWithSettings`. */
export interface BeginOptions extends Knex.TransactionConfig {
  /** BEGIN and SET statements, a constant. */
  begin: string;
  /** Returns lock_timeout in milliseconds. It is called when the transaction has its connection. */
  lockMs(): number;
  /** Sends them with the first statement of the transaction, see `sendWithNext`. */
  withFirst: boolean;
}

interface Transaction {
  begin(connection: EventEmitter): Promise<unknown>;
  trxClient: { query(connection: EventEmitter, sql: string): Promise<unknown> };
}

interface Client {
  config: object;
  transaction: (this: Client, work: unknown, options: Partial<BeginOptions>, outer?: unknown) => Transaction;
}

/**
 * Makes the transactions of a pool send their settings with BEGIN. In a statement of their own they take a round trip more. If a
 * setting fails, the work does not begin; with `withFirst`, its first statement does not run.
 */
export function beginWithSettings(db: Knex): Knex {
  const client = db.client as Client;
  const create = client.transaction;
  // Knex copies the client, with this function, when it migrates: `this` may be a copy.
  client.transaction = function (this: Client, work, options, outer) {
    const transaction = create.call(this, work, options, outer);
    const { begin: statements, lockMs, withFirst } = options;
    if (statements === undefined || lockMs === undefined) return transaction;
    const lockTimeout = () => `set local lock_timeout = ${lockMs()}`;
    transaction.begin = async (connection) => {
      if (!withFirst) return begin(transaction, connection, `${statements}; ${lockTimeout()}`);
      const constant = keepsPrepared(this)
        ? namedOf(statements)
        : textsOf(statements).map((text) => ({ text }));
      sendWithNext(connection, [...constant, { text: lockTimeout() }]);
    };
    return transaction;
  };
  return db;
}

async function begin({ trxClient }: Transaction, connection: EventEmitter, sql: string): Promise<void> {
  try {
    await trxClient.query(connection, sql);
  } catch (error) {
    // BEGIN may have run: the server would refuse the next statements of the connection. The pool closes it.
    connection.emit('error', error);
    throw error;
  }
}

/** Leaves out empty texts: the server does not report that one is complete. */
function textsOf(statements: string): string[] {
  const texts = statements.split(';').map((one) => one.trim());
  return texts.filter((text) => text !== '');
}

/** By text. The texts are constants, so the map stays small. */
const named = new Map<string, Prefix[]>();

function namedOf(statements: string): Prefix[] {
  const known = named.get(statements);
  if (known) return known;
  const prefixes = textsOf(statements).map((text, n) => ({ text, name: `begin_${named.size + 1}_${n + 1}` }));
  named.set(statements, prefixes);
  return prefixes;
}
