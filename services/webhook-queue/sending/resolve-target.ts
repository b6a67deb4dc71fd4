import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { lookUpAnyName, lookUpPublicName } from './look-up-name';
import { namesInside, whyNotPublic } from './public-address';
import { BlockedTargetError } from './sending.errors';

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
  if (!rules.allowPrivateTargets && !family && namesInside(hostname.replace(/\.$/, '')))
    throw new BlockedTargetError(refusal(hostname, hostname, 'no public name'));
  const lookUp = rules.allowPrivateTargets ? lookUpAnyName : lookUpPublicName;
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
