import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, Heading } from './parts.tsx';
import { endsByMinutes, type Price } from './purchase.ts';
import { useSpeech } from './speech.ts';
import type { Hold } from './wire.ts';
import { fill } from './words/words.ts';

/** A screen reader hears the rest of the time when so many seconds are left. */
const ANNOUNCED = [60, 300];
/** The visitor can extend the hold when so many seconds are left, and at most half of its time. */
const EXTENDABLE_FROM = 300;
/** The countdown is conspicuous when so many seconds are left. */
const LOUD_FROM = 180;

interface CountdownProps {
  endsAt: number;
  hold: Hold;
  isOff: boolean;
  onExtend(): void;
  /** Is called each second from the end on, until the stage changes. */
  onEnd(): void;
}

/** Shows how long the seats are held. */
export function Countdown({ endsAt, hold, isOff, onExtend, onEnd }: CountdownProps) {
  const { words, formats } = useSpeech();
  const left = useSecondsLeft(endsAt);
  useEffect(() => {
    if (left <= 0) onEnd();
  }, [left]);
  const isExtendable = endsByMinutes(hold) && left <= Math.min(EXTENDABLE_FROM, hold.hold_minutes * 30);
  const announced = ANNOUNCED.find((seconds) => left <= seconds);
  // The text stays until the next announcement, so that a reader hears each one once.
  const minutes = useMemo(
    () => formats.duration(`${Math.max(1, Math.ceil(left / 60))}m`),
    [announced, formats],
  );
  const box = useRef<HTMLDivElement>(null);
  /** Read before the button of an extended hold disappears. The visitor may have left it while the answer was on its way. */
  const hadFocus = box.current?.matches(':focus-within');
  useLayoutEffect(() => {
    if (hadFocus) box.current!.focus();
  }, [isExtendable]);
  return (
    <div ref={box} part="countdown" class={left <= LOUD_FROM ? 'countdown loud' : 'countdown'} tabIndex={-1}>
      <p>
        {words.hold.left} <span role="timer">{formats.countdown(Math.max(0, left))}</span>
      </p>
      <p role="status" class="visually-hidden">
        {announced !== undefined && `${words.hold.left} ${minutes}`}
      </p>
      {isExtendable && (
        <Button isSecondary isOff={isOff} onClick={onExtend}>
          {words.hold.extend}
        </Button>
      )}
    </div>
  );
}

/** Counts by the clock and not by the ticks, because a tab in the background ticks seldom. Below 0: the time is over. */
function useSecondsLeft(endsAt: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.ceil((endsAt - now) / 1000);
}

interface ChangedPriceProps {
  seen: Price;
  hold: Hold;
  onAccept(): void;
}

/** Shows that the total differs from the one that the visitor saw. The form follows after the visitor has accepted it. */
export function ChangedPrice({ seen, hold, onAccept }: ChangedPriceProps) {
  const { words, formats } = useSpeech();
  const { total_price, currency } = hold;
  return (
    <div part="problem" class="problem" role="group">
      <Heading takesFocus>{words.problem.price}</Heading>
      <p>
        <del>{formats.money(seen.total_price, seen.currency)}</del>{' '}
        <ins>{formats.money(total_price, currency)}</ins>
      </p>
      <Button onClick={onAccept}>
        {fill(words.hold.acceptPrice, { total: formats.money(total_price, currency) })}
      </Button>
    </div>
  );
}
