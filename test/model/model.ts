import { isDeepStrictEqual } from 'node:util';
import { microseconds, type Row, type Version } from './journal';
import { BoatModel } from './boat';
import { type Beside, SEATS, TOUR_VERSIONS, type World } from './world';

export type Step =
  | 'created'
  | 'changed'
  | 'adjusted'
  | 'extended'
  | 'released'
  | 'expired'
  | 'converted'
  | 'confirmed'
  | 'cancelled';

/** The change of a hold or of a booking between two versions of its row. */
export interface Transition {
  step: Step;
  /** Id of the hold, or the booking's reference. */
  id: string;
  after: Row;
}

/** A change of a departure, and the tenants that certainly had a live hold or a valid booking on the departure. */
export interface DepartureChange {
  type: 'departure.cancelled' | 'departure.updated';
  departureId: string;
  tenants: Set<string>;
}

/** The service may read a hold a little later than the change. A hold that ends within this time may have ended by then. */
const CERTAIN_MICROSECONDS = 5_000_000;

/** `application_name` of the test, which does the operator's work and moves the ends of holds. */
const OPERATOR_APP = 'tests';

/** Maps each old status to the allowed new statuses, each with the name of the step. */
const LEGAL: Record<string, Record<string, Step>> = {
  active: { released: 'released', expired: 'expired', converted: 'converted' },
  pending_payment: { confirmed: 'confirmed', cancelled: 'cancelled', expired: 'expired' },
  expired: { confirmed: 'confirmed' },
  confirmed: { cancelled: 'cancelled' },
};

/** Replays a journal. Throws at the first step that breaks a rule of sales, seats or prices. */
export class Model {
  readonly sales = new Map<string, Row>();
  readonly transitions: Transition[] = [];
  readonly departureChanges: DepartureChange[] = [];
  private readonly departures = new Map<string, Row>();
  private readonly versions = new Map<string, Version[]>();
  private tour: Row | undefined;

  private readonly boat: BoatModel | undefined;

  constructor(private readonly world: World) {
    const { boat, departures, beside } = world;
    if (boat) this.boat = new BoatModel(boat, [...departures, beside!.departure]);
  }

  apply(transaction: Version[]): void {
    const at = microseconds(transaction.at(-1)!.at);
    const before = this.seatsOf(true, at);
    const departures = new Map(this.departures);
    const added: [Row | undefined, Row][] = [];
    for (const version of transaction) {
      const { row } = version;
      const old = this.sales.get(nameOf(row));
      if (this.read(version)) added.push([old, row]);
    }
    for (const [id, old] of departures) this.changeDeparture(old, this.departures.get(id)!, at);
    this.assertCapacity(at, before);
    for (const [old, row] of added) {
      this.assertPrices(old, row);
      if (!old) this.assertDepartureOfHold(row);
    }
  }

  /** Takes over a version of a row. Returns true for a hold or booking of a tenant of the world. */
  private read(version: Version): boolean {
    const { source, row } = version;
    const { tour, beside } = this.world;
    this.versions.set(nameOf(row), [...this.versionsOf(nameOf(row)), version]);
    if (source === 'tours') this.tour = row.id === tour.id ? row : this.tour;
    if (source === 'departures' && row.tour_id === tour.id) this.departures.set(row.id as string, row);
    if (source !== 'seat_holds' && source !== 'booking_leads') return false;
    // Sales of the tour beside count on the boat only.
    if (row.tenant_id === beside?.tenantId) this.sales.set(nameOf(row), row);
    if (!this.sellerOf(row)) return false;
    this.step(version);
    return true;
  }

  /** Returns the versions of a departure, hold or booking, the oldest first. */
  versionsOf(name: string): Version[] {
    return this.versions.get(name) ?? [];
  }

  /** Returns the status of a sale at an instant. A hold or payment window ends without a write to its row. */
  statusOf(row: Row, at: number): string {
    if (row.status === 'active' && microseconds(row.expires_at) <= at) return 'expired';
    if (row.status === 'pending_payment' && row.payment_due_at && microseconds(row.payment_due_at) <= at)
      return 'expired';
    return row.status;
  }

  /** Returns the free seats of each departure. */
  freeSeats(sandbox: boolean, at: number): Map<string, number> {
    const taken = this.seatsOf(sandbox, at);
    return new Map(
      [...this.departures].map(([id, { seats_total: total }]) => [
        id,
        Math.min(total - (taken.get(id) ?? 0), this.boat?.seatsLeft(id, this.onSale(taken)) ?? Infinity),
      ]),
    );
  }

