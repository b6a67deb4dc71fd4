import pg from 'pg';

const WEAKER = ['authenticationCleartextPassword', 'authenticationMD5Password'];

/**
 * Accepts only a server that proves by SCRAM-SHA-256 that it knows the password too. pg itself sends the password to any
 * listener that asks for it, and accepts one that asks for nothing. On the port of a dead server that can be any process.
 */
export class ScramClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this;
    let isProven = false;
    const refuse = () =>
      connection.emit('error', new Error('the server does not authenticate by SCRAM-SHA-256'));
    connection.on('error', () => connection.stream.destroy());
    // These run before pg's own listeners, which pg adds on connect: those then write to a destroyed socket.
    for (const event of WEAKER) connection.on(event, refuse);
    connection.on('authenticationSASLFinal', () => (isProven = true)); // pg itself reports a wrong proof as an error.
    connection.on('authenticationOk', () => isProven || refuse());
  }
}
