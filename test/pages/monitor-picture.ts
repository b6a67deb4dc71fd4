import type { Browser } from 'playwright-core';
import type { Db } from '../../services/platform/database/database';
import { createDeliveryStats } from '../../services/webhook-queue/stats/delivery-stats';
import { givenTenant } from '../support/given';
import { startTestMonitor } from '../webhook-queue/monitor-fixture';
import { add, book, eventually, startFastWorker } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver, status } from '../webhook-queue/receiver';
import { savePicture } from './save-picture';

const WINDOW = { width: 1280, height: 900 };
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The length of a period of the statistics. */
const PERIOD_MS = 300_000;

const WEBSITES = [
  { slug: 'acme', url: 'https://acme.example/webhooks', answer: 204 },
  { slug: 'globe', url: 'https://globe.example/hooks/tours', answer: 200 },
  { slug: 'far-near', url: 'https://far-near.example/webhooks', answer: 503 },
];
const BOOKINGS = 6;

/** Takes the picture of the monitor's overview: two websites that answer, and one that has failed for an hour. */
export async function takeMonitorPicture(browser: Browser): Promise<void> {
  const monitor = await startTestMonitor();
  const receivers: Receiver[] = [];
  const worker = startFastWorker(monitor.db, { retryScheduleSeconds: [0, 600] });
  try {
    for (const website of WEBSITES) receivers.push(await givenDeliveries(monitor.db, website));
    await givenHistory(monitor.db);
    const context = await browser.newContext({ viewport: WINDOW });
    const [name, value] = (await monitor.signIn()).cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: monitor.url }]);
    const page = await context.newPage();
    await page.goto(monitor.url);
    await page.waitForTimeout(500);
    await savePicture(page, 'monitor');
    await context.close();
  } finally {
    await worker.stop();
    for (const receiver of receivers) await receiver.close();
    await monitor.stop();
  }
}

/** Sends bookings to a receiver on this computer, then gives the endpoint the address of its website. */
async function givenDeliveries(db: Db, { slug, url, answer }: (typeof WEBSITES)[number]): Promise<Receiver> {
  const tenant = await givenTenant(db, { slug });
  const receiver = await startReceiver();
  receiver.react(status(answer));
  const { id } = await add(db, tenant.id, receiver.url);
  for (let booked = 0; booked < BOOKINGS; booked++) await book(db, tenant.id);
  await eventually('an attempt of each delivery', async () => {
    const waiting = await db('webhook_deliveries').where({ endpoint_id: id, attempts: 0 }).first();
    return waiting ? undefined : true;
  });
  await db('webhook_endpoints').where({ id }).update({ url });
  return receiver;
}

/** Stores the statistics of a day: more deliveries in the afternoon, and failures of the last website within the last hour. */
async function givenHistory(db: Db): Promise<void> {
  const stats = createDeliveryStats(db, 'worker-of-yesterday');
  const ids: string[] = await db('webhook_endpoints').orderBy('created_at').pluck('id');
  const now = Date.now();
  for (let at = now - DAY_MS; at < now - PERIOD_MS; at += PERIOD_MS) {
    const perWebsite = 2 + Math.abs(12 - Math.abs(new Date(at).getUTCHours() - 15));
    for (let one = 0; one < perWebsite * ids.length; one++) {
      const claimedAt = new Date(at + one);
      const durationMs = 40 + ((one * 37 + at / PERIOD_MS) % 160);
      const fails = one % ids.length === ids.length - 1 && at > now - HOUR_MS;
      const report = fails
        ? { outcome: 'http_error', statusCode: 503, durationMs }
        : { outcome: 'delivered', statusCode: 204, durationMs };
      const delivery = { endpointId: ids[one % ids.length]!, claimedAt, createdAt: new Date(at + one - 300) };
      stats.observe(delivery, report as never);
    }
  }
  await stats.flush();
}
