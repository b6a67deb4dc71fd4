import { randomUUID } from 'node:crypto';
import type { Db } from '../../services/platform/database/database';
import { CUSTOMER } from '../support/website';
import { adjustBooking, type Ban, endHold, endPayment, operate } from './operator';
import type { Command, CommandKind } from './schedule';
import type { World } from './world';

export interface Answer {
  status: number;
  text: string;
  body: Record<string, unknown>;
  replayed: boolean;
}

/** A request and its answers. A client sends a request once, or twice with the same Idempotency-Key. */
export interface Write {
  kind: CommandKind;
  octo: boolean;
  tenantId: string;
  keyId: string;
  path: string;
  body: Named;
  /** The time of the first request, by performance.now(). */
  begun: number;
  span: Span;
  answers: Answer[];
}

/** The fields of a body that name a departure. */
export interface Named {
  departure_date?: string;
  departure_time?: string;
  hold_id?: string;
  external_ref?: string;
}

/** The time from the call to the answer, in microseconds of the system's clock. The database uses the same clock. */
export interface Span {
  from: number;
  to: number;
}

interface KnownHold {
  /** Index of the tenant in `sellers` of the world. */
  tenant: number;
  id: string;
  /** Null: placed by REST. */
  uuid: string | null;
}

interface KnownBooking {
  tenant: number;
  ref: string;
}

/** The request that a command sends, and the tenant that sends the request. */
interface Wanted {
  tenant: number;
  method: string;
  path: string;
  body?: object;
}

/** No departure of the world has this start time. */
const WRONG_TIME = '23:15';

/** Runs the commands of all clients of a run, and records the acknowledged writes. */
export class Clients {
  readonly writes: Write[] = [];
  readonly bans: Ban[] = [];
  /** The bookings whose adjustment an operator has changed, once for each change. */
  readonly adjusted: string[] = [];
  /** The operator commands that ran. */
  readonly operations: Span[] = [];
  private readonly holds: KnownHold[] = [];
  private readonly bookings: KnownBooking[] = [];
  /** Ids of the holds of the tour beside. */
  private readonly holdsBeside: string[] = [];

  constructor(
    private readonly db: Db,
    private readonly world: World,
    private readonly baseUrls: string[],
  ) {}

  async run(clients: Command[][]): Promise<void> {
    await Promise.all(
      clients.map(async (commands) => {
        for (const command of commands) await this.execute(command);
      }),
    );
  }

  private async execute(command: Command): Promise<void> {
    const { kind, pick } = command;
    const hold = this.holds[pick % this.holds.length];
    const booking = this.bookings[pick % this.bookings.length];
    if (kind === 'end hold') return hold && endHold(this.db, hold.id, pick % 2 ? 20 : -1);
    if (kind === 'end payment') return booking && endPayment(this.db, booking.ref);
    if (kind === 'adjust booking') return booking && this.adjust(command, booking);
    if (kind.endsWith('beside')) return this.executeBeside(command);
    const wanted = this.requestOf(command, hold, booking);
    if (wanted) return this.send(command, wanted);
    const from = microsecondsNow();
    const ban = await operate(this.db, this.world, command);
    this.operations.push({ from, to: microsecondsNow() });
    if (ban) this.bans.push(ban);
  }

  private async adjust({ adjustment }: Command, { tenant, ref }: KnownBooking): Promise<void> {
    const seller = this.world.sellers[tenant]!;
    if (await adjustBooking(this.db, seller.tenant, ref, adjustment)) this.adjusted.push(ref);
  }

