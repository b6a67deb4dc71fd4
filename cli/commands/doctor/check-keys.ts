import type { Credential } from '../../../services/api/credentials/credential';
import {
  EXPIRING_DAYS,
  UNUSED_DAYS,
  type CredentialWarning,
} from '../../../services/api/credentials/credential-warning';
import { findDoubtfulCredentials } from '../../../services/api/credentials/find-doubtful-credentials';
import { noticeOf, type Check } from '../../../services/api/health/check';
import type { Db } from '../../../services/platform/database';
import { adviseOn, type CredentialNoun } from '../../credential-warnings';

const LOOKED_AT = 1000;

/** API keys and widget tokens of tenants that may be used. */
export async function checkKeys(db: Db): Promise<Check[]> {
  const { keys, tokens } = await findDoubtfulCredentials(db, LOOKED_AT);
  const all: Doubtful[] = [
    ...keys.map((credential) => ({ noun: 'key' as const, credential })),
    ...tokens.map((credential) => ({ noun: 'widget' as const, credential })),
  ];
  return [
    checkFor(all, 'keys', 'expires_soon', `to expire within ${EXPIRING_DAYS} days`),
    checkFor(all, 'unused-keys', 'never_used', `not used once in ${UNUSED_DAYS} days`),
    checkFor(all, 'browser-keys', 'seen_in_browser', 'API keys that come from browsers'),
  ];
}

interface Doubtful {
  noun: CredentialNoun;
  credential: Credential;
}

function checkFor(all: Doubtful[], name: string, warning: CredentialWarning, meaning: string): Check {
  const found = all.filter(({ credential }) => credential.warnings.includes(warning));
  return noticeOf(name, found, {
    meaning,
    label: ({ credential: { id, tenant } }) => `${id} of ${tenant}`,
    command: ({ noun, credential }) => adviseOn(noun, credential, warning).command,
  });
}
