import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Answered } from './answered.tsx';
import { Calendar } from './calendar.tsx';
import { ContactForm } from './contact.tsx';
import { problemOfHold } from './departure-problem.ts';
import { departureText } from './departure-text.ts';
import { ChangedPrice, Countdown } from './hold.tsx';
import { PartyPicker } from './party.tsx';
import { boundsOf } from './party-choice.ts';
import { partyIssue } from './party-rules.ts';
import { Button, Heading, useFocusAtStart } from './parts.tsx';
import { Pay } from './pay.tsx';
import { Refused } from './problem.tsx';
import {
  departureOf,
  departuresOnDate,
  isRefusedForGood,
  type Price,
  type Purchase,
  type PurchaseEvent,
  saleOf,
  type Stage,
} from './purchase.ts';
import { type Speech, SpeechContext, speechOf, useSpeech } from './speech.ts';
import { Steps } from './steps.tsx';
import { Booked, holdText, Seller, Summary } from './summary.tsx';
import { Terms } from './terms.tsx';
import { Times } from './times.tsx';
import { TourHead } from './tour-head.tsx';
import type { Actions, Site } from './purchase-calls.ts';
import { usePurchase } from './use-purchase.ts';
import type { Booking, Tour } from './wire.ts';
import { fill } from './words/words.ts';

interface AppProps {
  site: Site;
  /** Returns the address to which a visitor goes with a booking. */
  nextOf(booking: Booking): string | undefined;
}

/** The whole element: the stage of the purchase, in the language of the tag. */
export function App({ site, nextOf }: AppProps) {
  const [purchase, dispatch, actions] = usePurchase(site);
  const speech = useMemo(() => speechOf(site.lang), [site.lang]);
  return (
    <SpeechContext value={speech}>
      {/* A translator of the browser would replace texts that change, and leave an old total. */}
      <div class="element" lang={speech.locale} dir={speech.direction} translate={false}>
        <StageView
          purchase={purchase}
          dispatch={dispatch}
          actions={actions}
          seller={site.seller}
          nextOf={nextOf}
        />
        <Status purchase={purchase} onStop={actions.stop} />
      </div>
    </SpeechContext>
  );
}

/** Says what the visitor waits for, with a way to stop it, and what has changed without a click. Screen readers hear it. */
function Status({ purchase, onStop }: { purchase: Purchase; onStop(): void }) {
  const speech = useSpeech();
  const { words } = speech;
  const { task, wait } = purchase;
  const waits = { short: words.app.loading, delayed: words.problem.busy, slow: words.app.slow };
  return (
    <>
      <p role="status" class={task ? 'busy' : 'visually-hidden'}>
        {task ? waits[wait] : [stageText(purchase, speech), ' ', elsewhereText(purchase, speech)]}
      </p>
      {task && wait === 'slow' && (
        <Button isSecondary onClick={onStop}>
          {words.app.stop}
        </Button>
      )}
    </>
  );
}

/** Returns what a stage says that has come without a click, or the departure of an alternative that was clicked. */
function stageText({ stage, date, time = null }: Purchase, { words, formats }: Speech): string | undefined {
  if (stage.at === 'ended') return words.problem[stage.reason];
  if (stage.at !== 'choosing' || !stage.isOffered || !date) return undefined;
  return departureText({ departure_date: date, departure_time: time }, formats);
}

/** Returns the seats of this tour that the visitor holds in another tab, in words. Undefined: there are none that can be booked. */
function elsewhereText(purchase: Purchase, speech: Speech): string | undefined {
  const { otherSeats, tour, stage } = purchase;
  if (stage.at === 'failed' || !tour || otherSeats?.hold.tour.id !== tour.id) return undefined;
  if (problemOfHold(purchase.departures, otherSeats.hold)) return undefined;
  return fill(speech.words.hold.elsewhere, { seats: holdText(tour, otherSeats.hold, speech) });
}

interface StageProps {
  purchase: Purchase;
  dispatch(event: PurchaseEvent): void;
  actions: Actions;
  /** The name of who sells. */
  seller: string;
}

