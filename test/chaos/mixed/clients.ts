import { randomUUID } from 'node:crypto';
import { CUSTOMER } from '../../support/website';
import { ask, type Definite, type Line, type Question } from './ask';
import { pick } from './random';
import type { SaleRecord } from './sales';

/** A departure that the clients sell. */
export interface Stock {
  tour: { id: string; slug: string };
  date: string;
  departureId: string;
}

interface Party {
  adults: number;
  children: number;
}

export interface Load extends Line {
  stock: Stock[];
  /** The state that the answers promise, by reference. */
  promised: Map<string, SaleRecord>;
  /** Answers that this load should not get. */
  unexpected: string[];
}

const BOOKINGS = '/api/tenant/bookings';
const OCTO_BOOKINGS = '/octo/bookings';

/** Repeats random sales until `isOver`, and finishes the last one. */
export async function runClient(load: Load, name: number, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const sale = new Sale(load, `${name}-${n}`);
    await pick(load.random, [holdAndBook, holdAndBook, bookBare, octo, browse])(sale);
  }
}

/** Requests the seats of the smallest departure, from more clients than the departure has seats. @returns whether the API sold a seat */
export async function buyLastSeat(load: Load, name: number): Promise<boolean> {
  const sale = new Sale({ ...load, stock: load.stock.slice(0, 1) }, `last-${name}`);
  return (await book(sale, sale.party(), {})) !== undefined;
}

class Sale {
  readonly record: SaleRecord = { events: [] };
  readonly stock: Stock;
  private requests = 0;

  constructor(
    readonly load: Load,
    readonly reference: string,
  ) {
    this.stock = pick(load.random, load.stock);
  }

  chance(share: number): boolean {
    return this.load.random() < share;
  }

  /** Sends a request with a new key. Records a refusal that the test does not expect. @returns undefined for any refusal */
  async ask(method: Question['method'], path: string, body?: object): Promise<Definite['body'] | undefined> {
    const isKeyed = method === 'POST' || method === 'PATCH';
    const key = isKeyed ? `${this.reference}-${++this.requests}` : undefined;
    const question = { method, path, body, key };
    const answer = await ask(this.load, question);
    if (answer.status < 300) {
      if (key !== undefined && this.chance(0.2)) await this.repeat(question, answer);
      return answer.body;
    }
    const hasSeats = this.record.hold !== undefined && path === BOOKINGS;
    const isSoldOut =
      answer.code === 'insufficient_seats' ||
      (answer.code === 'UNPROCESSABLE_ENTITY' && path === OCTO_BOOKINGS);
    if (isSoldOut && !hasSeats) this.load.figures.soldOut += 1;
    else this.load.unexpected.push(`${method} ${path} (${this.reference}): ${answer.status} ${answer.text}`);
    return undefined;
  }

  /** Sends an acknowledged write again: the answer is the same bytes. */
  private async repeat(question: Question, { text }: Definite): Promise<void> {
    const again = await ask(this.load, question);
    if (!again.replayed || again.text !== text)
      this.load.unexpected.push(`${question.key} repeated: ${again.status} ${again.text} after ${text}`);
  }

  /** Records a change that the API has acknowledged. The verdict compares the record with the database. */
  promise(change: Partial<SaleRecord>): void {
    Object.assign(this.record, change);
    this.record.events.sort();
    this.load.promised.set(this.reference, this.record);
  }

  changeHold(change: Partial<SaleRecord['hold']>): void {
    this.promise({ hold: { ...this.record.hold!, ...change } });
  }

  changeLead(change: Partial<SaleRecord['lead']>, event: string): void {
    this.promise({ lead: { ...this.record.lead!, ...change }, events: [...this.record.events, event] });
  }

  party(): Party {
    return pick(this.load.random, [
      { adults: 1, children: 0 },
      { adults: 2, children: 0 },
      { adults: 1, children: 2 },
    ]);
  }
}

