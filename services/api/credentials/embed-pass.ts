import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidWidgetTokenError, UnusableWidgetTokenError } from './credential.errors';
import type { CredentialSource } from './credential-source';

import type { WidgetPrincipal } from './credential';
import { verifyWidgetTokenById } from './verify-credential';

const LIFE_SECONDS = 3600;
/** The longest life of a chain of renewed passes: a copied pass is useless after a day, however often it is renewed. */
const CHAIN_SECONDS = 24 * LIFE_SECONDS;
const FORM = /^(([0-9A-Za-z]{12})\.([0-9a-z]{1,9})\.([0-9a-z]{1,9}))\.([\w-]{43})$/;

/**
 * Creates the short-lived pass that replaces the token in the links of the embed page. A pass contains the id of the token, the start of
 * its chain of passes, and its own expiry.
 * @param now milliseconds since 1970
 * @param chainStart seconds since 1970, taken from the pass of this request; by default a new chain starts now
 */
export function mintEmbedPass(
  key: string,
  tokenId: string,
  now = Date.now(),
  chainStart = Math.floor(now / 1000),
): string {
  const expiry = Math.min(Math.floor(now / 1000) + LIFE_SECONDS, chainStart + CHAIN_SECONDS);
  const claim = `${tokenId}.${chainStart.toString(36)}.${expiry.toString(36)}`;
  return `${claim}.${mac(key, claim)}`;
}

/** Returns the token id of a pass, forged or not; undefined for any other text. */
export function tokenIdOfPass(pass: string): string | undefined {
  return FORM.exec(pass)?.[2];
}

/**
 * Verifies a pass and its token, and returns the caller.
 * @throws InvalidWidgetTokenError for a forged pass; UnusableWidgetTokenError if the pass is older than an hour, if the first pass of its
 *   chain is older than a day, or if the token may not be used any more
 */
export async function verifyEmbedPass(
  credentials: CredentialSource,
  key: string,
  pass: string,
  now = Date.now(),
): Promise<WidgetPrincipal> {
  const [, claim, tokenId, chainStart, expiry, seal] = FORM.exec(pass) ?? [];
  // Compares the encoded texts. Decoding would ignore two bits of the last character, so four different texts would be valid.
  if (!claim || !timingSafeEqual(Buffer.from(seal!), Buffer.from(mac(key, claim)))) {
    throw new InvalidWidgetTokenError();
  }
  const principal = await verifyWidgetTokenById(credentials, tokenId!);
  if (parseInt(expiry!, 36) * 1000 <= now) {
    throw new UnusableWidgetTokenError('pass_expired', principal.tenant, principal.origins);
  }
  return { ...principal, passChainStart: parseInt(chainStart!, 36) };
}

function mac(key: string, claim: string): string {
  // The prefix separates passes from cursors, which the same key signs.
  return createHmac('sha256', key).update(`embed pass\0${claim}`).digest('base64url');
}
