/** Runs in a separate process for the tests of the embedded database: executes its arguments and reports by messages. */
import { appendFileSync } from 'node:fs';
import pg from 'pg';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { startTemporaryPostgres } from '../support/temporary-postgres';
import { bundledRelease, usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { withStartLock } from '../../services/platform/embedded-postgres/start-lock';

const tell = (message: object) => process.send?.(message);

const TASKS: Record<string, (...args: string[]) => Promise<void>> = {
  async join(dataDir) {
    const database = await joinEmbeddedPostgres(dataDir, { onNotice: (notice) => tell({ notice }) });
    process.once('message', () => void database.leave().then(() => process.disconnect()));
    tell({ url: database.url });
  },

  async churn(dataDir, rounds) {
    for (let round = 0; round < Number(rounds); round++) {
      const database = await joinEmbeddedPostgres(dataDir);
      const client = new pg.Client(database.url);
      await client.connect();
      await client.query('select 1');
      await client.end();
      await database.leave();
    }
    tell({ done: true });
    process.disconnect();
  },

  /** Records each acquisition as "in" and each release as "out", so that an overlap is visible. */
  async contend(lock, logFile) {
    process.once('message', () => {
      void withStartLock(lock, { waitMs: 10_000 }, async () => {
        appendFileSync(logFile, 'in\n');
        await new Promise((resolve) => setTimeout(resolve, 5));
        appendFileSync(logFile, 'out\n');
      }).then(() => process.disconnect());
    });
    tell({ ready: true });
  },

  async binaries(native, fallback) {
    tell(await usableBinaries({ ...bundledRelease(), native }, {}, fallback));
    process.disconnect();
  },

  async temporary() {
    tell(await startTemporaryPostgres());
  },
};

const [, , task = '', ...args] = process.argv;
TASKS[task]?.(...args).catch((error: Error) => {
  tell({ error: error.message });
  process.disconnect();
});
