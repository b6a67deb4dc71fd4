import path from 'node:path';
import { killChildren, startChild, untilReady } from '../stack/child';
import { freePorts } from '../support/free-ports';
import { givenTenant, givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { TOURCTL, useTestTerminal } from './terminal';

const folder = useTemporaryFolder();
const terminal = useTestTerminal();
afterAll(() => killChildren());

/** Starts the product without a demo, and stops it. @returns what the start prints, and its metrics ports */
async function welcome(name: string): Promise<{ text: string; metrics: number }> {
  const [api, queue, metrics] = await freePorts();
  const product = startChild({
    name: 'product',
    program: process.execPath,
    args: [TOURCTL, 'up', '--no-demo'],
    cwd: folder,
    env: {
      ...terminal.env,
      PATH: process.env.PATH!,
      DATA_DIR: path.join(folder, name),
      API_PORT: `${api}`,
      WEBHOOK_QUEUE_PORT: `${queue}`,
      METRICS_PORT: `${metrics}`,
    },
    logFile: path.join(folder, `${name}.log`),
  });
  await untilReady(product, 'the product', async () => product.log().includes('Ctrl-C stops it all.'));
  for (const port of [metrics, metrics + 1])
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
  await product.stop('SIGINT');
  return { text: product.log(), metrics };
}

describe('the first lines of a start without a demo', () => {
  it('a start on an empty database suggests the first tenant, and names both addresses of metrics', async () => {
    const { text, metrics } = await welcome('empty');
    expect(text).toContain('Next: tourctl tenant create');
    expect(text).not.toContain('Database ');
    expect(text).toContain(
      `Metrics        http://127.0.0.1:${metrics}/metrics, http://127.0.0.1:${metrics + 1}/metrics\n`,
    );
  });

  it('a start on a restored database says what the database has, and suggests no first tenant', async () => {
    await givenTenant(terminal.db);
    await givenTour(terminal.db);
    await givenTour(terminal.db);
    const { text } = await welcome('restored');
    expect(text).toContain('Database       1 tenant, 2 tours, 0 bookings\n');
    expect(text).not.toContain('tenant create');
  });
});
