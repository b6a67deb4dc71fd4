import { Webhook } from 'standardwebhooks';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { type GivenTour, givenDeparture, givenTenant, givenTour } from '../support/given';
import { eventually, startFastWorker } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';
import { useTestTerminal } from './terminal';

const DATE = '2031-06-01';
const terminal = useTestTerminal({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' });
let receiver: Receiver;
let worker: Worker;
let tour: GivenTour;

beforeEach(async () => {
  receiver = await startReceiver();
  worker = startFastWorker(terminal.db, { secretsKey: terminal.env.SECRETS_KEY });
  tour = await givenTour(terminal.db);
  await givenDeparture(terminal.db, tour, { date: DATE, seats: 1_000 });
});
afterEach(async () => {
  await worker.stop(100);
  await receiver.close();
});

interface Website {
  id: string;
  slug: string;
  secret: string;
}

/** Creates a tenant with an endpoint at the receiver, under a path with the tenant's slug. */
async function website(...events: string[]): Promise<Website> {
  const { id, slug } = await givenTenant(terminal.db);
  const flags = events.map((event) => ` --event ${event}`).join('');
  const { secret } = await terminal.json(`webhook add ${slug} ${receiver.url}/${slug}${flags}`);
  return { id, slug, secret };
}

const both = () => website('departure.cancelled', 'departure.updated');
const departure = (verb: string, more = '') =>
  terminal.json(`departure ${verb} ${tour.slug} ${DATE}${more} --yes`);

async function book({ id }: Website, bookingRef: string, fields: object = {}): Promise<void> {
  const row = await departureOf(terminal.db, tour.slug, DATE);
  await insertLead(terminal.db, id, row, bookingRef, { ...fields });
}

async function updatedAt(): Promise<string> {
  const { id } = await departureOf(terminal.db, tour.slug, DATE);
  return (await terminal.db('departures').where({ id }).first('updated_at')).updatedAt.toISOString();
}

async function hold({ id }: Website, fields: object = {}): Promise<void> {
  await insertHold(terminal.db, id, (await departureOf(terminal.db, tour.slug, DATE)).id, 2, { ...fields });
}

const past = () => terminal.db.raw("now() - interval '1 second'");

/** Returns the bodies of the tenant's events, oldest first. */
async function eventsOf({ id }: Website): Promise<Record<string, unknown>[]> {
  const rows: { body: string }[] = await terminal
    .db('webhook_events')
    .where({ tenant_id: id })
    .orderBy('id')
    .select('body');
  return rows.map(({ body }) => JSON.parse(body));
}

/** Waits for `count` requests to the tenant's endpoint, and verifies them. @returns the bodies of the requests */
async function received({ slug, secret }: Website, count: number): Promise<unknown[]> {
  const own = () => receiver.received.filter(({ path }) => path.endsWith(`/${slug}`));
  await eventually(`${count} requests`, () => (own().length >= count ? true : undefined));
  return own().map(({ body, headers }) =>
    new Webhook(secret).verify(body, headers as Record<string, string>),
  );
}

describe('departure.cancelled', () => {
  it('each tenant receives a signed event that names only its own bookings', async () => {
    const [acme, beta] = [await both(), await both()];
    await book(acme, 'ACME-1');
    await book(beta, 'BETA-1', { status: 'confirmed' });
    await book(acme, 'ACME-2', { status: 'confirmed' });
    await departure('cancel');
    const about = { tour: { id: tour.id, slug: tour.slug }, departure_date: DATE, departure_time: null };
    expect(await received(acme, 1)).toEqual([
      {
        event_type: 'departure.cancelled',
        ...about,
        booking_refs: ['ACME-1', 'ACME-2'],
        bookings_total: 2,
        updated_at: await updatedAt(),
      },
    ]);
    expect(await received(beta, 1)).toEqual([
      {
        event_type: 'departure.cancelled',
        ...about,
        booking_refs: ['BETA-1'],
        bookings_total: 1,
        updated_at: await updatedAt(),
      },
    ]);
    expect(Object.keys((await eventsOf(acme))[0]!)).toEqual([
      'event_type',
      'tour',
      'departure_date',
      'departure_time',
      'booking_refs',
      'bookings_total',
      'updated_at',
    ]);
  });

  it('a tenant with only a live hold receives the event without bookings', async () => {
    const acme = await both();
    await hold(acme);
    await departure('cancel');
    expect(await received(acme, 1)).toMatchObject([{ booking_refs: [], bookings_total: 0 }]);
  });

  it('a tenant without live sales or without a subscription gets no event', async () => {
    const ended = await both();
    await hold(ended, { expires_at: past() });
    await hold(ended, { status: 'released' });
    await book(ended, 'ENDED-1', { status: 'cancelled' });
    await book(ended, 'ENDED-2', { payment_due_at: past() });
    const others = [await website(), await website('departure.updated')];
    const removed = await both();
    await terminal.db('webhook_endpoints').where({ tenant_id: removed.id }).update({ status: 'removed' });
    for (const [index, one] of [...others, removed].entries())
      await book(one, `OTHER-${ended.slug}-${index}`);
    await departure('cancel');
    for (const one of [ended, ...others, removed]) expect(await eventsOf(one)).toEqual([]);
  });

  it('the event departure.cancelled names its first 100 bookings, and counts all of them', async () => {
    const acme = await both();
    const refs = Array.from({ length: 103 }, (_, n) => `MANY-${n}`);
    for (const ref of refs) await book(acme, ref);
    await departure('cancel');
    expect(await eventsOf(acme)).toMatchObject([{ booking_refs: refs.slice(0, 100), bookings_total: 103 }]);
  });

  it('a second cancel of a departure creates no second event', async () => {
    const acme = await both();
    await book(acme, 'AGAIN-1');
    await departure('cancel');
    await departure('cancel');
    expect(await eventsOf(acme)).toHaveLength(1);
  });

  it('the event departure.cancelled is delivered after its paused endpoint resumes', async () => {
    const acme = await both();
    await book(acme, 'PAUSED-1');
    const [{ id }] = (await terminal.json(`webhook list ${acme.slug}`)).items;
    await terminal.json(`webhook pause ${id}`);
    await departure('cancel');
    await terminal.json(`webhook resume ${id}`);
    expect(await received(acme, 1)).toMatchObject([{ booking_refs: ['PAUSED-1'] }]);
  });

  it('tourctl departure cancel prints the numbers of affected bookings and informed tenants', async () => {
    const [acme, beta] = [await both(), await website()];
    await book(acme, 'TOLD-1');
    await book(beta, 'TOLD-2');
    const cancel = `departure cancel ${tour.slug} ${DATE} --yes`;
    const { stdout } = await terminal.tourctl(cancel);
    expect(stdout).toContain(`${tour.slug} on ${DATE} is cancelled; 2 bookings are affected\n`);
    expect(stdout).toContain('1 tenant is informed by the webhook event departure.cancelled\n');
    expect((await terminal.tourctl(cancel)).stdout).not.toContain('informed');
  });
});

describe('departure.updated', () => {
  it('tourctl departure set-seats sends a signed event with the name of the changed field', async () => {
    const acme = await both();
    await book(acme, 'SEATS-1');
    await departure('set-seats', ' 20');
    expect(await received(acme, 1)).toEqual([
      {
        event_type: 'departure.updated',
        tour: { id: tour.id, slug: tour.slug },
        departure_date: DATE,
        departure_time: null,
        changed: ['seats_total'],
        booking_refs: ['SEATS-1'],
        bookings_total: 1,
        updated_at: await updatedAt(),
      },
    ]);
    expect(Object.keys((await eventsOf(acme))[0]!)).toEqual([
      'event_type',
      'tour',
      'departure_date',
      'departure_time',
      'changed',
      'booking_refs',
      'bookings_total',
      'updated_at',
    ]);
  });

  it('tourctl departure set-price sends one event, and held seats keep their price', async () => {
    const acme = await both();
    await hold(acme);
    const priced = await departure('set-price', ' --adult 520.5 --single-supplement 80');
    expect(priced).toMatchObject({ prices: { adult: 520.5, single_supplement: 80 }, currency: 'EUR' });
    await departure('set-price', ' --adult 520.50');
    expect(await received(acme, 1)).toMatchObject([{ event_type: 'departure.updated', changed: ['prices'] }]);
    expect(await eventsOf(acme)).toHaveLength(1);
    const held = await terminal.db('seat_holds').where({ tenant_id: acme.id }).first('prices_minor');
    expect(held).toEqual({ pricesMinor: { adult: 129_000 } });
  });

  it('tourctl departure reopen creates an event with the changed field status', async () => {
    const acme = await both();
    await book(acme, 'REOPENED-1');
    await departure('cancel');
    await departure('reopen');
    expect(await eventsOf(acme)).toMatchObject([
      { event_type: 'departure.cancelled' },
      { event_type: 'departure.updated', changed: ['status'], booking_refs: ['REOPENED-1'] },
    ]);
  });

  it('a command that changes nothing or is refused creates no event', async () => {
    const acme = await both();
    await book(acme, 'SAME-1', { adults: 5 });
    await departure('set-seats', ' 1000');
    await departure('reopen');
    expect(await terminal.refusal(`departure set-seats ${tour.slug} ${DATE} 4`)).toBe('1 seats_taken');
    expect(await eventsOf(acme)).toEqual([]);
  });
});
