import net, { type Socket } from 'node:net';
import { listen } from '../../support/listen';
import { startUnitReader } from './wire-protocol';

/** One transaction, from BEGIN on. */
export interface Transaction {
  /** The names of its statements. */
  statements: string[];
  /** All bytes of its statements, with their bindings. */
  sent: string;
}

export interface FaultPoint {
  /** The statements of a transaction from BEGIN to the fault point. The fault hits the first transaction that has run all of them. */
  statements: string[];
  /** `before`: PostgreSQL has not got the last statement. `after`: PostgreSQL has answered it, and the API has not got the answer. */
  when: 'before' | 'after';
}

/** Proxies PostgreSQL for one API. Counts the statements of each transaction, to find a fault point. */
export interface StatementProxy {
  port: number;
  /** Records transactions from now on. @returns the list, which grows */
  record(): Transaction[];
  /** Delays the next COMMIT. @returns when it is delayed */
  delayCommit(ms: number): Promise<void>;
  /** Runs `strike` once at the fault point, while the proxy holds back the statement or its answer. Then closes the connection. */
  arm(point: FaultPoint, strike: () => Promise<void>): void;
  /** Returns whether the point was reached. */
  disarm(): boolean;
  stop(): Promise<void>;
}

interface Armed {
  point: FaultPoint;
  strike(): Promise<void>;
  struck: boolean;
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const READY_BYTES = 6;
/** Matches the remaining time in `set local lock_timeout = 1987`. */
const VALUE = /= \d+/g;
/** Compares only the beginning of a statement, because the later parts differ from one sale to the next. */
const NAME_LENGTH = 60;

function nameOf(statement: string): string {
  return /^begin/i.test(statement) ? statement.replace(VALUE, '= ?') : statement.slice(0, NAME_LENGTH);
}

export async function startStatementProxy(target: number): Promise<StatementProxy> {
  let recorded: Transaction[] = [];
  let armed: Armed | undefined;
  let delay: { ms: number; begin(): void } | undefined;
  const sockets = new Set<Socket>();

  const isAt = (transaction: Transaction | undefined, when: FaultPoint['when']) =>
    armed !== undefined &&
    !armed.struck &&
    armed.point.when === when &&
    transaction?.statements.length === armed.point.statements.length &&
    transaction.statements.every((statement, n) => statement === armed!.point.statements[n]);

  function begin(): Transaction {
    const transaction = { statements: [], sent: '' };
    recorded.push(transaction);
    return transaction;
  }

  function beginDelay(): number {
    const { ms, begin } = delay ?? { ms: 0, begin() {} };
    delay = undefined;
    begin();
    return ms;
  }

  const server = net.createServer((client) => {
    const upstream = net.connect(target, '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    let transaction: Transaction | undefined;
    let isHeld = false;
    const strike = () => {
      isHeld = true;
      armed!.struck = true;
      void armed!.strike().finally(end);
    };
    const readUnits = startUnitReader((bytes, statement) => {
      if (isHeld) return;
      if (statement !== undefined && /^begin/i.test(statement)) transaction = begin();
      if (statement !== undefined && transaction) {
        transaction.statements.push(nameOf(statement));
        transaction.sent += bytes.toString('latin1');
      }
      if (statement !== undefined && isAt(transaction, 'before')) return strike();
      const delayMs = /^commit/i.test(statement ?? '') ? beginDelay() : 0;
      // The client sends nothing more until it has the answer of its COMMIT.
      if (delayMs > 0) setTimeout(() => upstream.write(bytes), delayMs);
      else upstream.write(bytes);
    });
    client.on('data', readUnits);
    upstream.on('data', (bytes) => {
      if (isHeld) return;
      const isReady = bytes.at(-READY_BYTES) === READY_FOR_QUERY;
      if (isReady && isAt(transaction, 'after')) return strike();
      if (isReady && /^(commit|rollback)/i.test(transaction?.statements.at(-1) ?? ''))
        transaction = undefined;
      client.write(bytes);
    });
  });
  const port = await listen(server);
  return {
    port,
    record: () => (recorded = []),
    delayCommit: (ms) => new Promise((resolve) => (delay = { ms, begin: resolve })),
    arm: (point, strike) => (armed = { point, strike, struck: false }),
    disarm() {
      const reached = armed?.struck ?? false;
      armed = undefined;
      return reached;
    },
    async stop() {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
