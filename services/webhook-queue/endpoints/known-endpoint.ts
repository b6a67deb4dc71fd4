import type { Db, Trx } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import type { Endpoint } from './endpoint';
import { findEndpointById, lockEndpoint } from './endpoint.repository';
import { EndpointNotFoundError } from '../webhook.errors';

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