  private async executeBeside({ kind, adults, pick, instance }: Command): Promise<void> {
    const { beside } = this.world;
    if (!beside) return;
    const id = this.holdsBeside[pick % this.holdsBeside.length];
    if (kind === 'end beside') return id === undefined ? undefined : endHold(this.db, id, -1);
    const body = { departure_date: beside.departure.date, quantity: adults };
    const asked =
      kind === 'hold beside'
        ? { method: 'POST', path: `/api/gateway/tours/${beside.slug}/hold`, body }
        : { method: 'DELETE', path: `/api/gateway/holds/${id}` };
    const answer = await request(this.baseUrls[instance]!, beside.token, asked);
    if (answer.status >= 500 && answer.status !== 503)
      throw new Error(`${kind}: ${answer.status} ${answer.text}`);
    if (answer.body.hold_id && kind === 'hold beside') this.holdsBeside.push(answer.body.hold_id as string);
  }

  private requestOf(command: Command, hold?: KnownHold, booking?: KnownBooking): Wanted | undefined {
    return (
      (command.octo && this.requestOfOcto(command, hold)) ||
      this.requestOfNew(command, hold) ||
      (hold && this.requestOfHold(command, hold)) ||
      (booking && this.requestOfBooking(command, booking))
    );
  }

  private requestOfNew(command: Command, hold: KnownHold | undefined): Wanted | undefined {
    const { kind, tenant, by, reference, pick } = command;
    const { tour } = this.world;
    const departure = this.named(command, 'date and time');
    if (kind === 'hold') {
      const body = { ...departure, ...partyOf(command), external_ref: reference ?? undefined };
      return { tenant, method: 'POST', path: `/api/gateway/tours/${tour.slug}/hold`, body };
    }
    if (kind !== 'book') return undefined;
    const book = (seller: number, named: object) => {
      const body = { ...CUSTOMER, tour_id: tour.slug, ...partyOf(command), ...named };
      return { tenant: seller, method: 'POST', path: '/api/tenant/bookings', body };
    };
    const { departure_time } = departure;
    if (by === 'hold' && hold)
      return book(hold.tenant, { hold_id: hold.id, ...(pick % 4 ? {} : { departure_time }) });
    if (by === 'nothing') return book(tenant, { party: {} });
    if (by !== 'reference') return book(tenant, departure);
    const named = { external_ref: reference ?? 'A' };
    return book(tenant, pick % 2 ? { ...named, ...departure } : { ...named, departure_time });
  }

  private requestOfHold(command: Command, { tenant, id }: KnownHold): Wanted | undefined {
    const { kind } = command;
    const path = `/api/gateway/holds/${id}`;
    const change = { ...partyOf(command), ...this.named(command, 'time') };
    if (kind === 'extend hold')
      return { tenant, method: 'POST', path: `${path}/extend`, body: { hold_minutes: 30 } };
    if (kind === 'change hold') return { tenant, method: 'PATCH', path, body: change };
    if (kind === 'release hold') return { tenant, method: 'DELETE', path };
    return undefined;
  }

  private requestOfBooking(command: Command, { tenant, ref }: KnownBooking): Wanted | undefined {
    const { kind } = command;
    const path = `/api/tenant/bookings/${ref}`;
    const change = { ...partyOf(command), ...this.named(command, 'time') };
    if (kind === 'change booking') return { tenant, method: 'PATCH', path, body: change };
    if (kind === 'confirm') return { tenant, method: 'POST', path: `${path}/confirm` };
    if (kind === 'cancel')
      return { tenant, method: 'POST', path: `${path}/cancel`, body: { reason: 'model' } };
    return undefined;
  }

