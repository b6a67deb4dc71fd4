import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../platform/database';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import { badOctoRequest } from './octo.errors';
import { type BookingView, createSharedParts, toOctoBooking } from './booking';
import type { OctoFilter } from './booking-list.request';
import { findOctoHolds } from './octo-bookings.repository';
import { findStates, withCatalog } from './octo-state';

const BOOKINGS_MAX = 1000;

/**
 * Returns the holds of the bookings that match all parameters, newest first: holds for a key with booking:create, leads for one with
 * booking:read.
 * @throws OctoRefusalError BAD_REQUEST for more than 1,000 bookings; InsufficientScopeError (401)
 */
export async function findBookings(
  db: Db,
  principal: ApiKeyPrincipal,
  filter: Omit<OctoFilter, 'only' | 'limit'>,
): Promise<string[]> {
  const page = { ...filter, only: onlyFor(principal), limit: BOOKINGS_MAX + 1 };
  const holdIds = await findOctoHolds(db, principal.tenant.id, page);
  if (holdIds.length > BOOKINGS_MAX)
    throw badOctoRequest('More than 1,000 bookings match. Ask for fewer days.');
  return holdIds;
}

function onlyFor(principal: ApiKeyPrincipal): OctoFilter['only'] {
  const { scopes } = principal;
  if (!scopes.includes('booking:create')) {
    assertScope(principal, 'booking:read');
    return 'leads';
  }
  return scopes.includes('booking:read') ? undefined : 'holds';
}

const BOOKINGS_A_TEXT = 20;

/** Yields the JSON of the bookings of these holds, in their order. Other requests run between two texts. */
export async function* bookingTexts(db: Db, holdIds: string[], view: BookingView): AsyncGenerator<string> {
  const { tenant } = view;
  const states = await withCatalog(db, tenant, await findStates(db, tenant.id, holdIds));
  const parts = createSharedParts(view);
  const toText = (from: number) =>
    states
      .slice(from, from + BOOKINGS_A_TEXT)
      .map((state) => JSON.stringify(toOctoBooking(state, view, parts)))
      .join(',');
  yield `[${toText(0)}`;
  for (let from = BOOKINGS_A_TEXT; from < states.length; from += BOOKINGS_A_TEXT) {
    await setImmediate();
    yield `,${toText(from)}`;
  }
  yield ']';
}
