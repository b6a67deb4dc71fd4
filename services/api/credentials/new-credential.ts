import type { NewCredential } from './issued-credential.repository';
import { digestToken, mintToken, type CredentialKind } from './token-format';

/** A freshly minted token, and what is kept of it. Without a family it begins one of its own. */
export function newCredential(
  kind: CredentialKind,
  pepper: string | undefined,
  tenantId: string,
  lifetimeSeconds: number | null,
  familyId?: string,
): { credential: NewCredential; token: string } {
  const { id, token } = mintToken(kind);
  const { digest, algorithm } = digestToken(token, pepper);
  const family = familyId ?? id;
  return {
    credential: { id, tenantId, familyId: family, digest, digestAlgorithm: algorithm, lifetimeSeconds },
    token,
  };
}
