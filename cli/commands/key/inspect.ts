import { inspectToken, type Inspection, type Verdict } from '../../../services/api/credentials/inspect-token';
import {
  diagnoseToken,
  parseToken,
  type CredentialKind,
  type Malformation,
} from '../../../services/api/credentials/token-format';
import { withContext, type Terminal } from '../../context';
import { readPastedToken } from '../../pasted-token';
import { properties } from '../../table';

/** A verdict, or all that can be said without a database. */
type Status = Verdict | 'well_formed';

const MEANING: Record<Exclude<Status, 'malformed'>, string> = {
  well_formed:
    'in form and checksum a credential of this platform; whether it serves, only the database knows',
  unknown: 'well-formed, but never issued here',
  wrong_secret: 'the id is known, the secret is not its own (or was kept under another KEY_PEPPER)',
  revoked: 'revoked',
  expired: 'expired',
  tenant_inactive: 'its tenant is suspended or closed',
  usable: 'served',
};
const MALFORMED: Record<Malformation, string> = {
  foreign: 'not of this platform: ours begin with svc_live_ or svc_widget_',
  unknown_kind: 'of no kind that exists: ours begin with svc_live_ or svc_widget_',
  characters: 'mistyped: it has characters in it that no key has',
  length: 'cut off, or something is pasted to its end',
  checksum: 'mistyped or made up: its last six characters are not the checksum of the others',
};

/** Form and checksum are judged first: what is no key at all needs no database to say so. */
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
      : await withContext(terminal, 'up-to-date', async ({ db, secrets }) =>
          toDocument(await inspectToken(db, secrets.keyPepper, token)),
        );
  output.answer(document, (screen) => properties({ ...known(document), ...inWords(document) }, screen));
}

function toDocument({ verdict, kind, id, tenant, scopes, origins, expiresAt, credential }: Inspection) {
  const time = (at: Date | null | undefined) => at?.toISOString() ?? null;
  const inBrowser = credential && 'browserSeenAt' in credential ? credential.browserSeenAt : null;
  return {
    /** Null: not asked. */
    usable: (verdict === 'usable') as boolean | null,
    status: verdict as Status,
    reason: null as Malformation | null,
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

function toOfflineDocument(token: string, malformation: Malformation | undefined) {
  const { kind, id } = parseToken(token) ?? { kind: null, id: null };
  const nothing = { tenant: null, scopes: null, origins: null, expiresAt: null, credential: null };
  const document = toDocument({ verdict: 'malformed', kind, id, ...nothing });
  if (malformation) return { ...document, reason: malformation };
  return { ...document, usable: null, status: 'well_formed' as const };
}

/** For a person: what was not found out is left out. */
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
  reason: Malformation | null;
  kind: CredentialKind | null;
  id: string | null;
}
