import type { Knex } from 'knex';
import pg from 'pg';

/** libpq's parameter of a database URL, with libpq's meaning. */
export const REQUIRE_SCRAM = 'require_auth=scram-sha-256';

const WEAKER = ['authenticationCleartextPassword', 'authenticationMD5Password'];

/**
 * Talks only to a server that proves by SCRAM-SHA-256 that it knows the password too. pg itself tells the password to
 * any listener that asks for it, and believes one that asks for nothing: on the port of a server that died, whoever
 * came next.
 */
export class ScramClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this;
    let proven = false;
    const refuse = () =>
      connection.emit('error', new Error('the server does not authenticate by SCRAM-SHA-256'));
    connection.on('error', () => connection.stream.destroy());
    // Before pg's own listeners, which it attaches on connect: what they then answer goes to a destroyed socket.
    for (const event of WEAKER) connection.on(event, refuse);
    connection.on('authenticationSASLFinal', () => (proven = true)); // A wrong proof pg itself takes for an error.
    connection.on('authenticationOk', () => proven || refuse());
  }
}

/** Makes a just opened pool connect as ScramClient where its URL says so. */
export function heedRequiredScram(db: Knex, url: string): Knex {
  if (url.split(/[?&]/).includes(REQUIRE_SCRAM))
    (db.client as { driver: object }).driver = { Client: ScramClient };
  return db;
}
