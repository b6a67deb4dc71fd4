import { type BookingPaymentMethod, PAYMENT_METHODS } from '../../../services/api/tenants/payment-method';
import type { Tenant } from '../../../services/api/tenants/tenant';
import { UsageError } from '../../engine/failure';
import { instant, parseDuration } from '../../engine/values';
import type { Io } from '../../terminal/io';
import { askFromList, type Choice, type Offer } from '../../terminal/prompts';
import { roughDuration } from '../../terminal/text';
import { shortTime } from '../../terminal/table';
import { hasWords, wordsOf } from './sale-reads';

/** How a booking is paid. */
export interface Payment {
  /** `cash`, or one of PAYMENT_METHODS. Undefined: the tenant's. */
  paymentMethod?: BookingPaymentMethod;
  /** Null: it stands without a limit. Undefined: the payment window of the tenant. */
  payBy?: Date | null;
  /** True: it is paid, and confirmed in the same transaction. */
  isConfirmed?: boolean;
}

/**
 * Asks if the booking is paid, or until when it stands unpaid. A typed date, time or duration is the end. Does not ask if the flags answer it.
 * @param now the present time
 */
export async function askPayment(io: Io, tenant: Tenant, given: Payment, now: Date): Promise<Payment> {
  if (given.isConfirmed || given.payBy !== undefined) return given;
  const choices = paymentChoices(tenant, given);
  const find = async (typed: string) => findPayments(choices, given, typed, now);
  const answer = await askFromList(io, 'Paid, or until when (such as 24h):', find);
  const { payBy, ...others } = JSON.parse(answer) as Omit<Payment, 'payBy'> & { payBy?: string | null };
  const end = typeof payBy === 'string' ? new Date(payBy) : payBy;
  return { ...given, ...others, payBy: end };
}

/** How a guest may have paid. */
const PAID_BY: BookingPaymentMethod[] = ['cash', ...PAYMENT_METHODS.filter((one) => one !== 'reserve')];

function paymentChoices({ paymentMethod, paymentWindowMinutes }: Tenant, given: Payment): Choice[] {
  const method = given.paymentMethod ?? paymentMethod;
  const paid = given.paymentMethod === undefined ? PAID_BY : [method];
  const isCash = given.paymentMethod === 'cash';
  const later =
    paymentWindowMinutes === null || isCash
      ? `not paid: no limit (${method})`
      : `not paid: within ${roughDuration(paymentWindowMinutes * 60)} (${method})`;
  const onTheDay = choice({ paymentMethod: 'cash', payBy: null }, 'not paid: cash at the start, no limit');
  return [
    choice({}, later),
    ...paid.map((one) => choice({ paymentMethod: one, isConfirmed: true }, `paid: ${one}`)),
    ...(given.paymentMethod === undefined ? [onTheDay] : []),
  ];
}

function findPayments(choices: Choice[], given: Payment, typed: string, now: Date): Offer {
  const words = wordsOf(typed);
  const found = choices.filter(({ name = '' }) => hasWords(name, words));
  if (found.length > 0 && !/\d/.test(typed)) return { choices: found };
  const end = readEnd(typed.trim(), now);
  if (end === undefined) return { why: `"${typed}" is no time: 24h, 2d, or 2027-05-01T18:00Z`, choices: [] };
  if (end <= now) return { why: `${shortTime(end)} UTC is past`, choices: [] };
  return {
    choices: [
      choice({ paymentMethod: given.paymentMethod, payBy: end }, `not paid: until ${shortTime(end)} UTC`),
    ],
  };
}

/** Reads a duration from now, or a time. Undefined: the text is neither. */
function readEnd(text: string, now: Date): Date | undefined {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return new Date(now.getTime() + seconds * 1000);
  try {
    return instant(text, 'It');
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function choice(payment: Payment, name: string): Choice {
  return { value: JSON.stringify(payment), name };
}