  /** Returns undefined for a command that OCTO does not have. */
  private requestOfOcto(command: Command, hold: KnownHold | undefined): Wanted | undefined {
    const { kind, tenant, adults, infants, families, reference } = command;
    const availabilityId = this.departureOf(command).id;
    const counts = Object.entries({ adult: adults, infant: infants, family: families });
    const units = counts.flatMap(([code, count]) => Array<string>(count).fill(code));
    const unitItems = units.map((unitId) => ({ unitId }));
    if (kind === 'hold') {
      const product = { productId: this.world.tour.id, optionId: 'DEFAULT', availabilityId };
      const body = { ...product, unitItems, resellerReference: reference ?? undefined };
      return { tenant, method: 'POST', path: '/octo/bookings', body };
    }
    if (!hold?.uuid) return undefined;
    const path = `/octo/bookings/${hold.uuid}`;
    const post = (what: string, body: object) => ({
      tenant: hold.tenant,
      method: 'POST',
      path: `${path}/${what}`,
      body,
    });
    if (kind === 'extend hold') return post('extend', { expirationMinutes: 30 });
    if (kind === 'confirm') return post('confirm', {});
    if (kind === 'cancel') return post('cancel', {});
    if (kind !== 'change hold') return undefined;
    return { tenant: hold.tenant, method: 'PATCH', path, body: { unitItems, availabilityId } };
  }

  private departureOf({ departure }: Command) {
    return this.world.departures[departure]!;
  }

  /** @param timeAlone what a request names instead of a start time alone */
  private named(command: Command, timeAlone: Command['names']): Named {
    const { date: departure_date, time } = this.departureOf(command);
    const departure_time = time ?? undefined;
    switch (command.names === 'time' ? timeAlone : command.names) {
      case 'date and time':
        return { departure_date, departure_time };
      case 'date':
        return { departure_date };
      case 'time':
        return { departure_time };
      case 'wrong time':
        return { departure_date, departure_time: WRONG_TIME };
    }
  }

  /** Sends a write. Sends the repeat of the write to the other instance. */
  private async send({ kind, key, instance, again }: Command, wanted: Wanted): Promise<void> {
    const { tenant, method, path, body = {} } = wanted;
    const seller = this.world.sellers[tenant]!;
    const { id: keyId, token } = seller.keys[key]!;
    const idempotencyKey = method === 'DELETE' ? undefined : randomUUID();
    const begun = performance.now();
    const from = microsecondsNow();
    const ask = (to: number) => request(this.baseUrls[to % 2]!, token, { ...wanted, idempotencyKey });
    const asked = [ask(instance)];
    if (again === 'later') await asked[0];
    if (again !== 'never' && idempotencyKey) asked.push(ask(instance + 1));
    const answers = await Promise.all(asked);
    this.writes.push({
      kind,
      octo: path.startsWith('/octo/'),
      tenantId: seller.tenant.id,
      keyId,
      path,
      body,
      begun,
      span: { from, to: microsecondsNow() },
      answers,
    });
    for (const { status, body } of answers) if (status < 300) await this.remember(tenant, body);
  }

  /** Adds the hold or booking of an answer to the lists that all clients choose from. */
  private async remember(tenant: number, body: Answer['body']): Promise<void> {
    const ref = (body.booking_ref ?? body.supplierReference) as string | null | undefined;
    if (ref && !this.bookings.some((one) => one.ref === ref)) this.bookings.push({ tenant, ref });
    const uuid = (body.uuid ?? null) as string | null;
    const id = uuid ? await this.holdOf(uuid) : (body.hold_id as string | undefined);
    if (id && !this.holds.some((one) => one.id === id)) this.holds.push({ tenant, id, uuid });
  }

  private async holdOf(uuid: string): Promise<string> {
    const [holdId] = await this.db('octo_bookings').where({ uuid }).pluck('hold_id');
    return holdId as string;
  }
}

/** Returns the party of a REST request. Names the adults by their own field. */
function partyOf({ adults, infants, families }: Command) {
  return { adults, party: { infant: infants, family: families } };
}

function microsecondsNow(): number {
  return Date.now() * 1000;
}

interface Asked {
  method: string;
  path: string;
  body?: object;
  idempotencyKey?: string;
}

export async function request(baseUrl: string, token: string, asked: Asked): Promise<Answer> {
  const { method, path, body, idempotencyKey } = asked;
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text ? (JSON.parse(text) as Answer['body']) : {},
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}