async function holdAndBook(sale: Sale): Promise<void> {
  const { stock, reference } = sale;
  let party = sale.party();
  const { adults, children } = party;
  const seats = adults + children;
  const body = {
    departure_date: stock.date,
    quantity: seats,
    ...party,
    hold_minutes: 30,
    external_ref: reference,
  };
  const placed = await sale.ask('POST', `/api/gateway/tours/${stock.tour.slug}/hold`, body);
  if (!placed) return;
  const id = placed.hold_id as string;
  sale.promise({ hold: { status: 'active', seats, extensions: 0, changes: 0 } });
  const path = `/api/gateway/holds/${id}`;
  if (sale.chance(0.3) && (await sale.ask('POST', `${path}/extend`, { hold_minutes: 60 })))
    sale.changeHold({ extensions: 1 });
  if (sale.chance(0.3) && (await sale.ask('PATCH', path, { adults: adults + 1 }))) {
    party = { adults: adults + 1, children };
    sale.changeHold({ seats: seats + 1, changes: 1 });
  }
  if (sale.chance(0.2)) {
    if (await sale.ask('DELETE', path)) sale.changeHold({ status: 'released' });
  } else if (sale.chance(0.9)) {
    // Books the hold by its id, or by the external_ref that hold and booking share.
    await change(sale, party, await book(sale, party, sale.chance(0.5) ? { hold_id: id } : {}));
  }
}

async function bookBare(sale: Sale): Promise<void> {
  const party = sale.party();
  await change(sale, party, await book(sale, party, {}));
}

async function book(sale: Sale, party: Party, by: object): Promise<SaleRecord['lead']> {
  const { stock, reference, record } = sale;
  const body = {
    ...CUSTOMER,
    tour_id: stock.tour.id,
    departure_date: stock.date,
    ...party,
    external_ref: reference,
    ...by,
  };
  const booked = await sale.ask('POST', BOOKINGS, body);
  if (!booked) return undefined;
  const seats = party.adults + party.children;
  const lead = { ref: booked.booking_ref as string, status: 'pending_payment', seats, changes: 0 };
  if (record.hold) record.hold.status = 'converted';
  sale.promise({ lead, events: ['booking.created'] });
  return lead;
}

/** Confirms, changes and cancels a booking, each with some probability. */
async function change(sale: Sale, party: Party, lead: SaleRecord['lead']): Promise<void> {
  if (!lead) return;
  const path = `${BOOKINGS}/${lead.ref}`;
  if (sale.chance(0.5) && (await sale.ask('POST', `${path}/confirm`)))
    sale.changeLead({ status: 'confirmed' }, 'booking.confirmed');
  if (sale.chance(0.3) && (await sale.ask('PATCH', path, { adults: party.adults + 1 })))
    sale.changeLead({ seats: lead.seats + 1, changes: 1 }, 'booking.updated');
  if (sale.chance(0.4) && (await sale.ask('POST', `${path}/cancel`, { reason: 'changed plans' })))
    sale.changeLead({ status: 'cancelled' }, 'booking.cancelled');
}

/** Reserves over OCTO, and then confirms or cancels. */
async function octo(sale: Sale): Promise<void> {
  const { stock, reference } = sale;
  const uuid = randomUUID();
  const body = {
    uuid,
    productId: stock.tour.id,
    optionId: 'DEFAULT',
    availabilityId: stock.departureId,
    unitItems: [{ unitId: 'adult' }, { unitId: 'adult' }],
    expirationMinutes: 60,
    resellerReference: reference,
  };
  if (!(await sale.ask('POST', OCTO_BOOKINGS, body))) return;
  sale.promise({ hold: { status: 'active', seats: 2, extensions: 0, changes: 0 } });
  const path = `${OCTO_BOOKINGS}/${uuid}`;
  if (sale.chance(0.3)) {
    if (await sale.ask('POST', `${path}/cancel`, {})) sale.changeHold({ status: 'released' });
    return;
  }
  const confirmed = await sale.ask('POST', `${path}/confirm`, { contact: { fullName: 'Ana Lima' } });
  if (!confirmed) return;
  sale.changeHold({ status: 'converted' });
  const lead = { ref: confirmed.supplierReference as string, status: 'confirmed', seats: 2, changes: 0 };
  sale.promise({ lead, events: ['booking.created', 'booking.confirmed'] });
  if (sale.chance(0.3) && (await sale.ask('POST', `${path}/cancel`, {})))
    sale.changeLead({ status: 'cancelled' }, 'booking.cancelled');
}

async function browse(sale: Sale): Promise<void> {
  const { slug } = sale.stock.tour;
  await sale.ask('GET', '/api/tenant/catalog?limit=10');
  await sale.ask('GET', `/api/gateway/tours/${slug}/availability?departure_date=${sale.stock.date}`);
  await sale.ask('GET', `/api/tenant/tours/${slug}`);
}
