import type { EventEmitter } from 'node:events';
import type { Knex } from 'knex';

/** The options of a transaction of `beginWithSettings`. */
export interface BeginOptions extends Knex.TransactionConfig {
  /** Returns SET statements. It is called when the transaction has its connection. */
  settings(): string;
}

interface Transaction {
  begin(connection: EventEmitter): Promise<unknown>;
  trxClient: { query(connection: EventEmitter, sql: string): Promise<unknown> };
}

interface Client {
  transaction: (this: Client, work: unknown, options: Partial<BeginOptions>, outer?: unknown) => Transaction;
}

/**
 * Makes the transactions of a pool send their settings with BEGIN. In a statement of their own they take a round trip more. If a
 * setting fails, the work does not begin.
 */
export function beginWithSettings(db: Knex): Knex {
  const client = db.client as Client;
  const create = client.transaction;
  // Knex copies the client, with this function, when it migrates: `this` may be a copy.
  client.transaction = function (this: Client, work, options, outer) {
    const transaction = create.call(this, work, options, outer);
    const { settings } = options;
    if (settings) transaction.begin = (connection) => begin(transaction, connection, settings());
    return transaction;
  };
  return db;
}

async function begin({ trxClient }: Transaction, connection: EventEmitter, settings: string): Promise<void> {
  try {
    await trxClient.query(connection, `begin; ${settings}`);
  } catch (error) {
    // BEGIN may have run: the server would refuse the next statements of the connection. The pool closes it.
    connection.emit('error', error);
    throw error;
  }
}
