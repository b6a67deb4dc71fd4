import { getDomain } from 'tldts';
import type { Db } from '../../platform/database/database';
import { inspectToken, type Inspection } from '../credentials/inspect-token';
import { canonicalOrigin, isDevelopmentOrigin } from '../tenants/origins';
import { OriginRefusedError } from '../tenants/tenant.errors';
import { findTenant } from '../tenants/manage-tenants';

/** The decision whether one page may show the widget, with its reason. */
interface Embedding {
  /** True if the page may show the widget. */
  allowed: boolean;
  /** The origin of the page that the reason is about: the first refused one, else the page of the list. */
  origin: string;
  /** The origins of the pages around the page of the list. */
  around: string[];
  reason: string;
  /** The next step; null if none is needed. */
  advice: string | null;
  tenant: string | null;
  /** The origins whose pages may use the token now. */
  origins: string[];
}

type Finding = Pick<Embedding, 'allowed' | 'reason' | 'advice'>;

/**
 * Checks a page, and the pages around it, as a browser and the API do: each must be listed. If a listed origin is spelt in a similar way,
 * names it.
 * @param pages the page of the list first, then the pages around it
 */
export async function explainEmbedding(
  db: Db,
  pepper: string | undefined,
  token: string,
  pages: string[],
): Promise<Embedding> {
  const [origin, ...around] = pages.map(originOfPage) as [string, ...string[]];
  const inspection = await inspectToken(db, pepper, token);
  const { tenant: slug, origins, credential } = inspection;
  const known = { origin, around, tenant: slug, origins: origins ?? [] };
  if (inspection.verdict !== 'usable' || !slug || !origins) return { ...known, ...refusedToken(inspection) };
  const missing = [origin, ...around]
    .map(nameOfLoopback)
    .filter((one) => refusalOf(one) === undefined && !origins.includes(one));
  const follows = credential && 'followsTenant' in credential && credential.followsTenant;
  const listed = [...origins, ...missing];
  const command = follows
    ? `tourctl origins add ${slug} ${missing.join(' ')}`
    : `tourctl widget issue ${slug} ${listed.map((one) => `--origin ${one}`).join(' ')}`;
  const dev = (follows ? missing : listed).some(isDevelopmentOrigin);
  const add = dev ? `${command} --dev` : command;
  const tenant = await findTenant(db, slug);
  const check = (one: string): Embedding => ({
    ...known,
    origin: one,
    ...checkOrigin(one, origins, { add, onTrial: tenant.status === 'trial' }),
  });
  return [origin, ...around].map(check).find(({ allowed }) => !allowed) ?? check(origin);
}

const ANSWER_MS = 3000;

/** Returns whether the platform serves its loader at this address, from this machine. */
export async function isReachable(publicBaseUrl: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { ok } = await fetch(`${publicBaseUrl}/embed/widget.js`, { method: 'HEAD', signal });
    return ok;
  } catch {
    return false;
  }
}

/** Returns the origin of a copied address or of a domain. */
function originOfPage(page: string): string {
  const text = page.trim();
  const address = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[^/]*:\d+/.test(text) ? text : `https://${text}`;
  return text !== 'null' && URL.canParse(address) ? new URL(address).origin : 'null';
}

const TOKEN: Record<Exclude<Inspection['verdict'], 'usable'>, [reason: string, advice: string]> = {
  malformed: [
    'This is not a token of this platform: it is mistyped or incomplete.',
    'Paste it whole, from svc_widget_ on.',
  ],
  unknown: ['The token was never issued here.', 'tourctl widget issue <tenant>'],
  wrong_secret: ['The id of the token exists, but its secret is wrong.', 'tourctl widget rotate <id>'],
  revoked: ['The token is revoked.', 'tourctl widget issue <tenant>'],
  expired: ['The token has expired.', 'tourctl widget issue <tenant>'],
  tenant_inactive: ['The tenant is suspended or closed.', 'tourctl tenant activate <tenant>'],
};

