import { categoryName } from './category-names.ts';
import { departureText } from './departure-text.ts';
import { Button, Heading } from './parts.tsx';
import { type Speech, useSpeech } from './speech.ts';
import type { Booking, Hold, Party, Tour } from './wire.ts';
import { fill } from './words/words.ts';

interface SummaryProps {
  tour: Tour;
  sale: Hold | Booking;
}

/** Shows the tour, the departure, the party and the total. */
export function Summary({ tour, sale }: SummaryProps) {
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
      <dt>{words.summary.party}</dt>
      <dd>
        <ul>
          {partyTexts(tour, party, speech).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </dd>
      <dt>{words.party.total}</dt>
      <dd class="total">{formats.money(total_price, currency)}</dd>
    </dl>
  );
}

/** Returns the units of each category of a party, in words. A category that the tour has no more keeps its code. */
function partyTexts({ categories }: Tour, party: Party, { words, formats }: Speech): string[] {
  return Object.entries(party).map(([code, units]) => {
    const category = categories.find((one) => one.code === code);
    return `${formats.number(units)} × ${category ? categoryName(category, words) : code}`;
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

interface BookedProps {
  tour: Tour;
  booking: Booking;
  takesFocus: boolean;
  /** The address of the payment. Undefined: the site has none. */
  next: string | undefined;
  onAgain(): void;
}

/** The booking, and the way to the site's payment. */
export function Booked({ tour, booking, takesFocus, next, onAgain }: BookedProps) {
  const { words, formats } = useSpeech();
  const { booking_ref, status, deposit_total, total_price, currency, payment_due_at } = booking;
  const isPaid = status === 'confirmed';
  return (
    <div class="step">
      <Heading takesFocus={takesFocus}>{isPaid ? words.summary.confirmed : words.summary.booked}</Heading>
      <p>{fill(words.summary.reference, { reference: booking_ref })}</p>
      <Summary tour={tour} sale={booking} />
      {!isPaid && deposit_total > 0 && deposit_total < total_price && (
        <p>{fill(words.summary.deposit, { amount: formats.money(deposit_total, currency) })}</p>
      )}
      {!isPaid && total_price > 0 && payment_due_at !== null && (
        <p>{fill(words.summary.payUntil, { time: formats.instant(payment_due_at) })}</p>
      )}
      {!isPaid && next !== undefined && (
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
