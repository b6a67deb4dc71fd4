import type { Db, Trx } from '../../platform/database/database';
import { isUuid } from '../../platform/forms/text-forms';
import {
  addSubscription,
  changeSubscription,
  changeSubscriptionHeaders,
  listSubscriptions,
  removeSubscription,
  type Subscription,
} from '../../webhook-queue/subscriptions';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import { EVENTS_OF } from './notification.dto';
import { beginCatalogReads } from './notify-of-catalog';
import { invalidId, unprocessable } from './octo.errors';

const SUBSCRIPTIONS_MAX = 10;

/** The content of a subscription, or of its change. The address is checked, and has its normal form. */
interface SubscriptionContent {
  url: string;
  events: Subscription['events'];
  headers: Record<string, string>;
}

/**
 * Subscribes the address, unless the tenant has SUBSCRIPTIONS_MAX subscriptions or one with this address.
 * @param secretsKey returns the key that seals the secret and the headers
 * @returns the subscription, and its secret in plain text, which is shown only once
 * @throws OctoRefusalError, InsufficientScopeError
 */
export async function subscribe(
  trx: Trx,
  principal: ApiKeyPrincipal,
  secretsKey: () => string,
  content: SubscriptionContent,
): Promise<{ subscription: Subscription; secret: string }> {
  const { tenant, keyId } = principal;
  assertMayRead(principal, content.events);
  const key = secretsKey();
  await lockSubscriptions(trx, tenant.id);
  const present = await listSubscriptions(trx, tenant.id);
  if (present.length >= SUBSCRIPTIONS_MAX)
    throw unprocessable(`A tenant has at most ${SUBSCRIPTIONS_MAX} subscriptions. Delete one first.`);
  assertNewUrl(present, content.url);
  const { id, secret } = await addSubscription(trx, key, { ...content, tenantId: tenant.id, keyId });
  await beginCatalogReads(trx, tenant.id, present);
  return { subscription: await getSubscription(trx, tenant.id, id), secret };
}

/**
 * Changes what `content` names. The headers of an address with another origin are removed unless new ones are named, because only the
 * reseller's own server may learn their values.
 * @param secretsKey returns the key that seals headers
 * @throws OctoRefusalError, InsufficientScopeError
 */
export async function resubscribe(
  trx: Trx,
  principal: ApiKeyPrincipal,
  secretsKey: () => string,
  { id, url, events, headers }: { id: string } & Partial<SubscriptionContent>,
): Promise<Subscription> {
  const { tenant, keyId } = principal;
  await lockSubscriptions(trx, tenant.id);
  const before = await getSubscription(trx, tenant.id, id);
  const after = {
    id: before.id,
    tenantId: tenant.id,
    keyId,
    url: url ?? before.url,
    events: events ?? before.events,
  };
  assertMayRead(principal, [...before.events, ...after.events]);
  const present = await listSubscriptions(trx, tenant.id);
  if (after.url !== before.url) assertNewUrl(present, after.url);
  await beginCatalogReads(trx, tenant.id, present);
  await changeSubscription(trx, after);
  if (headers) await changeSubscriptionHeaders(trx, after, { values: headers, secretsKey: secretsKey() });
  else if (originOf(after.url) !== originOf(before.url)) await changeSubscriptionHeaders(trx, after, null);
  return getSubscription(trx, tenant.id, id);
}

/**
 * Removes a subscription, so that nothing more is sent to its address.
 * @returns the subscription as it was
 * @throws OctoRefusalError, InsufficientScopeError
 */
export async function unsubscribe(trx: Trx, principal: ApiKeyPrincipal, id: string): Promise<Subscription> {
  const { tenant, keyId } = principal;
  await lockSubscriptions(trx, tenant.id);
  const removed = await getSubscription(trx, tenant.id, id);
  assertMayRead(principal, removed.events);
  await removeSubscription(trx, { id: removed.id, tenantId: tenant.id, keyId });
  return removed;
}

/** Returns a subscription of the tenant. @throws OctoRefusalError INVALID_SUBSCRIPTION_ID */
export async function getSubscription(db: Db | Trx, tenantId: string, id: string): Promise<Subscription> {
  const [found] = isUuid(id) ? await listSubscriptions(db, tenantId, id) : [];
  if (!found) throw invalidId('subscriptionId', id);
  return found;
}

const BOOKING_EVENTS: readonly string[] = EVENTS_OF.BOOKING_UPDATE;

/** @throws InsufficientScopeError if one of the events is about bookings, and the key may not read bookings */
function assertMayRead(principal: ApiKeyPrincipal, events: Subscription['events']): void {
  if (events.some((event) => BOOKING_EVENTS.includes(event))) assertScope(principal, 'booking:read');
}

/** @throws OctoRefusalError if the tenant has a subscription with this address */
function assertNewUrl(present: Subscription[], url: string): void {
  const same = present.find((one) => one.url === url);
  if (same) throw unprocessable(`The subscription ${same.id} has this url already. Change or delete it.`);
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Two requests at the same moment must not exceed the limit, and a change must not meet a removal. */
async function lockSubscriptions(trx: Trx, tenantId: string): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`octo subscriptions ${tenantId}`]);
}
