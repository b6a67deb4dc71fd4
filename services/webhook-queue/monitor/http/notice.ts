import type { Request, Response } from 'express';
import type { Notice } from '../html/viewer';
import { cookieOptions, readCookie } from './cookies';
import { sameMac, sessionMac } from './session-mac';

const NAME = 'monitor_notice';
/** Until the page after the action is shown. */
const KEPT_MS = 60_000;

/** Carries what became of an action to the next page. Signed, so that nobody else writes on the page; never a secret. */
export function keepNotice(response: Response, sessionToken: string, notice: Notice): void {
  const text = Buffer.from(JSON.stringify(notice)).toString('base64url');
  const value = `${text}.${sessionMac(sessionToken, 'notice', text)}`;
  response.cookie(NAME, value, { ...cookieOptions(response.req), maxAge: KEPT_MS });
}

export function readNotice(request: Request, sessionToken: string): Notice | undefined {
  const [text, mac] = (readCookie(request, NAME) ?? '').split('.');
  if (!text || !mac || !sameMac(mac, sessionMac(sessionToken, 'notice', text))) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Notice;
}

export function dropNotice(response: Response): void {
  response.clearCookie(NAME, cookieOptions(response.req));
}