  /** Returns the seats that the boat leaves on the departure of the tour beside. */
  freeBeside({ departure }: Beside, at: number): number {
    return this.boat!.seatsLeft(departure.id, this.onSale(this.seatsOf(false, at)));
  }

  /** Returns the free seats of all departures that use the boat: 0 if more are sold. */
  freeOnBoat(at: number): Map<string, number> {
    const { beside } = this.world;
    const free = [
      ...this.freeSeats(false, at),
      [beside!.departure.id, this.freeBeside(beside!, at)] as const,
    ];
    return new Map(free.map(([id, seats]) => [id, Math.max(0, seats)]));
  }

  /** Returns the seats of the departures that take place. */
  private onSale(taken: Map<string, number>): Map<string, number> {
    return new Map([...taken].filter(([id, seats]) => seats > 0 && this.isOnSale(id)));
  }

  isOnSale(departureId: string): boolean {
    const departure = this.departures.get(departureId);
    return departure ? departure.status === 'scheduled' : departureId === this.world.beside?.departure.id;
  }

  private step(version: Version): void {
    const { row } = version;
    const id = nameOf(row);
    const old = this.sales.get(id);
    this.sales.set(id, row);
    if (version.source === 'booking_leads') this.assertTotal(old, version);
    const steps = stepsOf(old, version);
    const ends = old && steps.includes('converted');
    if (ends && microseconds(row.ended_at!) >= microseconds(old.expires_at))
      fail(`${id}: converted after its end`);
    if (takesMore(old, row) && !this.isOnSale(row.departure_id!))
      fail(`${id}: takes seats that are off sale`);
    for (const step of steps) this.transitions.push({ step, id, after: row });
  }

  /** Checks that a booking has the departure of its hold. */
  private assertDepartureOfHold(lead: Row): void {
    const hold = lead.hold_id ? this.sales.get(lead.hold_id) : undefined;
    if (hold && lead.departure_id !== hold.departure_id)
      fail(`${nameOf(lead)}: another departure than its hold`);
  }

  private changeDeparture(old: Row, row: Row, at: number): void {
    const { status, seats_total, prices_minor } = row;
    if (
      isDeepStrictEqual([old.status, old.seats_total, old.prices_minor], [status, seats_total, prices_minor])
    )
      return;
    const type =
      status === 'cancelled' && old.status !== status ? 'departure.cancelled' : 'departure.updated';
    const there = [...this.sales.values()].filter(
      (sale) => sale.departure_id === row.id && this.stands(sale, at + CERTAIN_MICROSECONDS),
    );
    const tenants = new Set(there.map(({ tenant_id }) => tenant_id));
    this.departureChanges.push({ type, departureId: row.id as string, tenants });
  }

  private stands(row: Row, at: number): boolean {
    return ['active', 'pending_payment', 'confirmed'].includes(this.statusOf(row, at));
  }

  /**
   * Checks that real sales never exceed a departure's seats. Sandbox sales may exceed the seats after the seats are lowered, but
   * must not grow further.
   */
  private assertCapacity(at: number, sandboxBefore: Map<string, number>): void {
    for (const [id, free] of this.freeSeats(false, at))
      if (free < 0) fail(`departure ${id}: ${-free} seats oversold`);
    this.assertBoat(at);
    const after = this.seatsOf(true, at);
    for (const [id, free] of this.freeSeats(true, at))
      if (free < 0 && after.get(id)! > (sandboxBefore.get(id) ?? 0))
        fail(`departure ${id}: sandbox oversold`);
  }

  /** Checks that real sales never need the boat at two times. */
  private assertBoat(at: number): void {
    const sold = this.onSale(this.seatsOf(false, at));
    for (const id of sold.keys())
      if (this.boat?.isAway(id, sold)) fail(`departure ${id}: the boat is sold twice`);
  }

  private seatsOf(sandbox: boolean, at: number): Map<string, number> {
    const taken = new Map<string, number>();
    for (const row of this.sales.values()) {
      if (!row.departure_id || row.sandbox !== sandbox || !this.stands(row, at)) continue;
      taken.set(row.departure_id, (taken.get(row.departure_id) ?? 0) + seatsOf(row));
    }
    return taken;
  }

