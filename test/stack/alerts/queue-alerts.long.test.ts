import { setTimeout as sleep } from 'node:timers/promises';
import { useTestDatabase } from '../../support/database';
import { describeWith, isInstalled } from '../../support/describe-with';
import { type QueueProcess, startQueueProcess } from '../../support/queue-process';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { book, claimNow, createTenant, eventually, SECRETS_KEY } from '../../webhook-queue/queue-fixture';
import { addEndpoint } from '../../../services/webhook-queue/endpoints/add-endpoint';
import { inTransaction } from '../../../services/platform/database/database';
import { type Receiver, startReceiver, status } from '../../webhook-queue/receiver';
import { ALERTS, expectAlerts, type Scrape, scrape, type Target } from './timeline';

const database = useTestDatabase();
let queue: QueueProcess;
let proxy: TcpProxy;
let receiver: Receiver;
let tenantId: string;

const targetOf = (of: QueueProcess, instance = 'queue-1'): Target => ({
  job: 'webhook-queue',
  instance,
  metrics: () => of.metrics(),
});
const scrapeQueue = () => scrape([targetOf(queue)]);

/** Scrapes again until the condition holds. A sample is up to two seconds old. */
function scrapeUntil(holds: (samples: Scrape) => boolean): Promise<Scrape> {
  return eventually('the metric', async () => {
    const samples = await scrapeQueue();
    return holds(samples) ? samples : undefined;
  });
}

/** Returns the sum of the series whose names begin with the text. */
function sumOf(samples: Scrape, beginning: string): number {
  return [...samples].reduce((sum, [series, value]) => (series.startsWith(beginning) ? sum + value : sum), 0);
}

/** Adds an endpoint of the tenant, to which each of its events is sent. */
async function addReceiver(query = ''): Promise<void> {
  const endpoint = { tenantId, url: `${receiver.url}${query}`, allowPrivateTargets: true };
  await inTransaction(database.db, (trx) => addEndpoint(trx, SECRETS_KEY, endpoint));
}

