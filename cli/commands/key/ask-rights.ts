import { SCOPES, type Scope } from '../../../services/api/credentials/scope';
import type { Terminal } from '../../context';
import { parseDuration } from '../../duration';
import { askOne, askSome } from '../../prompts';
import { UsageError } from '../../usage-error';

/** The fewest first: that is what Enter takes. */
const BUNDLES: Record<string, readonly Scope[]> = {
  'read the catalog (catalog:read)': ['catalog:read'],
  'read, hold and book (catalog:read, booking:create)': ['catalog:read', 'booking:create'],
  everything: SCOPES,
};
const EACH = 'choose each';
const LIFETIMES = ['90d', '30d', '365d', 'none'];

export interface Rights {
  scopes: readonly Scope[];
  /** Seconds; null or absent: for ever. */
  lifetimeSeconds?: number | null;
}

/**
 * What a key is to be allowed, and for how long: from the flags, and where those name no scope from the person.
 * @throws UsageError where nobody can be asked
 */
export async function completeRights(
  { io, output }: Terminal,
  { scope, expiresIn }: { scope?: Scope[]; expiresIn?: number | null },
): Promise<Rights> {
  if (scope) return { scopes: scope, lifetimeSeconds: expiresIn };
  if (!io.isTTY || output.json) throw new UsageError('--scope is missing: what it may do');
  const bundle = await askOne(io, 'What may it do?', [...Object.keys(BUNDLES), EACH]);
  const scopes = BUNDLES[bundle] ?? ((await askSome(io, 'Which scopes?', SCOPES)) as Scope[]);
  if (expiresIn !== undefined) return { scopes, lifetimeSeconds: expiresIn };
  const lifetime = await askOne(io, 'How long does it serve? (none: for ever)', LIFETIMES);
  return { scopes, lifetimeSeconds: parseDuration(lifetime) ?? null };
}
