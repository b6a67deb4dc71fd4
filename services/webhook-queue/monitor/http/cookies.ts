import type { CookieOptions, Request, Response } from 'express';
import { SESSION_HOURS } from '../sign-in/session';

const SESSION = 'monitor_session';
const SESSION_MS = SESSION_HOURS * 3600 * 1000;

export function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** No script reads it, no other site's page sends it. Secure where the request came by https, through a trusted proxy too. */
export function cookieOptions(request: Request): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.secure };
}

export function readSessionToken(request: Request): string | undefined {
  return readCookie(request, SESSION);
}

/** The database ends the session at the same time, whatever the browser does. */
export function keepSessionToken(response: Response, token: string): void {
  response.cookie(SESSION, token, { ...cookieOptions(response.req), maxAge: SESSION_MS });
}

export function dropSessionToken(response: Response): void {
  response.clearCookie(SESSION, cookieOptions(response.req));
}
