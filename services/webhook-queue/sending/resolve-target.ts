import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { whyNotPublic } from './public-address';

/** The address is not one that we call. */
export class BlockedTargetError extends Error {
  override readonly name = 'BlockedTargetError';
}

/** The name has no address now. */
export class UnresolvedTargetError extends Error {
  override readonly name = 'UnresolvedTargetError';
}

export interface TargetRules {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS: http, and addresses that are not public. */
  allowPrivateTargets: boolean;
  lookupTimeoutMs: number;
}

/**
 * The addresses of a host, looked up once: who connects to these, and to no others, cannot be led elsewhere by a second
 * look-up. One address that is not public refuses them all.
 * @throws BlockedTargetError, UnresolvedTargetError
 */
export async function resolveTarget(hostname: string, rules: TargetRules): Promise<LookupAddress[]> {
  const family = isIP(hostname);
  const addresses = family ? [{ address: hostname, family }] : await lookUp(hostname, rules.lookupTimeoutMs);
  if (rules.allowPrivateTargets) return addresses;
  for (const { address } of addresses) {
    const why = whyNotPublic(address);
    if (why) throw new BlockedTargetError(refusal(hostname, address, why));
  }
  return addresses;
}

function refusal(hostname: string, address: string, why: string): string {
  const subject = hostname === address ? address : `${hostname} is ${address}, and that`;
  return `${subject} is ${why}: only public addresses are called, unless WEBHOOK_ALLOW_PRIVATE_TARGETS is on.`;
}

/**
 * Look-ups under way. Node makes four at a time, and one that hangs does so for long after we stopped waiting: a name takes
 * one of these places, however many requests ask for it.
 */
const lookups = new Map<string, Promise<LookupAddress[]>>();

function lookUpOnce(hostname: string): Promise<LookupAddress[]> {
  const running = lookups.get(hostname);
  if (running) return running;
  const found = lookup(hostname, { all: true })
    .catch((error: NodeJS.ErrnoException) => {
      throw new UnresolvedTargetError(`The name ${hostname} does not resolve (${error.code ?? 'unknown'}).`);
    })
    .finally(() => lookups.delete(hostname));
  lookups.set(hostname, found);
  return found;
}

async function lookUp(hostname: string, timeoutMs: number): Promise<LookupAddress[]> {
  const found = lookUpOnce(hostname);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new UnresolvedTargetError(
      `The name ${hostname} did not resolve within ${timeoutMs / 1000} s.`,
    );
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}