describeWith(
  'prometheus',
  'the alerts of the webhook queue',
  () => {
    beforeAll(async () => {
      const url = new URL(database.url);
      proxy = await startTcpProxy(Number(url.port));
      url.port = `${proxy.port}`;
      queue = await startQueueProcess(url.href, {
        SECRETS_KEY,
        WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
        WEBHOOK_RETRY_SCHEDULE: '0s',
      });
    });
    afterAll(async () => {
      queue.kill();
      await proxy.stop();
    });
    beforeEach(async () => {
      receiver = await startReceiver();
      tenantId = await createTenant(database.db);
      await addReceiver();
    });
    afterEach(async () => {
      await receiver.close();
      await database.db('webhook_queue').delete();
    });

    it('no alert fires while webhooks are delivered', async () => {
      const before = await scrapeQueue();
      await book(database.db, tenantId);
      const after = await scrapeUntil((samples) => sumOf(samples, 'webhook_delivery_total') >= 1);
      const names = ALERTS.map(({ alert }) => alert).filter((name) => !/^Api|^BackupOld/.test(name));
      await expectAlerts(names, { scrapes: [before, after], repeat: true, atMinutes: 40 }, []);
    });

    it('WebhooksWait fires if a webhook that is due is not sent', async () => {
      // The receiver does not answer, so most deliveries wait for a free slot of its endpoint.
      receiver.react(() => {});
      for (let n = 0; n < 40; n++) await book(database.db, tenantId);
      const oldest = (samples: Scrape) => sumOf(samples, 'webhook_oldest_due_seconds');
      const first = await scrapeUntil((samples) => oldest(samples) > 0);
      const second = await scrapeUntil((samples) => oldest(samples) > oldest(first));
      await expectAlerts(['WebhooksWait'], { scrapes: [first, second], atMinutes: 2 }, []);
      await expectAlerts(['WebhooksWait'], { scrapes: [first, second], atMinutes: 8 }, [
        { alertname: 'WebhooksWait' },
      ]);
    });

    it('WebhookQueueBlind fires if the queue does not reach its database', async () => {
      const before = await scrapeQueue();
      proxy.refuse();
      const after = await scrapeUntil((samples) => Number.isNaN(sumOf(samples, 'webhook_due')));
      proxy.resume();
      await expectAlerts(['WebhookQueueBlind'], { scrapes: [before, after], atMinutes: 5 }, [
        { alertname: 'WebhookQueueBlind' },
      ]);
    });

    it('WebhookWorkersLost fires if a worker took a delivery and was lost', async () => {
      const before = await scrapeQueue();
      const lost = () => claimNow(database.db, { worker: 'lost', leaseSeconds: 0.1 });
      // The running worker may claim a delivery first.
      await eventually('a claim', async () => {
        await book(database.db, tenantId);
        return (await lost()).length > 0 || undefined;
      });
      const after = await scrapeUntil((samples) => sumOf(samples, 'webhook_lease_lost_total') > 0);
      await expectAlerts(['WebhookWorkersLost'], { scrapes: [before, after], atMinutes: 3 }, [
        { alertname: 'WebhookWorkersLost' },
      ]);
    });

    it('WebhooksGivenUp fires if more than ten deliveries become dead within an hour', async () => {
      receiver.react(status(500));
      const dead = (samples: Scrape) => sumOf(samples, 'webhook_delivery_total{outcome="dead"');
      // After a few failures the breaker of an endpoint would stop its deliveries.
      for (let n = 1; n < 12; n++) await addReceiver(`?n=${n}`);
      await book(database.db, tenantId);
      const before = await scrapeUntil((samples) => dead(samples) >= 12);
      await book(database.db, tenantId);
      const after = await scrapeUntil((samples) => dead(samples) >= dead(before) + 12);
      await expectAlerts(['WebhooksGivenUp'], { scrapes: [before, after], atMinutes: 5 }, [
        { alertname: 'WebhooksGivenUp' },
      ]);
    });

    it('WebhookEndpointDisabled fires if the first endpoint since the start is disabled', async () => {
      receiver.react(status(410));
      const before = await scrapeQueue();
      await book(database.db, tenantId);
      const after = await scrapeUntil((samples) => sumOf(samples, 'webhook_endpoint_disabled_total') > 0);
      await expectAlerts(['WebhookEndpointDisabled'], { scrapes: [before, after], atMinutes: 5 }, [
        { alertname: 'WebhookEndpointDisabled', reason: 'gone' },
      ]);
    });

    it('VacuumHeldBack fires if a transaction stays open for a quarter of an hour', async () => {
      const age = (samples: Scrape) => sumOf(samples, 'webhook_snapshot_age_seconds');
      const scrapes = await database.db.transaction(
        async (trx) => {
          await trx.raw('select from tenants');
          const first = await scrapeUntil((samples) => age(samples) > 0.5);
          return [first, await scrapeUntil((samples) => age(samples) > age(first))];
        },
        { isolationLevel: 'repeatable read' },
      );
      await expectAlerts(['VacuumHeldBack'], { scrapes, atMinutes: 10 }, []);
      await expectAlerts(['VacuumHeldBack'], { scrapes, atMinutes: 25 }, [{ alertname: 'VacuumHeldBack' }]);
    });

    it('WebhookQueueInstanceDown fires if one of two queues is gone, and WebhookQueueDown if both are', async () => {
      const one = await startQueueProcess(database.url, { SECRETS_KEY });
      const two = await startQueueProcess(database.url, { SECRETS_KEY });
      const targets = [targetOf(one, 'queue-2'), targetOf(two, 'queue-3')];
      const scrapes = [await scrape(targets)];
      one.kill();
      await sleep(100);
      scrapes.push(await scrape(targets));
      const down = (instance: string) => ({
        alertname: 'WebhookQueueInstanceDown',
        job: 'webhook-queue',
        instance,
      });
      const names = ['WebhookQueueInstanceDown', 'WebhookQueueDown'];
      await expectAlerts(names, { scrapes, atMinutes: 4 }, [down('queue-2')]);
      two.kill();
      await sleep(100);
      scrapes.push(await scrape(targets));
      await expectAlerts(names, { scrapes, atMinutes: 6 }, [
        down('queue-2'),
        down('queue-3'),
        { alertname: 'WebhookQueueDown' },
      ]);
    });
  },
  isInstalled('promtool'),
);
