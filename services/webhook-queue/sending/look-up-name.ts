import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { UnresolvedTargetError } from './sending.errors';

const TRIES = 2;

/**
 * The public addresses of a name, by questions of our own to the name servers. getaddrinfo, which Node's `lookup` asks, answers four
 * names at a time, and one whose server is silent takes a place for ten seconds: five such names stopped the deliveries to all
 * others. What it alone knows, /etc/hosts and search domains, names no public host.
 * @throws UnresolvedTargetError
 */
export async function lookUpPublicName(hostname: string, timeoutMs: number): Promise<LookupAddress[]> {
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
    throw silent ? tooLate(hostname, timeoutMs) : nowhere(hostname, codes[0]!);
  } finally {
    clearTimeout(deadline);
  }
}

/**
 * As the machine itself would: for receivers inside, where WEBHOOK_ALLOW_PRIVATE_TARGETS is on.
 * @throws UnresolvedTargetError
 */
export async function lookUpAnyName(hostname: string, timeoutMs: number): Promise<LookupAddress[]> {
  const found = lookup(hostname, { all: true }).catch((error: unknown) => {
    throw nowhere(hostname, codeOf(error));
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(hostname, timeoutMs)), timeoutMs);
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

function nowhere(hostname: string, code: string): UnresolvedTargetError {
  return new UnresolvedTargetError(`The name ${hostname} does not resolve (${code}).`);
}

function tooLate(hostname: string, timeoutMs: number): UnresolvedTargetError {
  return new UnresolvedTargetError(`The name ${hostname} did not resolve within ${timeoutMs / 1000} s.`);
}