function StageView({ nextOf, ...props }: StageProps & Pick<AppProps, 'nextOf'>) {
  const { purchase, actions } = props;
  const { stage, tour } = purchase;
  if (tour && stage.at === 'choosing') return <Choosing {...props} tour={tour} />;
  if (tour && stage.at === 'held') return <Held {...props} tour={tour} stage={stage} />;
  if (tour && stage.at === 'ended') return <Ended {...props} tour={tour} stage={stage} />;
  if (tour && stage.at === 'booked')
    return (
      <Booked
        key={stage.booking.booking_ref}
        tour={tour}
        booking={stage.booking}
        contact={stage.contact}
        seller={props.seller}
        takesFocus={purchase.isTouched}
        next={nextOf(stage.booking)}
        onAgain={() => actions.startAgain('startedAgain')}
      />
    );
  return (
    <>
      <slot />
      <Refused {...props} onAgain={actions.load} />
    </>
  );
}

/** The calendar, the start times, the party, and the button that holds the seats. A click on a date or a time brings the next choice into sight. */
function Choosing(props: StageProps & { tour: Tour }) {
  const { purchase, dispatch, actions, tour } = props;
  const { departures, date, time, party, hasAllDepartures } = purchase;
  const { words } = useSpeech();
  /** The month that the visitor has turned to. The choice of another date shows its month again. */
  const [turned, setTurned] = useState<{ month: string; date: string | undefined }>();
  const step = useFocusAtStart<HTMLDivElement>(purchase.isTouched);
  const { stage } = purchase;
  const find = (selector: string) => step.current?.querySelector<HTMLElement>(selector);
  useEffect(() => {
    if (stage.at === 'choosing' && stage.isOffered)
      (find('[aria-pressed=true]') ?? find('[aria-selected=true] button') ?? step.current)?.focus();
  }, [stage]);
  const hasClicked = useRef(false);
  useEffect(() => {
    if (hasClicked.current) (find('.party') ?? find('.times'))?.scrollIntoView({ block: 'nearest' });
    hasClicked.current = false;
  }, [date, time]);
  const choose = (chosen: string, chosenTime?: string | null) => {
    hasClicked.current = true;
    dispatch({ type: 'chosen', date: chosen, time: chosenTime });
  };
  const departure = departureOf(purchase);
  const onDate = departuresOnDate(purchase);
  const isShown = departures.some(({ status }) => status === 'available' || status === 'sold_out');
  if (tour.categories.length === 0 || (hasAllDepartures && !isShown)) {
    return (
      <>
        <Refused {...props} onAgain={actions.hold} />
        <p>{words.calendar.noDates}</p>
        <slot />
      </>
    );
  }
  return (
    <div class="step" ref={step} tabIndex={-1}>
      <Steps current={departure ? 'guests' : 'date'} />
      <TourHead tour={tour} />
      <Calendar
        departures={departures}
        chosenDate={date}
        month={turned?.date === date ? turned?.month : date?.slice(0, 7)}
        onMonth={(month) => setTurned({ month, date })}
        onChoose={choose}
        tour={tour}
      />
      {onDate.length > 1 && (
        <Times
          departures={onDate}
          chosen={departure}
          onChoose={(chosen) => choose(date!, chosen)}
          tour={tour}
        />
      )}
      {departure && (
        <PartyPicker
          tour={tour}
          departure={departure}
          party={party}
          unsold={purchase.unsold}
          onChange={(changed) => dispatch({ type: 'partyChanged', party: changed })}
        />
      )}
      <Terms tour={tour} sale={saleOf(purchase)} />
      {departure && (
        <HoldButton
          {...props}
          price={saleOf(purchase)!}
          isOff={
            partyIssue(party, tour.categories, departure.tenant_prices, boundsOf(departure, tour)) !==
            undefined
          }
        />
      )}
      <Refused {...props} onAgain={actions.hold} />
    </div>
  );
}

interface HoldButtonProps extends StageProps {
  /** The price of the seats. */
  price: Price;
  isOff?: boolean;
}

