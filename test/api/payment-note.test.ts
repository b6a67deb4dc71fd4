import { useTerminalOf } from '../cli/terminal';
import { type Shop, startShop, VisitorBrowser } from '../client/proxy-fixture';
import { useTestApi } from '../support/api';
import { CUSTOMER, givenSeats, useWebsite } from '../support/website';

const api = useTestApi();
const terminal = useTerminalOf(api);
const website = useWebsite(api);
let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ baseUrl: api.baseUrl, apiKey: website.key });
});
afterAll(() => shop.stop());

const NOTE = 'Transfer the deposit to DE02 1203 0000 0000 2020 51.\nName the reference.';

async function setNote(note: string): Promise<string | null> {
  const { json } = await terminal.tourctl([
    'tenant',
    'set',
    website.tenant.slug,
    '--payment-note',
    note,
    '--json',
  ]);
  return json.payment_note;
}

const givenBooking = async () => {
  const { tour, date } = await givenSeats(api.db);
  return website.book({ tour_id: tour.slug, departure_date: date });
};

describe('the payment note of a tenant', () => {
  it('each answer of a booking has the payment note of its tenant', async () => {
    await setNote(NOTE);
    const { body: made } = await givenBooking();
    const path = `/api/tenant/bookings/${made.booking_ref}`;
    const read = await website.get(path);
    const list = await website.get('/api/tenant/bookings?limit=1');
    const changed = await website.patch(path, { notes: 'Vegan.' });
    const confirmed = await website.post(`${path}/confirm`);
    const cancelled = await website.post(`${path}/cancel`);
    const answers = [made, read.body, list.body.items[0], changed.body, confirmed.body, cancelled.body];
    expect(answers.map(({ payment_note: note }) => note)).toEqual(answers.map(() => NOTE));
  });

  it('a booking shows the present note of its tenant, and null after the note is cleared', async () => {
    await setNote(NOTE);
    const { body } = await givenBooking();
    const noteOf = async () =>
      (await website.get(`/api/tenant/bookings/${body.booking_ref}`)).body.payment_note;
    await setNote('Pay on board.');
    expect(await noteOf()).toBe('Pay on board.');
    expect(await setNote('none')).toBeNull();
    expect(await noteOf()).toBeNull();
    expect((await givenBooking()).body.payment_note).toBeNull();
  });

  it('a repeated request gets the answer that an earlier release has stored, without the note', async () => {
    const { tour, date } = await givenSeats(api.db);
    const body = { ...CUSTOMER, tour_id: tour.slug, departure_date: date };
    const first = await website.book(body, { 'idempotency-key': 'note-1' });
    const stored = first.text.replace(',"payment_note":null', '');
    expect(stored).not.toBe(first.text);
    await setNote(NOTE);
    await api.db('idempotency_keys').where({ key: 'note-1' }).update({ answer: stored });
    const repeated = await fetch(`${api.baseUrl}/api/tenant/bookings`, {
      method: 'POST',
      headers: {
        authorization: website.authorization,
        'content-type': 'application/json',
        'idempotency-key': 'note-1',
      },
      body: JSON.stringify(body),
    });
    expect([repeated.status, await repeated.text()]).toEqual([201, stored]);
  });

  it('a visitor of the proxy sees the payment note in the answers of the booking', async () => {
    await setNote(NOTE);
    const { tour, date } = await givenSeats(api.db);
    const visitor = new VisitorBrowser(shop.api);
    const held = await visitor.send('POST', '/hold', {
      tour_id: tour.slug,
      departure_date: date,
      quantity: 1,
    });
    const booked = await visitor.send('POST', '/booking', {
      tour_id: tour.slug,
      hold_id: held.body.hold_id,
      ...CUSTOMER,
    });
    const read = await visitor.send('GET', '/booking');
    expect([booked.body.payment_note, read.body.payment_note]).toEqual([NOTE, NOTE]);
  });
});

describe('tourctl tenant set --payment-note', () => {
  it('tourctl tenant set keeps the lines of a payment note, and show and the audit log have it', async () => {
    expect(await setNote('  One\r\nTwo\r\n')).toBe('One\nTwo');
    expect((await terminal.json(`tenant show ${website.tenant.slug}`)).payment_note).toBe('One\nTwo');
    const [entry] = (await terminal.json('audit list --limit 1')).items;
    expect(entry).toMatchObject({ action: 'tenant.set', after: { payment_note: 'One\nTwo' } });
  });

  it('tourctl tenant set clears the payment note by none and by the empty text', async () => {
    for (const empty of ['none', '', ' ']) {
      expect(await setNote('Pay on board.')).toBe('Pay on board.');
      expect(await setNote(empty)).toBeNull();
    }
  });

  it.each([
    ['more than 1000 characters', 'x'.repeat(1001), 'must have at most 1000 characters'],
    ['a control character', 'Pay\u0007', 'must not contain control characters'],
  ])('tourctl tenant set refuses a payment note with %s', async (_, note, issue) => {
    const line = ['tenant', 'set', website.tenant.slug, '--payment-note', note, '--json'];
    const { code, error } = await terminal.tourctl(line);
    expect([code, error.message]).toEqual([2, `--payment-note ${issue}, or none`]);
  });

  it('tourctl tenant set accepts a payment note of 1000 characters of two code units', async () => {
    expect(await setNote('🚤'.repeat(1000))).toBe('🚤'.repeat(1000));
  });
});
