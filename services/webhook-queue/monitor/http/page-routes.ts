import { isUuid } from '../../../platform/text-forms';
import { deliveriesPage } from '../pages/deliveries-page';
import { deliveryPage } from '../pages/delivery-page';
import { endpointPage } from '../pages/endpoint-page';
import { endpointsPage } from '../pages/endpoints-page';
import { overviewPage } from '../pages/overview-page';
import {
  parseDeliveriesQuery,
  parseEndpointsQuery,
  parseOverviewQuery,
  parseReplayQuery,
} from '../queries/read-query';
import { replayPage } from '../pages/replay-page';
import type { Notice } from '../html/layout';
import { pathParameter, type Route, type SignedInCall } from './call';
import { dropNotice, readNotice } from './cookies';
import { notFound } from './errors';

/** Renders a complete document; undefined where the record does not exist. */
type Render = (call: SignedInCall, notice: Notice | undefined) => Promise<string | undefined>;

export const PAGE_ROUTES: Route[] = [
  page('/', ({ monitor, params, viewer }, notice) =>
    overviewPage(monitor.db, parseOverviewQuery(params), viewer, notice),
  ),
  page('/endpoints', ({ monitor, params, viewer }, notice) =>
    endpointsPage(monitor.db, parseEndpointsQuery(params), viewer, notice),
  ),
  page('/endpoints/:id', async (call, notice) => {
    const id = pathParameter(call, 'id');
    return isUuid(id) ? endpointPage(call.monitor.db, id, call.viewer, notice) : undefined;
  }),
  page('/deliveries', ({ monitor, params, viewer }, notice) =>
    deliveriesPage(monitor.db, parseDeliveriesQuery(params), viewer, notice),
  ),
  page('/deliveries/:id', async (call, notice) => {
    const id = pathParameter(call, 'id');
    return isUuid(id)
      ? deliveryPage(call.monitor.db, id, { revealed: false }, call.viewer, notice)
      : undefined;
  }),
  page('/replay', ({ monitor, params, viewer }, notice) =>
    replayPage(monitor.db, parseReplayQuery(params), viewer, notice),
  ),
  { method: 'get', path: '/live', access: 'session', answer: live, strangers: 'refused' },
];

function page(path: string, render: Render): Route {
  return { method: 'get', path, access: 'session', answer: (call) => show(call, render) };
}

async function show(call: SignedInCall, render: Render): Promise<void> {
  const { request, response, session } = call;
  const notice = readNotice(request, session.token);
  const document = await render(call, notice);
  if (document === undefined) throw notFound();
  if (notice && request.method === 'GET') dropNotice(response);
  response.type('html').send(document);
}

function live({ monitor, params, request, response, session }: SignedInCall): void {
  if (request.method === 'HEAD') response.type('text/event-stream').end();
  else monitor.streams.open(response, session, parseOverviewQuery(params).range);
}
