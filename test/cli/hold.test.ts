import { change } from '../support/change';
import { inTransaction } from '../../services/platform/database/database';
import { extendHold } from '../../services/api/seats/changes/extend-hold';
import { untilTransactionWaits } from '../support/lock-wait';
import { endHoldIn } from '../support/website';
import { ANA, useSales } from './sales';
import { expectPages } from './terminal';

const sales = useSales();

const revision = async () =>
  (await sales.db('tours').where({ id: sales.tour.id }).first<{ revision: number }>()).revision;

describe('tourctl hold', () => {
  it('tourctl hold list shows holds by tenant, status, reference and time', async () => {
    const { tenant, tour } = sales;
    const { id } = await sales.hold(2);

    const { json, code } = await sales.tourctl(
      `hold list --tenant ${tenant.slug} --status active --external-ref cart-1 --since 1h --json`,
    );

    expect(code).toBe(0);
    expect(json).toMatchObject({
      items: [{ id, tour: tour.slug, quantity: 2, status: 'active', external_ref: 'cart-1' }],
    });
    for (const other of ['--status released', '--external-ref cart-2']) {
      expect(await sales.json(`hold list ${other}`)).toEqual({ items: [] });
    }
    await sales.tourctl(`hold release ${id} --yes --json`);
  });

  it('tourctl hold list says when it does not show all holds, and --after <id> lists the holds after that one', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await sales.hold(1)).id);
    // Two holds may be created at the same instant.
    const instants = { created_at: new Date(), expires_at: new Date(Date.now() + 600_000), hold_minutes: 10 };
    await sales.db('seat_holds').whereIn('id', ids).update(instants);

    await expectPages(sales, 'hold list');
    expect(await sales.refusal('hold list --after 00000000-0000-4000-8000-000000000000')).toBe(
      '1 hold_not_found',
    );
    for (const id of ids) await sales.tourctl(`hold release ${id} --yes`);
  });

  it('tourctl hold release frees the seats, increments the tour revision and leaves an audit row', async () => {
    const { id } = await sales.hold(3);
    const before = { seats: await sales.seatsTaken(), revision: await revision() };

    const { json, code } = await sales.tourctl(`hold release ${id} --yes --json`);

    expect(code).toBe(0);
    expect(json).toMatchObject({ id, status: 'released' });
    expect(await sales.seatsTaken()).toBe(before.seats - 3);
    expect(await revision()).toBe(before.revision + 1);
    expect(await sales.lastAudit()).toMatchObject({
      action: 'hold.release',
      subject: id,
      tenantId: sales.tenant.id,
    });
  });

  it('tourctl hold release leaves no audit row if another release came first', async () => {
    const { id, departureId } = await sales.hold(1);
    const trx = await sales.db.transaction();
    await trx('departures').where({ id: departureId }).forUpdate().select('id');
    const releasing = sales.tourctl(`hold release ${id} --yes --json`);
    await untilTransactionWaits(sales.db);
    await trx('seat_holds')
      .where({ id })
      .update({ status: 'released', ended_at: new Date(), ended_by: 'key AAAAAAAAAAAA' });
    await trx.commit();
    const { code, json } = await releasing;
    expect([code, json.status]).toEqual([0, 'released']);
    expect(await sales.db('audit_log').where({ subject: id })).toEqual([]);
  });

  it('tourctl hold release without a terminal requires --yes', async () => {
    const { id } = await sales.hold(1);
    const { code, error } = await sales.tourctl(`hold release ${id} --json`);
    expect({ code, error: error?.code }).toEqual({ code: 2, error: 'usage_error' });
    await sales.tourctl(`hold release ${id} --yes`);
  });

  it.each(['release', 'show'])(
    'tourctl hold %s refuses an unknown hold, and a malformed id',
    async (verb) => {
      expect(await sales.refusal(`hold ${verb} 00000000-0000-4000-8000-000000000000 --yes`)).toBe(
        '1 hold_not_found',
      );
      expect((await sales.tourctl(`hold ${verb} nonsense --yes --json`)).code).toBe(2);
    },
  );
});

describe('tourctl hold show', () => {
  it('tourctl hold show shows the whole history with its actors, and the locked price', async () => {
    const { db, tenant } = sales;
    const { id } = await sales.hold(1);
    const extension = { holdId: id, holdMinutes: 40, by: 'key BBBBBBBBBBBB' };
    await inTransaction(db, (trx) => change(trx, tenant, extendHold, extension));
    await inTransaction(db, (trx) => change(trx, tenant, extendHold, { ...extension, holdMinutes: 5 }));
    await sales.tourctl(`hold release ${id} --yes`);

    const json = await sales.json(`hold show ${id}`);

    expect(json.history.map((m: { event: string; by: string }) => [m.event, m.by])).toEqual([
      ['placed', 'key AAAAAAAAAAAA'],
      ['extended', 'key BBBBBBBBBBBB'],
      ['released', 'operator olga'],
    ]);
    expect(json.history[0].detail).toBe('1 seat');
    expect(json).toMatchObject({ status: 'released', hold_minutes: 40, booking_ref: null });
    expect(json.price_breakdown).toMatchObject({
      platform_unit_price: 500,
      platform_prices: { adult: 500 },
      unit_price: 500,
      rule: null,
    });
    expect(json.audit).toMatchObject([{ actor: 'olga', action: 'hold.release', subject: id }]);
  });

  it('tourctl hold show names the booking that a hold became', async () => {
    const { id } = await sales.hold(2);
    const { bookingRef } = await sales.book(2, { holdId: id });
    const json = await sales.json(`hold show ${id}`);
    expect(json).toMatchObject({ booking_ref: bookingRef, refuses_with: { code: 'hold_state_conflict' } });
    expect(json.history[0].detail).toBe('2 seats');
    expect(json.history.at(-1)).toMatchObject({ event: 'consumed', by: 'key AAAAAAAAAAAA' });
    const { stdout } = await sales.tourctl(`hold show ${id}`);
    expect(stdout).toMatch(/is refused: hold_state_conflict\. The hold has already become a booking/);
    await sales.tourctl(`booking cancel ${bookingRef} --yes`);
  });

  it('tourctl hold show shows an overdue hold as expired before its expiry is recorded', async () => {
    const { id } = await sales.hold(1);
    await endHoldIn(sales.db, id, -1);
    const json = await sales.json(`hold show ${id}`);
    expect(json).toMatchObject({ status: 'expired', refuses_with: { code: 'hold_expired' } });
    expect(json.history.at(-1)).toMatchObject({ event: 'hold expired', by: null });
  });

  it('tourctl hold show shows the customer only with --reveal, which leaves an audit row', async () => {
    const { id } = await sales.hold(1);
    const masked = await sales.tourctl(`hold show ${id} --json`);
    expect(masked.json.customer).toEqual({ name: 'A… L…', phone: '+49…20', email: 'a…@e….com' });
    expect((await sales.tourctl(`hold show ${id}`)).stdout).not.toContain('Lima');
    const revealed = await sales.tourctl(`hold show ${id} --reveal --json`);
    expect(revealed.json.customer).toEqual(ANA);
    expect(await sales.lastAudit()).toMatchObject({
      action: 'hold.reveal',
      subject: id,
      tenantId: sales.tenant.id,
    });
    await sales.tourctl(`hold release ${id} --yes`);
  });
});
