import { signInPage } from '../pages/plain-pages';
import { endSession, isSessionToken, LINK_MINUTES, openSession } from '../sign-in/session';

import { seeOther, pathParameter, type Call, type Route, type SignedInCall } from './call';
import { dropNotice, dropSessionToken, keepSessionToken } from './cookies';

import { RequestRefusal } from './errors';

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
