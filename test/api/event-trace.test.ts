import { inTransaction } from '../../services/platform/database/database';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { useTestApi } from '../support/api';
import { givenSeats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

async function book(headers: Record<string, string>): Promise<string> {
  const { tour, date } = await givenSeats(api.db);
  const { body } = await website.book({ tour_id: tour.slug, departure_date: date }, headers);
  return body.booking_ref as string;
}

const traceparentOf = async (ref: string, type: string) =>
  (await api.db('webhook_events').where({ booking_ref: ref, type }).first('traceparent'))
    .traceparent as unknown;

describe('the trace of an event without OpenTelemetry', () => {
  it('the event of a booking keeps the traceparent of its request, and a later event that of the later request', async () => {
    const endpoint = {
      tenantId: website.tenant.id,
      url: 'https://hooks.example.com/',
      events: ['booking.cancelled'],
    };
    await inTransaction(api.db, (trx) => addEndpoint(trx, 's'.repeat(32), endpoint));
    const ref = await book({ traceparent: `00-${TRACE}-${SPAN}-01` });
    const later = `00-${TRACE.replace('0a', 'ff')}-${SPAN}-00`;
    const { status } = await website.post(`/api/tenant/bookings/${ref}/cancel`, {}, { traceparent: later });
    expect(status).toBe(200);
    expect(await traceparentOf(ref, 'booking.created')).toBe(`00-${TRACE}-${SPAN}-01`);
    expect(await traceparentOf(ref, 'booking.cancelled')).toBe(later);
  });

  it('the event of a booking keeps the known fields of a later version of traceparent', async () => {
    const ref = await book({ traceparent: `cc-${TRACE}-${SPAN}-02-more` });
    expect(await traceparentOf(ref, 'booking.created')).toBe(`00-${TRACE}-${SPAN}-00`);
  });

  it.each([
    ['no traceparent', {}],
    ['an invalid traceparent', { traceparent: `00-${TRACE}-${SPAN}-01'; drop table tenants` }],
    ['the traceparent of no trace', { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` }],
  ])('the event of a booking has no trace if the request has %s', async (_, headers) => {
    expect(await traceparentOf(await book(headers), 'booking.created')).toBeNull();
  });
});
