import type { Flag } from './command';
import type { Context } from './context';

/** Who a customer is stays masked until it is asked for by name, and that leaves an audit row. */
export const REVEAL_FLAG: Flag = {
  flags: '--reveal',
  about: 'show names, phones and emails, which are masked otherwise; leaves an audit row',
};

export interface RevealOptions {
  reveal?: boolean;
}

/** The row that says who looked, and at how many; before anything is shown. */
export async function recordReveal(
  { audited }: Context,
  entry: { action: string; subject?: string; tenantId?: string },
  what: Record<string, unknown>,
): Promise<void> {
  await audited(entry, async (_trx, note) => note(null, what));
}
