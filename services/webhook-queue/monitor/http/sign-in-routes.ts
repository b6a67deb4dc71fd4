import { signInPage } from '../pages/plain-pages';
import { endSession, LINK_MINUTES, openSession } from '../sign-in/session';
import { isToken } from '../sign-in/token';
import { goTo, part, type Call, type Route, type SignedInCall } from './call';
import { dropSessionToken, keepSessionToken } from './cookies';
import { dropNotice } from './notice';
import { Refusal } from './refusal';

/** The GET of a link spends nothing: programs that preview links, and scanners of mail, send one before any person does. */
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
  const token = part(call, 'token');
  if (!isToken(token)) throw uselessLink();
  call.response.send(signInPage({ action: `/sign-in/${token}` }));
}

async function spendLink(call: Call): Promise<void> {
  const session = await openSession(call.monitor.db, part(call, 'token'));
  if (!session) throw uselessLink();
  keepSessionToken(call.response, session.token);
  goTo(call.response, '/');
}

async function signOut({ monitor, response, session }: SignedInCall): Promise<void> {
  await endSession(monitor.db, session);
  monitor.streams.endSession(session.id);
  dropSessionToken(response);
  dropNotice(response);
  goTo(response, '/sign-in');
}

function uselessLink(): Refusal {
  return new Refusal(
    410,
    `This link was used already, or is older than ${LINK_MINUTES} minutes. Run tourctl monitor for another one.`,
  );
}
