import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../../platform/database';
import { changeEndpoint, type EndpointVerb } from '../../endpoints/change-endpoint-state';
import { findEndpoint } from '../../endpoints/endpoint.repository';
import { pingEndpoint } from '../../endpoints/requested-deliveries';
import { rotateSecret } from '../../endpoints/endpoint-secrets';
import { secretPage } from '../pages/plain-pages';
import { pathParameter, type Route, type SignedInCall } from './call';
import { audited, type AuditedAction, performAction, redirectWithNotice, refusalMessage } from './perform';

const HOUR_SECONDS = 3600;

export const ENDPOINT_ACTIONS: Route[] = [
  change('pause', 'Paused. Deliveries wait until the endpoint is resumed.'),
  change('resume', 'Resumed. Waiting deliveries are due now.'),
  change('disable', 'Disabled. Deliveries wait until the endpoint is enabled.'),
  change('enable', 'Enabled. Waiting deliveries are due now; dead deliveries need a replay.'),
  {
    method: 'post',
    path: '/endpoints/:id/ping',
    access: 'session',
    answer: (call) => performAction(call, (trx) => ping(trx, pathParameter(call, 'id')), pageOf(call)),
  },
  { method: 'post', path: '/endpoints/:id/rotate-secret', access: 'session', answer: rotate },
];

function change(verb: EndpointVerb, text: string): Route {
  return {
    method: 'post',
    path: `/endpoints/:id/${verb}`,
    access: 'session',
    answer: (call) =>
      performAction(call, (trx) => changeState(trx, verb, pathParameter(call, 'id'), text), pageOf(call)),
  };
}

async function changeState(trx: Trx, verb: EndpointVerb, id: string, text: string): Promise<AuditedAction> {
  const change = await changeEndpoint(trx, verb, id);
  const { before, after } = change;
  const isUnchanged = isDeepStrictEqual(before, after);
  return {
    ...change,
    action: `webhook.${verb}`,
    subject: before.id,
    text: isUnchanged ? `The endpoint was ${before.status} already, so nothing changed.` : text,
  };
}

async function ping(trx: Trx, id: string): Promise<AuditedAction> {
  const { tenantId } = await findEndpoint(trx, id);
  const { delivery } = await pingEndpoint(trx, id);
  const text = `A signed ping is queued: delivery ${delivery}.`;
  return { action: 'webhook.ping', tenantId, subject: id, text };
}

/** Answers the POST with a page, so that the secret is in no redirect and no cookie. */
async function rotate(call: SignedInCall): Promise<void> {
  const { monitor, response, viewer } = call;
  const id = pathParameter(call, 'id');
  const rotated = await audited(call, async (trx) => {
    const { tenantId } = await findEndpoint(trx, id);
    const issued = await rotateSecret(trx, monitor.secretsKey, id, readOverlap(call));
    return { action: 'webhook.rotate-secret', tenantId, subject: id, text: '', ...issued };
  }).catch((error: unknown) => refusalMessage(error) ?? Promise.reject(error as Error));
  if (typeof rotated === 'string')
    return redirectWithNotice(call, { kind: 'refused', text: rotated }, pageOf(call));
  const { secret, overlapUntil } = rotated;
  response.type('html').send(secretPage({ endpointId: id, secret, overlapUntil }, viewer));
}

/** Converts hours to seconds. Anything but a whole number becomes NaN, which rotateSecret refuses. */
function readOverlap({ params }: SignedInCall): number | undefined {
  const given = params.grace_hours;
  if (!given) return undefined;
  return /^\d{1,4}$/.test(given) ? Number(given) * HOUR_SECONDS : NaN;
}

function pageOf(call: SignedInCall): string {
  return `/endpoints/${pathParameter(call, 'id')}`;
}
