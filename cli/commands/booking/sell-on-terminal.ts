import { mayBeUsed } from '../../../services/api/tenants/tenant';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import type { Db } from '../../../services/platform/database/database';
import { AppError } from '../../../services/platform/errors';
import type { AuditedContext, OpeningTerminal } from '../../engine/context';
import { InactiveTenantError } from '../../engine/desk-sale';
import { openWhileAsking } from '../../engine/open-while-asking';
import type { Io } from '../../terminal/io';
import { type AgreedSale, askSale, type SaleKind } from './ask-sale';
import type { SaleSource } from './sale-reads';
import type { GivenSale } from './sale-summary';

/** A sale whose command line lacks something. */
export interface IncompleteSale {
  kind: SaleKind;
  /** The slug of the tenant that sells. Undefined: the person chooses it. */
  tenant: string | undefined;
  given: GivenSale;
  /** True: the person has agreed already, by --yes. */
  isAgreed: boolean;
}

/** Sells in one transaction, and answers. @param tenant its slug */
type Sell = (context: AuditedContext, agreed: AgreedSale, tenant: string) => Promise<void>;

/**
 * Asks a person for the missing values of a sale and sells. If the seats, the date or the price have changed meanwhile, says so and asks again
 * what that concerns.
 * @throws CancelledError at Ctrl-C; NotConfirmedError; errors of the sale
 */
export async function sellOnTerminal(
  terminal: OpeningTerminal<AuditedContext>,
  sale: IncompleteSale,
  sell: Sell,
): Promise<void> {
  const words = [sale.given.tour ?? '', sale.tenant ?? ''];
  await openWhileAsking(
    terminal,
    async (opened) => {
      const tenant = sale.tenant ?? (await chooseTenant(terminal.io, opened));
      const agreed = await askSale({
        ...terminal,
        ...sale,
        open: async () => openSale((await opened()).db, tenant),
      });
      return { tenant, agreed };
    },
    (context, { tenant, agreed }) => sellUntilGranted(context, { ...sale, tenant }, agreed, sell),
    words,
  );
}

async function chooseTenant(io: Io, opened: () => Promise<AuditedContext>): Promise<string> {
  const { chooserOf } = require('../../engine/choose-name') as typeof import('../../engine/choose-name');
  return chooserOf(io, async () => (await opened()).db)('tenant', 'tenant', {});
}

/** @throws TenantNotFoundError, InactiveTenantError */
async function openSale(db: Db, slug: string): Promise<SaleSource> {
  const tenant = await findTenant(db, slug);
  if (!mayBeUsed(tenant)) throw new InactiveTenantError(tenant);
  return { db, tenant };
}

/** Refusals of a sale that the person can answer: another request has changed the departure or its price. */
const ANSWERABLE = new Set(['insufficient_seats', 'departure_gone', 'departure_cancelled', 'price_changed']);

async function sellUntilGranted(
  context: AuditedContext,
  sale: IncompleteSale & { tenant: string },
  agreed: AgreedSale,
  sell: Sell,
): Promise<void> {
  try {
    return await sell(context, agreed, sale.tenant);
  } catch (error) {
    if (sale.isAgreed || !(error instanceof AppError) || !ANSWERABLE.has(error.code)) throw error;
    context.output.warn(error.message);
  }
  const open = () => openSale(context.db, sale.tenant);
  const given = { ...sale.given, ...agreed, hasPayment: true };
  const again = await askSale({ ...context, ...sale, given, open });
  return sellUntilGranted(context, sale, again, sell);
}
