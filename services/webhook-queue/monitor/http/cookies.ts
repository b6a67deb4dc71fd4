import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import type { Notice } from '../pages/layout';
import { SESSION_HOURS } from '../session';

const SESSION = 'monitor_session';
const SESSION_MS = SESSION_HOURS * 3600 * 1000;

function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** Hides the cookie from scripts and from other sites. Sets Secure if the request came by https, directly or through a trusted proxy. */
function cookieOptions(request: Request): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.secure };
}

export function readSessionToken(request: Request): string | undefined {
  return readCookie(request, SESSION);
}

/** Sets the session cookie. It expires when the database ends the session. */
export function keepSessionToken(response: Response, token: string): void {
  response.cookie(SESSION, token, { ...cookieOptions(response.req), maxAge: SESSION_MS });
}

export function dropSessionToken(response: Response): void {
  response.clearCookie(SESSION, cookieOptions(response.req));
}

/** Returns a MAC keyed with the session's token. */
export function sessionMac(sessionToken: string, purpose: 'csrf' | 'notice', text = ''): string {
  return createHmac('sha256', sessionToken).update(`${purpose}\n${text}`).digest('base64url');
}

/** Compares two MACs in constant time. */
export function sameMac(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const NOTICE = 'monitor_notice';
const NOTICE_MS = 60_000;

/**
 * Keeps the result of an action for the next page, in a signed cookie: no other site can forge the text. The text never contains a secret.
 */
export function keepNotice(response: Response, sessionToken: string, notice: Notice): void {
  const text = Buffer.from(JSON.stringify(notice)).toString('base64url');
  const value = `${text}.${sessionMac(sessionToken, 'notice', text)}`;
  response.cookie(NOTICE, value, { ...cookieOptions(response.req), maxAge: NOTICE_MS });
}

export function readNotice(request: Request, sessionToken: string): Notice | undefined {
  const [text, mac] = (readCookie(request, NOTICE) ?? '').split('.');
  if (!text || !mac || !sameMac(mac, sessionMac(sessionToken, 'notice', text))) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Notice;
}

export function dropNotice(response: Response): void {
  response.clearCookie(NOTICE, cookieOptions(response.req));
}