  /**
   * Checks that currency and prices come from one tour version: the version of the consumed hold, of the previous row, or the
   * present version.
   */
  private assertPrices(old: Row | undefined, row: Row): void {
    const { markup } = this.sellerOf(row)!;
    const version = TOUR_VERSIONS.find(({ currency }) => currency === row.currency)!;
    const minor = (major: number) => Math.round(major * 10 ** row.currency_digits * markup);
    const { base, adult, infant, family } = version;
    const prices: Record<string, number> = { adult: row.departure_id ? adult : base, infant, family };
    const locked = Object.entries(row.prices_minor);
    const isOfVersion = locked.length > 0 && locked.every(([code, price]) => price === minor(prices[code]!));
    if (!isOfVersion) fail(`${nameOf(row)}: prices of another version than ${row.currency}`);
    // A booking without a date locks no departure. An import may commit after the booking reads its price and before the booking inserts
    // its row.
    if (!row.departure_id) return;
    const expected = (this.pricedBefore(old, row) ?? this.tour!).currency;
    if (row.currency !== expected) fail(`${nameOf(row)}: ${row.currency} instead of ${expected}`);
  }

  /**
   * Returns the row whose prices a sale keeps: the previous version on the same departure, or the consumed hold. Undefined if
   * neither exists.
   */
  private pricedBefore(old: Row | undefined, row: Row): Row | undefined {
    if (old) return old.departure_id === row.departure_id ? old : undefined;
    return row.hold_id ? this.sales.get(row.hold_id) : undefined;
  }

  /**
   * Checks that the total of a booking is the sum of its categories and its adjustment, and is not below 0. Checks that only an operator
   * changes the adjustment, that a booking begins without one, and that only a standing booking gets one.
   */
  private assertTotal(old: Row | undefined, { row, app, at }: Version): void {
    const { total_minor: total, adjustment_minor: adjustment } = row;
    const sum = Object.entries(row.party).reduce(
      (minor, [code, units]) => minor + units * row.prices_minor[code]!,
      0,
    );
    if (total !== sum + (adjustment ?? 0) || total < 0)
      fail(`${nameOf(row)}: a total of ${total} for a sum of ${sum} and an adjustment of ${adjustment}`);
    if (adjustment === (old?.adjustment_minor ?? null)) return;
    if (!old || app !== OPERATOR_APP) fail(`${nameOf(row)}: a request has changed the adjustment`);
    if (!this.stands(old, microseconds(at))) fail(`${nameOf(row)}: adjusted as ${old.status}`);
    if (isMoved(old, row) || !isDeepStrictEqual(old.prices_minor, row.prices_minor))
      fail(`${nameOf(row)}: the adjustment has changed more than the total`);
  }

  private sellerOf({ tenant_id }: Row) {
    return this.world.sellers.find(({ tenant }) => tenant.id === tenant_id);
  }
}

export function nameOf({ id, booking_ref }: Row): string {
  return booking_ref ?? (id as string);
}

/** Counts the seats of a party. */
function seatsOf(row: Row): number {
  const seats = Object.entries(row.party).reduce((sum, [code, units]) => sum + units * SEATS[code]!, 0);
  if (seats !== row.seats) fail(`${nameOf(row)}: ${row.seats} seats are stored for a party of ${seats}`);
  return seats;
}

function stepsOf(old: Row | undefined, version: Version): Step[] {
  const { row } = version;
  const created: Step[] = old ? [] : ['created'];
  const from = old?.status ?? ('payment_due_at' in row ? 'pending_payment' : 'active');
  if (row.status !== from) return [...created, LEGAL[from]?.[row.status] ?? fail(`${from} → ${row.status}`)];
  return old ? stepsInStatus(old, version) : created;
}

/** Returns the steps of a change that keeps the status. */
function stepsInStatus(old: Row, { row, app }: Version): Step[] {
  if (isMoved(old, row)) return ['changed'];
  if (old.adjustment_minor !== row.adjustment_minor) return ['adjusted'];
  return app !== OPERATOR_APP && old.expires_at !== row.expires_at ? ['extended'] : [];
}

function takesMore(old: Row | undefined, row: Row): boolean {
  if (!row.departure_id) return false;
  if (!old || old.departure_id !== row.departure_id) return true;
  return Object.entries(row.party).some(([code, units]) => units > (old.party[code] ?? 0));
}

function isMoved(old: Row, row: Row): boolean {
  return old.departure_id !== row.departure_id || !isDeepStrictEqual(old.party, row.party);
}

export function fail(message: string): never {
  throw new Error(message);
}