/** The button that holds the seats. Says before the click that another live hold ends by it; one of this tour the visitor may go on with. */
function HoldButton({ purchase, dispatch, actions, price, isOff = false }: HoldButtonProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const { tour, departures, task, otherSeats } = purchase;
  const elsewhere = elsewhereText(purchase, speech);
  const live = otherSeats && otherSeats.endsAt > Date.now() ? otherSeats.hold : undefined;
  return (
    <>
      {live && elsewhere && (
        <div part="problem" class="problem" role="group">
          <p>{elsewhere}</p>
          <Button isOff={task !== undefined} onClick={() => dispatch({ type: 'otherAccepted' })}>
            {fill(words.hold.acceptPrice, { total: formats.money(live.total_price, live.currency) })}
          </Button>
        </div>
      )}
      {live && <p>{words.hold.replaces}</p>}
      <Pay tour={tour!} departures={departures} price={price}>
        <Button
          isSecondary={live && elsewhere !== undefined}
          isOff={isOff || task !== undefined}
          onClick={actions.hold}
        >
          {words.hold.hold}
        </Button>
      </Pay>
    </>
  );
}

type HeldStage = Extract<Stage, { at: 'held' }>;

/**
 * The countdown, a total that has changed, and then the form, the terms and the button that books. In place of them, why a departure that
 * was cancelled or closed cannot be booked.
 */
function Held(props: StageProps & { tour: Tour; stage: HeldStage }) {
  const { purchase, dispatch, actions, tour, stage, seller } = props;
  const { task, contact, departures, refusal, isTouched } = purchase;
  const { hold, endsAt, seen } = stage;
  const { words, formats } = useSpeech();
  const isBusy = task !== undefined;
  const release = (
    <Button isSecondary isOff={isBusy} onClick={actions.release}>
      {words.hold.release}
    </Button>
  );
  if (isRefusedForGood(purchase))
    return (
      <div part="hold" class="step">
        <Refused {...props} onAgain={actions.book} />
        <Summary tour={tour} sale={hold} />
        {release}
      </div>
    );
  return (
    <div part="hold" class="step" key={hold.hold_id}>
      <Steps current="details" />
      <div class="title">
        {/* Takes the focus again when the button that accepts a total disappears. */}
        <Heading key={seen?.total_price} takesFocus={isTouched}>
          {words.hold.held}
        </Heading>
        <Countdown
          endsAt={endsAt}
          hold={hold}
          isOff={isBusy}
          onExtend={actions.extend}
          onEnd={() => dispatch({ type: 'timeOver' })}
        />
      </div>
      {seen && <ChangedPrice seen={seen} hold={hold} onAccept={() => dispatch({ type: 'totalAccepted' })} />}
      {!seen ? (
        <ContactForm
          contact={contact}
          hold={hold}
          tour={tour}
          problem={refusal?.task === 'book' ? refusal.problem : undefined}
          onChange={(changed) => dispatch({ type: 'contactChanged', changed })}
          onBook={actions.book}
        >
          <div class="review">
            <Summary tour={tour} sale={hold}>
              <Answered tour={tour} sale={hold} contact={contact} />
            </Summary>
            <Terms tour={tour} sale={hold} />
            <Seller name={seller} />
          </div>
          <Pay tour={tour} departures={departures} price={hold} isTotalNamed>
            <Button isOff={isBusy}>
              {fill(words.contact.book, { total: formats.money(hold.total_price, hold.currency) })}
            </Button>
          </Pay>
        </ContactForm>
      ) : (
        <Summary tour={tour} sale={hold} />
      )}
      <Refused {...props} onAgain={refusal?.task === 'extend' ? actions.extend : actions.book} />
      {release}
    </div>
  );
}

type EndedStage = Extract<Stage, { at: 'ended' }>;

function Ended(props: StageProps & { tour: Tour; stage: EndedStage }) {
  const { purchase, actions, tour, stage } = props;
  const speech = useSpeech();
  const { words } = speech;
  const isBusy = purchase.task !== undefined;
  return (
    <div class="step">
      <Steps current="guests" />
      <Heading takesFocus={purchase.isTouched}>{words.problem[stage.reason]}</Heading>
      <p>{words.hold.overText}</p>
      <p>{holdText(tour, stage.hold, speech)}</p>
      {!isRefusedForGood(purchase) && <HoldButton {...props} price={stage.hold} />}
      <Refused {...props} onAgain={actions.hold} />
      <Button isSecondary isOff={isBusy} onClick={() => actions.startAgain('returned')}>
        {words.calendar.title}
      </Button>
    </div>
  );
}
