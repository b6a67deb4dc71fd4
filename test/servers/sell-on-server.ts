import { findTenant } from '../../services/api/tenants/manage-tenants';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { startApiProcess } from '../support/api-process';
import { givenKey, givenTenant } from '../support/given';
import { startQueueProcess } from '../support/queue-process';
import { bookingRequest, createBooking, holdRequest, placeHold } from '../support/sell';
import { CUSTOMER, givenSeats } from '../support/website';
import { eventually } from '../webhook-queue/queue-fixture';
import { startReceiver } from '../webhook-queue/receiver';
import { SECRETS } from './started-server';

/** Holds and books in the database of a release, with its tenant, tour and departure. */
export async function sellWithin(db: Db): Promise<void> {
  const tenant = await findTenant(db, 'acme');
  const hold = holdRequest('2040-01-04');
  await inTransaction(db, (trx) => placeHold(trx, tenant, { ...hold, tour: 'tour-3' }));
  const booking = bookingRequest({ departureDate: '2040-01-04' });
  await inTransaction(db, (trx) => createBooking(trx, tenant, { ...booking, tour: 'tour-3' }));
}

/**
 * Starts both services, holds and books over HTTP as a new tenant, and waits for the event of the booking.
 * @param urls the addresses of the database for the API and for the webhook queue
 */
export async function expectSale(owner: Db, urls: { api: string; queue: string }): Promise<void> {
  const tenant = await givenTenant(owner);
  const authorization = `Bearer ${await givenKey(owner, tenant)}`;
  const { tour, date } = await givenSeats(owner);
  const stops: (() => unknown)[] = [];
  try {
    const receiver = await startReceiver();
    stops.push(() => receiver.close());
    const endpoint = {
      tenantId: tenant.id,
      url: receiver.url,
      events: ['booking.created'],
      allowPrivateTargets: true,
    };
    await inTransaction(owner, (trx) => addEndpoint(trx, SECRETS.SECRETS_KEY, endpoint));
    const api = await startApiProcess(urls.api, SECRETS);
    stops.push(() => api.stop());
    const queue = await startQueueProcess(urls.queue, {
      ...SECRETS,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    });
    stops.push(() => queue.kill());
    const post = async (route: string, body: object) => {
      const answer = await fetch(`${api.baseUrl}${route}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      expect([route, answer.status, text]).toEqual([route, 201, text]);
      return JSON.parse(text) as Record<string, string>;
    };
    const party = { departure_date: date, quantity: 2 };
    const { hold_id } = await post(`/api/gateway/tours/${tour.slug}/hold`, party);
    const order = { ...CUSTOMER, tour_id: tour.slug, adults: 2, hold_id };
    const { booking_ref } = await post('/api/tenant/bookings', order);
    const { body } = await eventually('the event of the booking', () => receiver.received[0]);
    expect(JSON.parse(body)).toMatchObject({ booking_ref });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
