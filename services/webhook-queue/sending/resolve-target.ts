import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { isInternalName, nonPublicReason } from './allowed-target';
import { AttemptError } from './attempt';
import { lookup, Resolver } from 'node:dns/promises';

export interface TargetRules {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS: allows http and addresses that are not public. */
  allowPrivateTargets: boolean;
  lookupTimeoutMs: number;
}

/**
 * Resolves a host name once. The caller connects only to the returned addresses, so a second look-up cannot redirect the request. Refuses
 * the host if one of its addresses is not public, unless allowPrivateTargets is true.
 * @throws AttemptError `blocked` or `dns`
 */
export async function resolveTarget(hostname: string, rules: TargetRules): Promise<LookupAddress[]> {
  const family = isIP(hostname);
  if (!rules.allowPrivateTargets && !family && isInternalName(hostname.replace(/\.$/, '')))
    throw refused(hostname, hostname, 'not a public name');
  const lookUp = rules.allowPrivateTargets ? lookUpAnyName : lookUpPublicName;
  const addresses = family ? [{ address: hostname, family }] : await lookUp(hostname, rules.lookupTimeoutMs);
  if (rules.allowPrivateTargets) return addresses;
  for (const { address } of addresses) {
    const reason = nonPublicReason(address);
    if (reason) throw refused(hostname, address, reason);
  }
  return addresses;
}

function refused(hostname: string, address: string, reason: string): AttemptError {
  const subject = hostname === address ? address : `${hostname} resolves to ${address}, which`;
  return new AttemptError(
    'blocked',
    `${subject} is ${reason}: only public addresses are allowed, unless WEBHOOK_ALLOW_PRIVATE_TARGETS is on.`,
  );
}

const TRIES = 2;

/**
 * Asks the name servers directly for the public addresses of a name. Node's `lookup` uses getaddrinfo, which resolves only four names at a
 * time. A name whose server is silent blocks one of the four for ten seconds, and five such names stopped all other deliveries. Only
 * getaddrinfo reads /etc/hosts and search domains, but these name no public host.
 * @throws AttemptError `dns`
 */
async function lookUpPublicName(hostname: string, timeoutMs: number): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES });
  const deadline = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    const codes = [v4, v6].map((answer) =>
      answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA',
    );
    const silent = codes.some((code) => code === 'ETIMEOUT' || code === 'ECANCELLED');
    throw silent ? timedOut(hostname, timeoutMs) : unresolved(hostname, codes[0]!);
  } finally {
    clearTimeout(deadline);
  }
}

/**
 * Resolves a name with getaddrinfo, for internal receivers when WEBHOOK_ALLOW_PRIVATE_TARGETS is on.
 * @throws AttemptError `dns`
 */
async function lookUpAnyName(hostname: string, timeoutMs: number): Promise<LookupAddress[]> {
  const found = lookup(hostname, { all: true }).catch((error: unknown) => {
    throw unresolved(hostname, codeOf(error));
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(hostname, timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

function unresolved(hostname: string, code: string): AttemptError {
  return new AttemptError(
    'dns',
    `The name ${hostname} does not resolve (${code}): check it in the URL, and its DNS records.`,
  );
}

function timedOut(hostname: string, timeoutMs: number): AttemptError {
  return new AttemptError(
    'dns',
    `The name ${hostname} did not resolve within ${timeoutMs / 1000} s: check its name servers and those of this machine.`,
  );
}
