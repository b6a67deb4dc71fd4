import type { Random } from './random';

const KEPT = 60;
/** Chosen more often: the newest holds and bookings can still be changed. */
const NEWEST = 6;

/** Values that the service knows, by the name of a field or parameter: those of the test, and those that answers contain. */
export class KnownValues {
  private readonly byName = new Map<string, unknown[]>();

  add(name: string, ...values: unknown[]): void {
    const known = this.byName.get(name) ?? [];
    known.push(...values);
    this.byName.set(name, known.slice(-KEPT));
  }

  /** @param operation the operation of the request, because a cursor is valid only for the list that returned it */
  pick(random: Random, name: string, operation: string): unknown {
    const known = this.byName.get(`${operation}.${name}`) ?? this.byName.get(name);
    return known && random.pick(random.chance(0.5) ? known : known.slice(-NEWEST));
  }

  /** Learns the ids, references and cursors of a successful answer. */
  learn(operation: string, body: unknown): void {
    if (Array.isArray(body)) return body.slice(0, 5).forEach((entry) => this.learn(operation, entry));
    if (typeof body !== 'object' || body === null) return;
    for (const [name, value] of Object.entries(body)) {
      if (name === 'next_cursor' && value !== null) this.add(`${operation}.cursor`, value);
      else if (LEARNED.has(name) && typeof value === 'string') this.add(name, value);
      else if (name === 'items') this.learn(operation, value);
    }
    const { uuid, availabilityId } = body as Record<string, unknown>;
    if (uuid && availabilityId) this.add('octo uuid', uuid);
  }
}

const LEARNED = new Set(['hold_id', 'booking_ref', 'external_ref']);
