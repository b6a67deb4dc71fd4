import { setTimeout as sleep } from 'node:timers/promises';
import { cancelDeparture } from '../../services/api/seats/changes/change-departure';
import { inTransaction } from '../../services/platform/database/database';
import { departureOf, insertLead } from '../catalog/catalog-rows';
import { add } from '../webhook-queue/queue-fixture';
import { useTestApi } from '../support/api';
import { changeDepartures } from '../support/change';
import { answerAfter, untilTransactionWaits } from '../support/lock-wait';
import { expectProblem } from '../support/responses';
import { givenSeats, type Seats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
let seats: Seats;

beforeAll(async () => {
  await add(api.db, website.tenant.id, 'https://acme.example/', ['departure.cancelled']);
});
beforeEach(async () => {
  seats = await givenSeats(api.db, { seats: 1_000 });
});

const book = () => website.book({ tour_id: seats.tour.slug, departure_date: seats.date });
const cancel = () =>
  inTransaction(api.db, (trx) =>
    changeDepartures(trx, cancelDeparture(trx, seats.tour, { date: seats.date })),
  );

/** Returns the bookings in the events of the departure, one list for each event. */
async function announced(): Promise<string[][]> {
  const { rows } = await api.db.raw(
    `select body::json -> 'booking_refs' as refs from webhook_events
     where type = 'departure.cancelled' and body::json -> 'tour' ->> 'id' = ?`,
    [seats.tour.id],
  );
  return rows.map(({ refs }: { refs: string[] }) => refs);
}

describe('a booking during the cancellation of its departure', () => {
  it('a booking that waits for a cancellation is refused, and the event departure.cancelled does not name it', async () => {
    const { body } = await book();
    const answer = await answerAfter(api.db, seats, book, (trx) =>
      changeDepartures(trx, cancelDeparture(trx, seats.tour, { date: seats.date })),
    );
    expectProblem(answer, 409, 'departure_cancelled');
    expect(await announced()).toEqual([[body.booking_ref]]);
  });

  it('the event departure.cancelled names a booking that commits while the cancellation waits for it', async () => {
    const booking = await api.db.transaction();
    const departure = await departureOf(booking, seats.tour.slug, seats.date);
    await booking('departures').where({ id: departure.id }).forUpdate().select('id');
    await insertLead(booking, website.tenant.id, departure, 'LOCKED-1');
    const cancelling = cancel();
    await untilTransactionWaits(api.db);
    await booking.commit();
    await cancelling;
    expect(await announced()).toEqual([['LOCKED-1']]);
  });

  it('the event departure.cancelled names each of 60 concurrent bookings that the API has not refused', async () => {
    // Ensures that there is an event.
    const first = await book();
    const bookings = Array.from({ length: 60 }, async (_, n) => {
      await sleep(n);
      return book();
    });
    await Promise.race(bookings);
    await cancel();
    const results = await Promise.all(bookings);
    const sold = [first, ...results]
      .filter(({ status }) => status === 201)
      .map(({ body }) => body.booking_ref);
    for (const answer of results)
      if (answer.status !== 201) expectProblem(answer, 409, 'departure_cancelled');
    const [refs, ...others] = await announced();
    expect(others).toEqual([]);
    expect([...refs!].sort()).toEqual(sold.sort());
    expectProblem(await book(), 409, 'departure_cancelled');
  });
});

it('Five concurrent cancellations of a departure create one event', async () => {
  const { body } = await book();
  const cancelled = await Promise.all(Array.from({ length: 5 }, cancel));
  expect(cancelled.filter(({ tenantsInformed }) => tenantsInformed === 1)).toHaveLength(1);
  expect(await announced()).toEqual([[body.booking_ref]]);
});
