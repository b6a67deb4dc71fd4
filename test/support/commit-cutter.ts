import net, { type Socket } from 'node:net';
import { listen } from './listen';

/** Proxies PostgreSQL and closes connections around a COMMIT. */
export interface CommitCutter {
  port: number;
  /** Sets the share of COMMITs that are cut. Half of these COMMITs do not reach the server. The answers to the other half do not return. */
  cut(share: number): void;
  /** Counts COMMITs that the server did not get. */
  lostCommits(): number;
  /** Counts COMMITs whose answer did not return. */
  lostAnswers(): number;
  stop(): Promise<void>;
}

/** Matches a simple query as Knex sends it: Q, the length, the text, a zero byte. */
const COMMIT = /Q....COMMIT;?\0/s;

export async function startCommitCutter(target: number): Promise<CommitCutter> {
  let share = 0;
  let lostCommits = 0;
  let lostAnswers = 0;
  const sockets = new Set<Socket>();

  const server = net.createServer((client) => {
    const upstream = net.connect(target, '127.0.0.1');
    let deaf = false;
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
    client.on('data', (bytes) => {
      const chance = COMMIT.test(bytes.toString('latin1')) ? Math.random() : 1;
      if (chance < share / 2) {
        lostCommits += 1;
        return end();
      }
      deaf = chance < share;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!deaf) return void client.write(bytes);
      lostAnswers += 1;
      end();
    });
  });
  const port = await listen(server);
  return {
    port,
    cut: (wanted) => (share = wanted),
    lostCommits: () => lostCommits,
    lostAnswers: () => lostAnswers,
    async stop() {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
