import type { Db, Trx } from '../platform/database/database';
import type { OctoEventType, EventType } from './deliveries/delivery';
import type { EndpointStatus } from './endpoints/endpoint';
import { parseEndpointUrl } from './sending/allowed-target';
import {
  deriveSealingKey,
  mintSecret,
  type SealedSecret,
  sealSecret,
  showSecret,
} from './signing/seal-secret';
import { InvalidWebhookUrlError } from './webhook.errors';

/*
 * Subscriptions: endpoints that a tenant manages by the API, with the format `octo`. The API may import this file besides
 * enqueue-delivery.ts. The role of the API changes them only by the functions of 0129_octo_subscriptions.sql, which write
 * the audit log. Each change has the id of the API key that makes it.
 */

export interface Subscription {
  id: string;
  url: string;
  events: (EventType | OctoEventType)[];
  /** Names of the headers that the subscriber wants in each request. Their values are sealed. */
  headerNames: string[];
  status: EndpointStatus;
}

/** Lists the subscriptions of a tenant, the oldest first. */
export async function listSubscriptions(
  db: Db | Trx,
  tenantId: string,
  id?: string,
): Promise<Subscription[]> {
  const query = db('webhook_endpoints as e')
    .leftJoin('webhook_endpoint_headers as h', 'h.endpoint_id', 'e.id')
    .where({ 'e.tenant_id': tenantId, 'e.format': 'octo' })
    .whereNot('e.status', 'removed')
    .orderBy('e.id')
    .select<Subscription[]>('e.id', 'e.url', 'e.events', 'e.status')
    .select(db.raw(`coalesce(h.names, '{}') as header_names`));
  if (id !== undefined) void query.where('e.id', id);
  return query;
}

/** The API key that makes a change, and its tenant. */
interface Maker {
  tenantId: string;
  keyId: string;
}

interface NewSubscription extends Maker {
  /** An address that checkSubscriptionUrl has returned. */
  url: string;
  events: Subscription['events'];
  headers: Record<string, string>;
}

/** Adds a subscription. @returns its id, and its signing secret in plain text, which is shown only once */
export async function addSubscription(
  trx: Trx,
  secretsKey: string,
  { tenantId, keyId, url, events, headers }: NewSubscription,
): Promise<{ id: string; secret: string }> {
  const { rows } = await trx.raw<{ rows: [{ id: string }] }>('select webhook_new_id() as id');
  const { id } = rows[0];
  const secret = mintSecret();
  await trx.raw(
    'select octo_add_subscription(:id, :tenantId, :keyId, :url, :events::text[], :secret::json, :headers::json)',
    {
      id,
      tenantId,
      keyId,
      url,
      events,
      secret: JSON.stringify(toRow(sealSecret(deriveSealingKey(secretsKey), id, secret))),
      headers: sealHeaders(secretsKey, id, headers),
    },
  );
  return { id, secret: showSecret(secret) };
}

/** Changes the address and the types of a subscription. Does nothing if the tenant has none with this id. */
export async function changeSubscription(
  trx: Trx,
  { id, tenantId, keyId, url, events }: Pick<Subscription, 'id' | 'url' | 'events'> & Maker,
): Promise<void> {
  await trx.raw('select octo_change_subscription(:id, :tenantId, :keyId, :url, :events::text[])', {
    id,
    tenantId,
    keyId,
    url,
    events,
  });
}

/**
 * Replaces the headers of a subscription. Does nothing if the tenant has none with this id.
 * @param id the id as the database writes it: it is sealed with the headers
 * @param headers null: removes all
 */
export async function changeSubscriptionHeaders(
  trx: Trx,
  { id, tenantId, keyId }: Pick<Subscription, 'id'> & Maker,
  headers: { values: Record<string, string>; secretsKey: string } | null,
): Promise<void> {
  await trx.raw('select octo_change_subscription_headers(:id, :tenantId, :keyId, :headers::json)', {
    id,
    tenantId,
    keyId,
    headers: headers && sealHeaders(headers.secretsKey, id, headers.values),
  });
}

/** Removes a subscription of the tenant with its secrets. Its waiting deliveries are cancelled later (reconcileOrphans). */
export async function removeSubscription(
  trx: Trx,
  { id, tenantId, keyId }: Pick<Subscription, 'id'> & Maker,
): Promise<void> {
  await trx.raw('select octo_remove_subscription(:id, :tenantId, :keyId)', { id, tenantId, keyId });
}

/**
 * Checks the address of a subscription, like the address of an endpoint.
 * @returns the address in its normal form, or why it is refused, as a sentence about it without its end
 */
export function checkSubscriptionUrl(
  url: string,
  allowPrivateTargets: boolean,
): { url: string } | { refused: string } {
  try {
    return { url: parseEndpointUrl(url, allowPrivateTargets) };
  } catch (error) {
    if (error instanceof InvalidWebhookUrlError) return { refused: error.reason };
    throw error;
  }
}

function sealHeaders(secretsKey: string, id: string, headers: Record<string, string>): string | null {
  const names = Object.keys(headers);
  if (names.length === 0) return null;
  const sealed = sealSecret(deriveSealingKey(secretsKey), id, Buffer.from(JSON.stringify(headers)));
  return JSON.stringify({ names, ...toRow(sealed) });
}

function toRow({ id, keyId, nonce, ciphertext }: SealedSecret) {
  return { id, key_id: keyId, nonce: nonce.toString('hex'), ciphertext: ciphertext.toString('hex') };
}
