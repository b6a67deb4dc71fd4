import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { categoryName } from './category-names.ts';
import { boundsOf, changeParty, limitOf, stepOf } from './party-choice.ts';
import {
  categoryIssue,
  type PartyIssue,
  sizeIssue,
  soldCategories,
  UNITS_MAX,
  unitsOf,
} from './party-rules.ts';
import { IconButton } from './parts.tsx';
import { type Speech, useSpeech } from './speech.ts';
import type { Category, Departure, Party, Tour } from './wire.ts';
import { fill } from './words/words.ts';

export interface PartyPickerProps {
  tour: Tour;
  departure: Departure;
  party: Party;
  /** The categories that have left the party without a click on them. */
  unsold: readonly Category[];
  onChange(party: Party): void;
}

/** The categories that are shown. "More" unfolds the others. */
const UNFOLDED = 4;

/** Shows a stepper for each category that the departure sells, and the rules that the party breaks. */
export function PartyPicker({ tour, departure, party, unsold, onChange }: PartyPickerProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const { tenant_prices: prices, currency } = departure;
  const sold = soldCategories(tour.categories, prices);
  const bounds = boundsOf(departure, tour);
  const limits = sold.map((category) => limitOf(category, party, sold, bounds));
  const ofParty = sizeIssue(party, sold, bounds);
  const full = ofParty ?? limits.find((limit) => limit && limit.category === undefined);
  const folded = sold.slice(UNFOLDED);
  const steppers = sold.map((category, index) => (
    <Stepper
      key={category.code}
      category={category}
      price={formats.money(prices[category.code]!, currency)}
      units={unitsOf(party, category.code)}
      issue={categoryIssue(category.code, party, sold, prices)}
      limit={limits[index]}
      categories={sold}
      onChange={(units) => onChange(changeParty(party, category.code, units, sold))}
    />
  ));
  return (
    <section part="party" class="party" aria-labelledby="party-title">
      <h2 id="party-title">{words.party.title}</h2>
      <ul>{steppers.slice(0, UNFOLDED)}</ul>
      {folded.length > 0 && (
        <More categories={folded} isWanted={folded.some(({ code }) => unitsOf(party, code) > 0)}>
          <ul>{steppers.slice(UNFOLDED)}</ul>
        </More>
      )}
      <p role="status" class={ofParty || unsold.length > 0 ? 'error' : 'limit'}>
        {[
          ...unsold.map((one) => fill(words.party.unsold, { category: categoryName(one, words) })),
          ...(full ? [issueWords(full, sold, speech)] : []),
        ].join(' · ')}
      </p>
    </section>
  );
}

interface MoreProps {
  categories: readonly Category[];
  /** True: the party has units of these categories. */
  isWanted: boolean;
  children: ComponentChildren;
}

/** Folds categories until the visitor or the party needs them. */
function More({ categories, isWanted, children }: MoreProps) {
  const { words } = useSpeech();
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isWanted) details.current!.open = true;
  }, [isWanted]);
  return (
    <details ref={details} class="more">
      <summary>
        <span>
          {words.sale.more}
          <span class="detail">{categories.map((one) => categoryName(one, words)).join(' · ')}</span>
        </span>
      </summary>
      {children}
    </details>
  );
}

interface StepperProps {
  category: Category;
  /** The price of one unit, as it is shown. */
  price: string;
  units: number;
  issue: PartyIssue | undefined;
  /** Why the party cannot have another unit. */
  limit: PartyIssue | undefined;
  categories: readonly Category[];
  onChange(units: number): void;
}

function Stepper({ category, price, units, issue, limit, categories, onChange }: StepperProps) {
  const speech = useSpeech();
  const name = categoryName(category, speech.words);
  const [input, detail, note] = ['units', 'detail', 'note'].map((part) => `${part}-${category.code}`);
  /** A limit of the whole party is shown once, below all categories. */
  const rule = issue ?? (limit?.category === undefined ? undefined : limit);
  const step = (direction: 1 | -1) => {
    if (direction === -1 || limit === undefined) onChange(stepOf(units, direction, category));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = ({ ArrowUp: 1, ArrowDown: -1 } as const)[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    step(direction);
  };
  return (
    <li class="category">
      <div class="about">
        <label for={input}>{name}</label>
        <p id={detail} class="detail">
          {[...detailsOf(category, speech), price].map((text) => (
            <span key={text}>{text}</span>
          ))}
        </p>
      </div>
      <div class="stepper">
        <IconButton sign="minus" name={`${name}: −1`} onClick={units > 0 && (() => step(-1))} />
        <input
          id={input}
          type="number"
          inputMode="numeric"
          min={0}
          max={UNITS_MAX}
          value={units}
          aria-describedby={rule ? `${detail} ${note}` : detail}
          aria-invalid={issue !== undefined}
          onKeyDown={onKeyDown}
          onInput={(event) => onChange(typedUnits(event.currentTarget))}
        />
        <IconButton sign="plus" name={`${name}: +1`} onClick={!limit && (() => step(1))} />
      </div>
      <p id={note} role="status" class={issue ? 'error' : 'limit'}>
        {rule && issueWords(rule, categories, speech)}
      </p>
    </li>
  );
}

function typedUnits({ value }: HTMLInputElement): number {
  const typed = Math.trunc(Number(value));
  return Math.min(Math.max(typed || 0, 0), UNITS_MAX);
}

/** An oldest age from which on a category has no limit. */
const NO_OLDEST_AGE = 99;

/** Returns the ages and the number of people of a category, in words. */
function detailsOf({ age_from = 0, age_to = NO_OLDEST_AGE, people }: Category, speech: Speech): string[] {
  const { words, formats } = speech;
  const details: string[] = [];
  const from = formats.number(age_from);
  const ages = age_to < NO_OLDEST_AGE ? `${from}–${formats.number(age_to)}` : `${from}+`;
  if (age_from > 0 || age_to < NO_OLDEST_AGE) details.push(fill(words.party.ages, { ages }));
  if (people > 1) details.push(fill(words.party.people, { number: formats.number(people) }));
  return details;
}

/** Returns what is wrong with a party, in words. */
function issueWords(issue: PartyIssue, categories: readonly Category[], speech: Speech): string {
  const { words, formats } = speech;
  const nameOf = (code: string) => {
    const category = categories.find((one) => one.code === code);
    return category ? categoryName(category, words) : code;
  };
  const texts = {
    ...words.party.issues,
    none: words.party.issues.min,
    unsold: words.party.issues.max,
    seats: words.party.issues.max,
    free: words.times.seatsLeft,
  };
  const whole = issue.kind === 'seats' ? words.party.seats : words.summary.party;
  return fill(texts[issue.kind], {
    category: issue.category === undefined ? whole : nameOf(issue.category),
    number: formats.number(issue.number ?? 1),
    others: formats.either((issue.others ?? []).map(nameOf)),
  });
}
