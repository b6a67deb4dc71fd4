import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../../platform/database';
import {
  changeEndpoint,
  findEndpoint,
  pingEndpoint,
  rotateSecret,
  type EndpointVerb,
} from '../../operations';
import { secretPage } from '../pages/plain-pages';
import { part, type Route, type SignedInCall } from './call';
import { audited, leaveWith, perform, whyRefused, type Deed } from './perform';

const HOUR_SECONDS = 3600;

export const ENDPOINT_ACTIONS: Route[] = [
  change('pause', 'Paused. Nothing is sent until it is resumed; what comes in meanwhile waits.'),
  change('resume', 'Resumed. What waited is due now.'),
  change('disable', 'Disabled. Nothing is sent until it is enabled; what comes in meanwhile waits.'),
  change('enable', 'Enabled. What waited is due now; what is dead stays so until it is replayed.'),
  {
    method: 'post',
    path: '/endpoints/:id/ping',
    access: 'session',
    answer: (call) => perform(call, (trx) => ping(trx, part(call, 'id')), pageOf(call)),
  },
  { method: 'post', path: '/endpoints/:id/rotate-secret', access: 'session', answer: rotate },
];

function change(verb: EndpointVerb, text: string): Route {
  return {
    method: 'post',
    path: `/endpoints/:id/${verb}`,
    access: 'session',
    answer: (call) => perform(call, (trx) => changeState(trx, verb, part(call, 'id'), text), pageOf(call)),
  };
}

async function changeState(trx: Trx, verb: EndpointVerb, id: string, text: string): Promise<Deed> {
  const change = await changeEndpoint(trx, verb, id);
  const { before, after } = change;
  const same = isDeepStrictEqual(before, after);
  return {
    ...change,
    action: `webhook.${verb}`,
    subject: before.id,
    text: same ? `It was ${before.status} already, so nothing was changed.` : text,
  };
}

async function ping(trx: Trx, id: string): Promise<Deed> {
  const { tenantId } = await findEndpoint(trx, id);
  const { delivery } = await pingEndpoint(trx, id);
  const text = `A signed ping is on its way: delivery ${delivery}.`;
  return { action: 'webhook.ping', tenantId, subject: id, text };
}

/** The only answer to a POST that is a page: a secret stands in no redirect and no cookie. */
async function rotate(call: SignedInCall): Promise<void> {
  const { monitor, response, viewer } = call;
  const id = part(call, 'id');
  const rotated = await audited(call, async (trx) => {
    const { tenantId } = await findEndpoint(trx, id);
    const issued = await rotateSecret(trx, monitor.secretsKey, id, readOverlap(call));
    return { action: 'webhook.rotate-secret', tenantId, subject: id, text: '', ...issued };
  }).catch((error: unknown) => whyRefused(error) ?? Promise.reject(error as Error));
  if (typeof rotated === 'string') return leaveWith(call, { kind: 'refused', text: rotated }, pageOf(call));
  const { secret, overlapUntil } = rotated;
  response.type('html').send(secretPage({ endpointId: id, secret, overlapUntil }, viewer));
}

/** Hours in the form; anything but a whole number is refused by the rule about days. */
function readOverlap({ params }: SignedInCall): number | undefined {
  const given = params.grace_hours;
  if (!given) return undefined;
  return /^\d{1,4}$/.test(given) ? Number(given) * HOUR_SECONDS : NaN;
}

function pageOf(call: SignedInCall): string {
  return `/endpoints/${part(call, 'id')}`;
}
