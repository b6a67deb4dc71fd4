import fc from 'fast-check';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { checkBooks } from './check-books';
import { checkExport } from './check-export';
import { checkPrices } from './check-prices';
import { checkSeats } from './check-seats';
import { hasLostPrice, sumOf } from './model';
import { type MoneyRun, moneyRun } from './runs';
import {
  adjustBooking,
  bookHold,
  bookNow,
  bookWithoutDate,
  cancelBooking,
  cancelByOperator,
  cancelDeparture,
  changeHold,
  changeParty,
  checkBooking,
  checkHold,
  checkOctoBooking,
  confirmBooking,
  confirmByOcto,
  moveBooking,
  moveDeparture,
  placeHold,
  reserveByOcto,
  sellAtDesk,
} from './sales';
import { changeShop, openShop, type Shop } from './shop';

const api = useTestApi();
const terminal = useTerminalOf(api);
const RUNS = Number(process.env.MONEY_RUNS ?? 25);

/** Holds and books by every way, before and after the changes of the run. Compares each answer with the model. */
async function sell(shop: Shop, run: MoneyRun): Promise<bigint[]> {
  const { party } = run;
  // test/api/zero-prices.test.ts has the prices that become 0.
  fc.pre(!hasLostPrice(shop.model));
  await checkPrices(shop, party);
  const [kept, changed] = [await placeHold(shop, party), await placeHold(shop, party)];
  const reservation = await reserveByOcto(shop, party);
  const early = await bookNow(shop, party);
  await checkSeats(shop, [kept, changed, reservation, early]);

  await changeShop(shop, run);
  fc.pre(!hasLostPrice(shop.model));
  await checkPrices(shop, party);
  for (const hold of [kept, changed]) await checkHold(shop, hold);
  await checkOctoBooking(shop, reservation.id, reservation);
  await checkBooking(shop, early);

  await changeHold(shop, changed);
  const byOcto = await confirmByOcto(shop, reservation);
  const fromHold = await bookHold(shop, kept, party);
  const fromChanged = await bookHold(shop, changed, changed.party);
  const late = await bookNow(shop, party);
  const undated = await bookWithoutDate(shop);
  const atDesk = await sellAtDesk(shop, party, run.adjustment);
  const bookings = [early, byOcto, fromHold, fromChanged, late, undated, atDesk];
  await checkSeats(shop, bookings);

  for (const booking of [early, byOcto, fromHold]) await adjustBooking(shop, booking, run.adjustment);
  await changeParty(shop, fromHold, { adult: 1n });
  const isEachAlone = party.single_supplement === party.adult;
  await changeParty(shop, early, { child: 1n, single_supplement: isEachAlone ? 0n : 1n });
  await moveBooking(shop, early);
  await moveBooking(shop, late);
  await cancelBooking(shop, late);
  for (const booking of [early, fromHold, fromChanged]) await confirmBooking(shop, booking);
  await changeParty(shop, fromHold, { adult: -1n });
  await moveDeparture(shop, bookings, 1);
  await moveBooking(shop, fromChanged);
  await moveDeparture(shop, bookings, 1);
  await cancelBooking(shop, fromHold);
  await cancelByOperator(shop, fromChanged, run.override);
  await checkOctoBooking(shop, reservation.id, byOcto);
  await checkSeats(shop, bookings);
  await checkBooks(shop, bookings);
  await cancelBooking(shop, early);
  await cancelDeparture(shop, bookings);
  await checkBooks(shop, bookings);
  await checkExport(shop);
  return bookings.map((booking) => sumOf(booking.party, booking.price.tenant));
}

it(
  'every price, total, deposit, refund and free seat is as by a model with whole numbers, also after changes between hold and booking',
  async () => {
    const totals = new Set<bigint>();
    await fc.assert(
      fc.asyncProperty(moneyRun, async (run) => {
        const shop = await openShop(api, terminal, run);
        for (const total of await sell(shop, run)) totals.add(total);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(totals.size).toBeGreaterThan(RUNS);
  },
  // A run takes 2 s on a quiet machine.
  60_000 + RUNS * 30_000,
);
