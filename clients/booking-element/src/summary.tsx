import type { ComponentChildren } from 'preact';
import { Answered, Row } from './answered.tsx';
import { categoryName } from './category-names.ts';
import type { Contact } from './contact-rules.ts';
import { departureText } from './departure-text.ts';
import { Button, Heading } from './parts.tsx';
import { Split } from './pay.tsx';
import { type Speech, useSpeech } from './speech.ts';
import { Steps } from './steps.tsx';
import type { Booking, Hold, Party, Tour } from './wire.ts';
import { fill } from './words/words.ts';

interface SummaryProps {
  tour: Tour;
  sale: Hold | Booking;
  /** More rows. */
  children?: ComponentChildren;
}

/** Shows the tour, the departure, the party and the total. */
export function Summary({ tour, sale, children }: SummaryProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const { departure_date, departure_time, party, total_price, currency } = sale;
  return (
    <dl part="summary" class="summary">
      <dt>{words.summary.tour}</dt>
      <dd>{tour.name}</dd>
      <dt>{words.summary.date}</dt>
      {/* Only a booking without a hold can be without a date. */}
      <dd>{departureText({ departure_date: departure_date!, departure_time }, formats)}</dd>
      <Row label={words.summary.party} texts={partyTexts(tour, party, speech)} />
      {children}
      <dt>{words.party.total}</dt>
      <dd class="total">{formats.money(total_price, currency)}</dd>
    </dl>
  );
}

/** Returns the units of each category of a party, in words. A category that the tour has no more keeps its code. */
function partyTexts({ categories }: Tour, party: Party, { words, formats }: Speech): string[] {
  return Object.entries(party).map(([code, units]) => {
    const category = categories.find((one) => one.code === code);
    return `${formats.number(units)}\u00a0× ${category ? categoryName(category, words) : code}`;
  });
}

/** Returns the departure, the party and the total of a hold in one line. */
export function holdText(tour: Tour, hold: Hold, speech: Speech): string {
  const { formats } = speech;
  return [
    departureText(hold, formats),
    ...partyTexts(tour, hold.party, speech),
    formats.money(hold.total_price, hold.currency),
  ].join(' · ');
}

/** Names who sells. */
export function Seller({ name }: { name: string }) {
  return <p class="detail">{fill(useSpeech().words.sale.seller, { seller: name })}</p>;
}

interface BookedProps {
  tour: Tour;
  booking: Booking;
  /** What this tab has booked with. Undefined: it does not know. */
  contact: Contact | undefined;
  /** The name of who sells. */
  seller: string;
  takesFocus: boolean;
  /** The address of the payment. Undefined: the site has none. */
  next: string | undefined;
  onAgain(): void;
}

/** The booking, and the way to the site's payment. */
export function Booked({ tour, booking, contact, seller, takesFocus, next, onAgain }: BookedProps) {
  const speech = useSpeech();
  const { words } = speech;
  const isUnpaid = booking.status === 'pending_payment';
  const isDue = isUnpaid && booking.total_price > 0;
  return (
    <div class="step">
      <Steps current={isDue ? 'pay' : undefined} />
      <div class="title">
        <Heading takesFocus={takesFocus}>{headingOf(booking, next, speech)}</Heading>
        <p>{fill(words.summary.reference, { reference: booking.booking_ref })}</p>
      </div>
      {isDue && <Due booking={booking} next={next} />}
      <Summary tour={tour} sale={booking}>
        <Answered tour={tour} sale={booking} contact={contact} />
      </Summary>
      <Seller name={seller} />
      {isUnpaid && next !== undefined && (
        <a part="button" class="button" href={next}>
          {words.summary.pay}
        </a>
      )}
      <Button isSecondary onClick={onAgain}>
        {words.summary.again}
      </Button>
    </div>
  );
}

/** Returns the heading of a booking. On a site without a page of payment it says what to pay, and until which day. */
function headingOf(booking: Booking, next: string | undefined, { words, formats }: Speech): string {
  const { status, deposit_total, total_price, currency, payment_due_at } = booking;
  if (status === 'confirmed') return words.summary.confirmed;
  if (status === 'cancelled') return words.calendar.cancelled;
  if (status === 'expired') return words.problem.timeOver;
  if (next !== undefined || total_price === 0) return words.summary.booked;
  const amount = formats.money(deposit_total || total_price, currency);
  if (payment_due_at === null) return fill(words.sale.reservedUndated, { amount });
  return fill(words.sale.reserved, { amount, date: formats.day(payment_due_at) });
}

/**
 * Shows what is to be paid and until when, and how, in the tenant's words. Nothing is paid now without the site's payment: the heading then has the
 * amount.
 */
function Due({ booking, next }: Pick<BookedProps, 'booking' | 'next'>) {
  const { words, formats } = useSpeech();
  const { deposit_total, payment_due_at, payment_note } = booking;
  return (
    <div>
      {next !== undefined && <Split now={deposit_total} price={booking} />}
      {payment_due_at !== null && (
        <p>{fill(words.summary.payUntil, { time: formats.instant(payment_due_at) })}</p>
      )}
      {payment_note && (
        <>
          <h3>{words.sale.next}</h3>
          <p part="note" dir="auto">
            {payment_note}
          </p>
        </>
      )}
    </div>
  );
}
