import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidWidgetTokenError } from './credential.errors';
import type { CredentialSource } from './credential-source';
import { EmbedPassExpiredError } from './embed-pass.errors';
import type { WidgetPrincipal } from './principal';
import { findLiveWidgetToken } from './verify-widget-token';

const LIFE_SECONDS = 3600;
const FORM = /^(([0-9A-Za-z]{12})\.([0-9a-z]{1,9}))\.([\w-]{43})$/;

/**
 * What stands in the embed page's links in place of the token: who reads the page learns nothing that lasts. It says that
 * the bearer was shown the page of this token, and until when that counts.
 * @param now milliseconds
 */
export function mintEmbedPass(key: string, tokenId: string, now = Date.now()): string {
  const claim = `${tokenId}.${(Math.floor(now / 1000) + LIFE_SECONDS).toString(36)}`;
  return `${claim}.${mac(key, claim).toString('base64url')}`;
}

/**
 * The token behind a pass, judged anew.
 * @throws InvalidWidgetTokenError forged, or the token is not live; EmbedPassExpiredError an hour after it was made
 */
export async function verifyEmbedPass(
  credentials: CredentialSource,
  key: string,
  pass: string,
  now = Date.now(),
): Promise<WidgetPrincipal> {
  const [, claim, tokenId, expiry, seal] = FORM.exec(pass) ?? [];
  if (!claim || !timingSafeEqual(Buffer.from(seal!, 'base64url'), mac(key, claim))) {
    throw new InvalidWidgetTokenError();
  }
  const principal = await findLiveWidgetToken(credentials, tokenId!);
  if (!principal) throw new InvalidWidgetTokenError();
  if (parseInt(expiry!, 36) * 1000 <= now) throw new EmbedPassExpiredError(principal.origins);
  return principal;
}

function mac(key: string, claim: string): Buffer {
  // The same key signs cursors; what it signs there begins with a bracket.
  return createHmac('sha256', key).update(`embed pass\0${claim}`).digest();
}
