import { signInPage } from '../pages/plain-pages';
import { endSession, isSessionToken, LINK_MINUTES, openSession } from '../sign-in/session';
import { type Call, type Exchange, pathParameter, type Route, seeOther, type SignedInCall } from './call';
import { dropNotice, dropSessionToken, keepSessionToken } from './cookies';
import { RequestRefusal } from './errors';
import { sendFavicon } from '../../../platform/http/favicon';
import { createFixedBody } from '../../../platform/http/fixed-body';
import { type Asset, SCRIPT, STYLE } from '../html/layout';

/** Need no session: the sign-in page uses them too. */
export const ASSET_ROUTES: Route[] = [
  ...[STYLE, SCRIPT].map(assetRoute),
  {
    method: 'get',
    path: '/favicon.ico',
    access: 'always',
    answer: ({ request, response }) => sendFavicon(request, response),
  },
];

function assetRoute({ path, body, type }: Asset): Route {
  const fixed = createFixedBody(type, body);
  return {
    method: 'get',
    path: path.split('?')[0]!,
    access: 'always',
    answer({ request, response }) {
      // While two versions run, a path of the other version must not be cached with this version's body.
      const isCurrent = request.originalUrl === path;
      response.setHeader('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
      return fixed.send(request, response);
    },
  };
}

/** /healthz: the process runs. /readyz: it can work. */
export const HEALTH_ROUTES: Route[] = [
  {
    method: 'get',
    path: '/healthz',
    access: 'always',
    answer: ({ response }) => void response.json({ status: 'ok' }),
  },
  { method: 'get', path: '/readyz', access: 'always', answer: answerReadiness },
];

async function answerReadiness({ context: edge, response }: Exchange): Promise<void> {
  const reason = await edge.whyNotReady();
  response.status(reason ? 503 : 200).json(reason ? { status: 'not ready', reason } : { status: 'ready' });
}

/** Only the POST uses a link up: link previews and mail scanners send the GET before the operator does. */
export const SIGN_IN_ROUTES: Route[] = [
  {
    method: 'get',
    path: '/sign-in',
    access: 'anyone',
    answer: ({ response }) => void response.send(signInPage()),
  },
  { method: 'get', path: '/sign-in/:token', access: 'anyone', answer: offerLink },
  { method: 'post', path: '/sign-in/:token', access: 'anyone', answer: spendLink },
  { method: 'post', path: '/sign-out', access: 'session', answer: signOut },
];

function offerLink(call: Call): void {
  const token = pathParameter(call, 'token');
  if (!isSessionToken(token)) throw invalidLink();
  call.response.send(signInPage({ action: `/sign-in/${token}` }));
}

async function spendLink(call: Call): Promise<void> {
  const session = await openSession(call.monitor.db, pathParameter(call, 'token'));
  if (!session) throw invalidLink();
  keepSessionToken(call.response, session.token);
  seeOther(call.response, '/');
}

async function signOut({ monitor, response, session }: SignedInCall): Promise<void> {
  await endSession(monitor.db, session);
  monitor.streams.endSession(session.id);
  dropSessionToken(response);
  dropNotice(response);
  seeOther(response, '/sign-in');
}

function invalidLink(): RequestRefusal {
  return new RequestRefusal(
    410,
    `This link was used already, or is older than ${LINK_MINUTES} minutes. Run tourctl monitor for a new one.`,
  );
}
