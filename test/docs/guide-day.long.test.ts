import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { describeWith, isInstalled } from '../support/describe-with';
import { freePorts } from '../support/free-ports';
import { listen } from '../support/listen';
import { killChildren, startChild, untilReady } from '../stack/child';
import { eventually } from '../webhook-queue/queue-fixture';
import { callTourctl, folderWith, runProgram } from './guide';

const ROOT = path.resolve(__dirname, '../..');
const TOURCTL = path.join(ROOT, 'cli/tourctl.js');
const DAY = readFileSync(path.join(ROOT, 'docs/operators-day.md'), 'utf8');

/** Returns the commands of each section. */
function sections(): { title: string; script: string }[] {
  return DAY.split('\n## ')
    .slice(1)
    .map((section) => ({
      title: section.split('\n')[0]!,
      script: [...section.matchAll(/```sh\n([^]*?)\n```/g)].map(([, code]) => code).join('\n'),
    }));
}

/** Starts the website of the tenant. It answers 410 from the confirmation on, until it gets a ping. */
async function startWebsite(): Promise<{ server: Server; received: string[]; url: string }> {
  const received: string[] = [];
  let isGone = false;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { event_type: event } = JSON.parse(body) as { event_type: string };
      if (event === 'booking.confirmed' && !received.includes('ping')) isGone = true;
      if (event === 'ping') isGone = false;
      if (!isGone) received.push(event);
      response.writeHead(isGone ? 410 : 200).end();
    });
  });
  return { server, received, url: `http://127.0.0.1:${await listen(server)}/webhooks` };
}

describeWith(
  'curl jq',
  "the operator's day of the documentation",
  () => {
    let cleanUp = async (): Promise<void> => undefined;
    afterAll(() => cleanUp());

    it('every command of the page works, from the first sale to the restored backup', async () => {
      const folder = await folderWith({});
      const dataDir = path.join(folder, 'data');
      mkdirSync(dataDir);
      const [api, queue, metrics] = await freePorts();
      const env = {
        DATA_DIR: dataDir,
        WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
        SUDO_USER: 'olga',
        API_PORT: `${api}`,
        WEBHOOK_QUEUE_PORT: `${queue}`,
        METRICS_PORT: `${metrics}`,
      };
      const website = await startWebsite();
      const product = startChild({
        name: 'product',
        program: process.execPath,
        args: [TOURCTL, 'up'],
        cwd: ROOT,
        env: { PATH: process.env.PATH!, HOME: process.env.HOME!, ...env },
        logFile: path.join(folder, 'log'),
      });
      cleanUp = async () => {
        website.server.close();
        await product.stop('SIGINT');
        await killChildren();
        rmSync(folder, { recursive: true, force: true });
      };
      await untilReady(product, 'npm start', async () => (await fetch(`http://127.0.0.1:${api}/readyz`)).ok);

      const untilDisabled = `until tourctl webhook list sunny --json | jq -e '.items[0].status == "disabled"' > /dev/null; do sleep 0.2; done`;
      const written = sections()
        .map(({ title, script }) => (title.includes('endpoint') ? `${untilDisabled}\n${script}` : script))
        .join('\n');
      const script = callTourctl(written)
        .replaceAll('.data/', `${dataDir}/`)
        .replaceAll('docs/examples', path.join(ROOT, 'docs/examples'))
        .replaceAll('https://sunny.example/webhooks', website.url)
        .replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${api}`);
      const { code, stdout, stderr } = await runProgram(
        'bash',
        ['--norc', '-c', `set -euxo pipefail\n${script}`],
        { cwd: folder, env },
      );
      expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
      const answers = (...lines: string[]) => expect.stringMatching(lines.join('[^]*'));
      expect(stdout).toEqual(
        answers(
          'departures +3 +0 +0\n',
          'total_price +3,498[.]00 EUR\n',
          'SUNNY-\\d+\nSUNNY-\\d+\nSUNNY-\\d+\n',
          'source +desk\n',
          'When it is paid: tourctl booking confirm SUNNY-\\d+\n',
          'total_price +4,917[.]00 EUR\n',
          'status +confirmed\n',
          'adults from 2 to 3',
          '5 people, 2 bookings, 1 unpaid\n',
          'sunny +\\d{4}-\\d{2} ',
          '\n401\n200\n',
          'sunny +disabled',
          ' is active\n',
          'SUNNY-\\d+ +booking.confirmed +dead',
          '1 delivery is queued again\n',
          '/sign-in/',
          'status +cancelled\n',
          'booking.cancel',
          'lofoten-by-sail on 2030-06-15 is cancelled; 2 bookings are affected\n',
          '2 bookings and 0 holds of lofoten-by-sail moved from 2030-06-15 to 2030-06-22\n',
          'lofoten-by-sail on 2030-06-22\n4 people, 2 bookings, 2 unpaid\n',
          'lofoten-by-sail on 2030-08-10 is cancelled; 1 booking is cancelled\n',
          ' of 2030-06-22 (is|are) cancelled; 2 bookings are cancelled, with 4 seats\n',
          'The person is erased from 2 bookings and 0 holds\n',
          'anonymized_at +\\d{4}-',
        ),
      );
      const countOf = (event: string) => website.received.filter((one) => one === event).length;
      await eventually('the cancellations', () => countOf('booking.cancelled') === 4 || undefined);
      await eventually('the moves', () => countOf('booking.updated') === 3 || undefined);
      expect(countOf('booking.created')).toBe(4);
      expect(website.received.filter((one) => /ping|confirmed/.test(one))).toEqual([
        'ping',
        'booking.confirmed',
      ]);
    }, 300_000);
  },
  isInstalled('curl') && isInstalled('jq'),
);
