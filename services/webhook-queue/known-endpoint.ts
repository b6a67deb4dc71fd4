import type { Db, Trx } from '../platform/database';
import type { Endpoint } from './endpoint';
import { findEndpointById, lockEndpoint } from './endpoint.repository';
import { EndpointNotFoundError } from './webhook.errors';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What is none would be an error of the database's, where it is simply nobody's id. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** @throws EndpointNotFoundError also for one that was removed */
export async function findEndpoint(db: Db | Trx, id: string): Promise<Endpoint> {
  return known(isUuid(id) ? await findEndpointById(db, id) : undefined);
}

/** Its state stays what it is until the end of the transaction. @throws EndpointNotFoundError */
export async function lockKnownEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  return known(isUuid(id) ? await lockEndpoint(trx, id) : undefined);
}

function known(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint || endpoint.status === 'removed') throw new EndpointNotFoundError();
  return endpoint;
}