function refusedToken({ verdict, kind, tenant, id }: Inspection): Finding {
  if (kind === 'api_key' && verdict !== 'malformed') {
    const advice = `tourctl key revoke ${id} and tourctl widget issue ${tenant ?? '<tenant>'}`;
    return refuse('This is an API key, which must never be in a page.', advice);
  }
  const [reason, advice] = TOKEN[verdict as keyof typeof TOKEN];
  return refuse(reason, advice.replace('<tenant>', tenant ?? '<tenant>').replace('<id>', id ?? '<id>'));
}

function checkOrigin(
  origin: string,
  listed: string[],
  { add, onTrial }: { add: string; onTrial: boolean },
): Finding {
  const name = nameOfLoopback(origin);
  if (!onTrial && name.startsWith('http://localhost')) {
    return refuse(
      'A development origin is valid only while its tenant is on trial.',
      'Try it on a trial tenant.',
    );
  }
  if (listed.includes(origin)) return { allowed: true, reason: 'The origin is listed.', advice: null };
  if (name !== origin) {
    const open = `Open the page at ${name}`;
    return refuse(
      'An address can never be listed, the name localhost can.',
      listed.includes(name) ? `${open}.` : `${open}, after: ${add}`,
    );
  }
  if (origin === 'null') {
    return refuse(
      'A page in a sandbox, from a file or behind a data: address has the origin null, which is never allowed.',
      'Serve the page over https; in a sandboxed frame, allow-same-origin gives it back its origin.',
    );
  }
  const near = nearMiss(new URL(origin), listed, add);
  if (near) return near;
  const refusal = refusalOf(origin);
  if (refusal) return refuse('Such an origin can never be listed.', refusal);
  if (listed.length === 0) return refuse('No origin is listed, so no site may show it.', add);
  return refuse(`The origin is not listed.`, add);
}

/** Returns the origin that a developer may list for a page at a loopback address: http://localhost:8080 for http://127.0.0.1:8080. */
function nameOfLoopback(origin: string): string {
  return origin.replace(/^http:\/\/(127\.0\.0\.1|\[::1\])(?=:)/, 'http://localhost');
}

/** Returns why no tenant may list this origin, with a valid form; undefined if a tenant on trial may. */
function refusalOf(origin: string): string | undefined {
  try {
    canonicalOrigin(origin, { dev: true });
    return undefined;
  } catch (error) {
    if (error instanceof OriginRefusedError) return error.reason;
    throw error;
  }
}

/**
 * Finds common mistakes: compares the origin of the page with the listed origins.
 * @param add the command that adds the origin to the list
 */
function nearMiss(page: URL, listed: string[], add: string): Finding | undefined {
  const near = (test: (other: URL) => boolean) => listed.find((other) => test(new URL(other)));
  const bare = (host: string) => host.replace(/^www\./, '');
  const dotless = page.hostname.replace(/\.$/, '');

  if (page.hostname.endsWith('.') && near(({ hostname }) => hostname === dotless)) {
    return refuse('The trailing dot makes it another origin.', `Link to https://${dotless} without the dot.`);
  }
  const secure = near(({ host, protocol }) => host === page.host && protocol !== page.protocol);
  if (secure)
    return refuse(
      `The page came over ${page.protocol.slice(0, -1)}; listed is ${secure}.`,
      `Redirect it to ${secure}.`,
    );
  const otherWww = near(
    ({ hostname }) => hostname !== page.hostname && bare(hostname) === bare(page.hostname),
  );
  if (otherWww) return refuse(`Listed is ${otherWww}: with and without www are two origins.`, add);
  const otherPort = near(({ hostname }) => hostname === page.hostname);
  if (otherPort) return refuse(`Listed is ${otherPort}: another port is another origin.`, add);
  const domain = getDomain(page.hostname, { allowPrivateDomains: true });
  const sibling =
    domain && near(({ hostname }) => getDomain(hostname, { allowPrivateDomains: true }) === domain);
  return sibling ? refuse(`Listed is ${sibling}: each subdomain is another origin.`, add) : undefined;
}

function refuse(reason: string, advice: string): Finding {
  return { allowed: false, reason, advice };
}
