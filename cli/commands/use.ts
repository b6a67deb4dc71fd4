import { findTenant } from '../../services/api/tenants/manage-tenants';
import { flag, type VerbBody } from '../engine/command';
import type { Context, OpeningTerminal } from '../engine/context';
import { keepDefaultTenant, readDefaultTenant } from '../engine/default-tenant';
import { UsageError } from '../engine/failure';
import { slug } from '../engine/values';

export const useVerb: VerbBody = {
  flags: [flag('--clear', 'forget the default tenant')],
  args: { slug },
  check: ({ clear }: { clear?: boolean }, given?: string) => {
    if (clear && given !== undefined) throw new UsageError('<slug> and --clear cannot be given together');
  },
  examples: ['use acme', 'use', 'use --clear'],
  more: () =>
    [
      'A command that lacks nothing but its <slug> is then about',
      'this tenant, and says so. TOURCTL_TENANT wins. The commands',
      'of tenant never use it, and no list is limited to it: those',
      'take --tenant.',
    ].join('\n'),
  // The command opens the database itself, and only to look up a tenant.
  needs: 'database-on-demand',
  run: useCommand,
};

async function useCommand(
  terminal: OpeningTerminal<Context>,
  { clear = false }: { clear?: boolean },
  given?: string,
): Promise<void> {
  const { config, output } = terminal;
  if (given !== undefined) await terminal.withDatabase({}, ({ db }) => findTenant(db, given), [given]);
  if (given !== undefined || clear) keepDefaultTenant(config, given);
  const { slug: tenant = null, from = null } = readDefaultTenant(config) ?? {};
  await output.answer({ tenant, from }, () => tenant ?? 'No default tenant');
  if (from !== 'TOURCTL_TENANT') return;
  if (given !== undefined || clear) output.warn(`TOURCTL_TENANT is set, and wins: ${tenant}`);
  else output.note('TOURCTL_TENANT is set');
}
