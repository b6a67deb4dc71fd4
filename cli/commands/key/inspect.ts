import { inspectToken, type Inspection, type Verdict } from '../../../services/api/credentials/inspect-token';
import type { Context } from '../../context';
import type { Io } from '../../io';
import type { Output } from '../../output';
import { askSecret } from '../../prompts';
import { properties } from '../../table';
import { UsageError } from '../../usage-error';

const MEANING: Record<Verdict, string> = {
  malformed: 'not a key or token: mistyped, cut, or of another system',
  unknown: 'well-formed, but never issued here',
  wrong_secret: 'the id is known, the secret is not its own (or was kept under another KEY_PEPPER)',
  revoked: 'revoked',
  expired: 'expired',
  tenant_inactive: 'its tenant is suspended or closed',
  usable: 'served',
};

export async function inspectTokenCommand({ db, io, output, secrets }: Context): Promise<void> {
  const document = toDocument(await inspectToken(db, secrets.keyPepper, await readToken(io, output)));
  output.answer(document, () => properties({ ...document, meaning: MEANING[document.status] }));
}

function toDocument({ verdict, expiresAt, ...known }: Inspection) {
  const expires_at = expiresAt?.toISOString() ?? null;
  return { usable: verdict === 'usable', status: verdict, ...known, expires_at };
}

/** From standard input, never from the command line: that is kept by shells and shown to every user. */
async function readToken(io: Io, output: Output): Promise<string> {
  if (io.isTTY && !output.json) return (await askSecret(io, 'Key or token')).trim();
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.length > 10_000) break;
  }
  if (text.trim() === '')
    throw new UsageError('key inspect reads a key or token from standard input, and there was none');
  return text.trim();
}
