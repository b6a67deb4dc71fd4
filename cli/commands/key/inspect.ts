import { type Inspection, inspectToken, type Verdict } from '../../../services/api/credentials/inspect-token';
import {
  type CredentialKind,
  diagnoseToken,
  parseToken,
  type TokenIssue,
} from '../../../services/api/credentials/token-format';
import { type Terminal } from '../../engine/context';
import { withContext } from '../../engine/open-database';
import { readPastedToken } from '../../engine/secrets';
import { properties } from '../../terminal/table';

/** The verdict of the database; `well_formed` where it was not asked. */
type Status = Verdict | 'well_formed';

const MEANING: Record<Exclude<Status, 'malformed'>, string> = {
  well_formed: 'well-formed with a valid checksum; only the database knows whether it is accepted',
  unknown: 'well-formed, but never issued here',
  wrong_secret: 'the id exists, but the secret is wrong (or was stored under another KEY_PEPPER)',
  revoked: 'revoked',
  expired: 'expired',
  tenant_inactive: 'its tenant is suspended or closed',
  usable: 'accepted',
};
const MALFORMED: Record<TokenIssue, string> = {
  foreign: 'not a credential of this platform: those begin with svc_live_ or svc_widget_',
  unknown_kind: 'an unknown kind: credentials begin with svc_live_ or svc_widget_',
  characters: 'mistyped: it contains characters that no key contains',
  length: 'cut off, or followed by other text',
  checksum: 'mistyped or invented: its last six characters are not the checksum of the others',
};

/** Checks form and checksum first: a malformed key needs no database. */
export async function inspectTokenCommand(
  terminal: Terminal,
  { offline = false }: { offline?: boolean },
): Promise<void> {
  const { io, output } = terminal;
  const token = await readPastedToken(io, output, 'key inspect');
  const malformation = diagnoseToken(token);
  const document =
    offline || malformation
      ? toOfflineDocument(token, malformation)
      : await withContext(terminal, {}, async ({ db, secrets }) => {
          const { keyPepper } = await secrets('keyPepper');
          return toDocument(await inspectToken(db, keyPepper, token));
        });
  output.answer(document, (screen) => properties({ ...known(document), ...inWords(document) }, screen));
}

function toDocument({ verdict, kind, id, tenant, scopes, origins, expiresAt, credential }: Inspection) {
  const time = (at: Date | null | undefined) => at?.toISOString() ?? null;
  const inBrowser = credential && 'browserSeenAt' in credential ? credential.browserSeenAt : null;
  return {
    /** Null: not asked. */
    usable: (verdict === 'usable') as boolean | null,
    status: verdict as Status,
    reason: null as TokenIssue | null,
    kind,
    id,
    tenant,
    scopes,
    origins,
    created_at: time(credential?.createdAt),
    expires_at: time(expiresAt),
    last_used_at: time(credential?.lastUsedAt),
    browser_seen_at: time(inBrowser),
  };
}

function toOfflineDocument(token: string, malformation: TokenIssue | undefined) {
  const { kind, id } = parseToken(token) ?? { kind: null, id: null };
  const nothing = { tenant: null, scopes: null, origins: null, expiresAt: null, credential: null };
  const document = toDocument({ verdict: 'malformed', kind, id, ...nothing });
  if (malformation) return { ...document, reason: malformation };
  return { ...document, usable: null, status: 'well_formed' as const };
}

/** Drops unknown fields for the screen. */
function known(document: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
}

function inWords({ status, reason, kind, id }: Described): Record<string, string> {
  if (status === 'malformed') return { meaning: MALFORMED[reason!] };
  const serves = ['well_formed', 'wrong_secret', 'tenant_inactive', 'usable'].includes(status);
  const noun = kind === 'api_key' ? 'key' : 'widget';
  return {
    meaning: MEANING[status],
    ...(serves ? { 'if it leaked': `tourctl ${noun} revoke ${id}` } : {}),
  };
}

interface Described {
  status: Status;
  reason: TokenIssue | null;
  kind: CredentialKind | null;
  id: string | null;
}
