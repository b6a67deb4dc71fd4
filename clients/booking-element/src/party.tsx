import { categoryName } from './category-names.ts';
import { digitsOf } from './formats.ts';
import {
  categoryFault,
  changeParty,
  limitOf,
  type PartyFault,
  sizeFault,
  stepOf,
  totalOf,
  UNITS_MAX,
  unitsOf,
} from './party-rules.ts';
import { type Speech, useSpeech } from './speech.ts';
import type { Category, Departure, Party as Units, Tour } from './wire.ts';
import { fill } from './words/words.ts';

export interface PartyProps {
  tour: Tour;
  departure: Departure;
  party: Units;
  onChange(party: Units): void;
}

/** Shows a stepper for each category that the departure sells, the rules that the party breaks, and its total. */
export function Party({ tour: { categories }, departure, party, onChange }: PartyProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const { tenant_prices: prices, currency, seats_available } = departure;
  const sold = categories.filter(({ code }) => prices[code] !== undefined);
  const digits = digitsOf(currency);
  const limits = sold.map((category) => limitOf(category, party, sold, seats_available));
  const ofParty = sizeFault(party, sold, seats_available);
  const full = ofParty ?? limits.find((limit) => limit && limit.category === undefined);
  return (
    <section part="party" class="party" aria-labelledby="party-title">
      <h2 id="party-title">{words.party.title}</h2>
      <ul>
        {sold.map((category, index) => (
          <Stepper
            key={category.code}
            category={category}
            price={formats.money(prices[category.code]!, currency)}
            units={unitsOf(party, category.code)}
            fault={categoryFault(category.code, party, sold, prices)}
            limit={limits[index]}
            categories={sold}
            onChange={(units) => onChange(changeParty(party, category.code, units, sold))}
          />
        ))}
      </ul>
      <p role="status" class={ofParty ? 'fault' : 'limit'}>
        {full && faultWords(full, sold, speech)}
      </p>
      <p part="total" class="total">
        <span>{words.party.total}</span>
        <output>{formats.money(totalOf(party, prices, digits) / 10 ** digits, currency)}</output>
      </p>
    </section>
  );
}

interface StepperProps {
  category: Category;
  /** The price of one unit, as it is shown. */
  price: string;
  units: number;
  fault: PartyFault | undefined;
  /** Why the party cannot have another unit. */
  limit: PartyFault | undefined;
  categories: readonly Category[];
  onChange(units: number): void;
}

function Stepper({ category, price, units, fault, limit, categories, onChange }: StepperProps) {
  const speech = useSpeech();
  const name = categoryName(category, speech.words);
  const [input, detail, note] = ['units', 'detail', 'note'].map((part) => `${part}-${category.code}`);
  /** A limit of the whole party is shown once, below all categories. */
  const rule = fault ?? (limit?.category === undefined ? undefined : limit);
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
        <StepButton sign="minus" category={name} isDisabled={units === 0} onClick={() => step(-1)} />
        <input
          id={input}
          type="number"
          inputMode="numeric"
          min={0}
          max={UNITS_MAX}
          value={units}
          aria-describedby={rule ? `${detail} ${note}` : detail}
          aria-invalid={fault !== undefined}
          onKeyDown={onKeyDown}
          onInput={(event) => onChange(typedUnits(event.currentTarget))}
        />
        <StepButton sign="plus" category={name} isDisabled={limit !== undefined} onClick={() => step(1)} />
      </div>
      <p id={note} role="status" class={fault ? 'fault' : 'limit'}>
        {rule && faultWords(rule, categories, speech)}
      </p>
    </li>
  );
}

interface StepButtonProps {
  sign: 'minus' | 'plus';
  category: string;
  isDisabled: boolean;
  onClick(): void;
}

/** Stays focusable at a limit, so that the focus is not lost there. */
function StepButton({ sign, category, isDisabled, onClick }: StepButtonProps) {
  return (
    <button
      type="button"
      class={`icon ${sign}`}
      aria-label={`${category}: ${sign === 'plus' ? '+1' : '−1'}`}
      aria-disabled={isDisabled}
      onClick={() => !isDisabled && onClick()}
    />
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
function faultWords(fault: PartyFault, categories: readonly Category[], speech: Speech): string {
  const { words, formats } = speech;
  const nameOf = (code: string) => {
    const category = categories.find((one) => one.code === code);
    return category ? categoryName(category, words) : code;
  };
  const texts = { ...words.party.faults, none: words.party.title, free: words.times.seatsLeft };
  return fill(texts[fault.kind], {
    category: fault.category === undefined ? '' : nameOf(fault.category),
    number: formats.number(fault.number ?? 0),
    others: formats.either((fault.others ?? []).map(nameOf)),
  });
}
