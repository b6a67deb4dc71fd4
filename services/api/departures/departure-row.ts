import { describeRow, type Fields, selected, stored, time } from '../../platform/database/row-description';
import { CLOSES_EARLY_AT, datedTiers, PAST_FROM, pastAt, SALES_END_AT } from '../catalog/departure-state';
import { START_TIME } from '../catalog/start-time';
import { TOUR_ASKS } from '../catalog/tour-asks';
import { categoriesOf } from '../parties/category';
import { type Departure, type ENDS_OF_SALE, type ListedDeparture, type LockedDeparture } from './departure';

/** The SQL of each fact that ends the sale of the departure `d`. */
export const END_OF_SALE_SQL: Record<(typeof ENDS_OF_SALE)[number]['fact'], string> = {
  cancelled: "(d.status = 'cancelled')",
  past: `(${pastAt('clock.at')})`,
  closed: `coalesce(${CLOSES_EARLY_AT} <= clock.at, false)`,
};

/**
 * Returns the SQL of Departure.seatsOfResources. Calls the function only for a departure that uses resources.
 * @param sandbox as departureFields has it
 */
function seatsOfResources(sandbox: string): string {
  return `case when coalesce(d.uses, t.uses) is not null
    then (select leaves from count_seats_of_resources(d.id, ${sandbox}, clock.at)) end`;
}

/** The SQL of seatsLeft(), for a departure `d` of the tour `t`. LEAST leaves out a null. @param sandbox as departureFields has it */
export function seatsLeftSql(sandbox: string): string {
  return `least(d.seats_total - (select taken from count_seats(d.id, ${sandbox}, clock.at)), ${seatsOfResources(sandbox)})`;
}

/**
 * Describes a departure `d` of the tour `t`, at the clock reading `clock.at`. count_seats (0161_statuses.sql) counts the seats that all real
 * tenants, or all sandbox tenants, have taken.
 * @param sandbox an SQL expression; true: counts seats of the sandbox, false: counts real seats
 */
function departureFields(sandbox: string): Fields<Departure> {
  return {
    id: stored('d.id'),
    tour: {
      id: stored('d.tour_id'),
      continent: selected('t.continent'),
      currency: selected('t.currency'),
      currencyDigits: selected('t.currency_digits'),
      categories: stored('t.categories', { toField: categoriesOf }),
    },
    departureDate: stored('d.departure_date'),
    startTime: selected(START_TIME),
    returnDate: stored('d.return_date'),
    seatsTotal: stored('d.seats_total'),
    seatsTaken: selected(`(select taken from count_seats(d.id, ${sandbox}, clock.at))`),
    seatsOfResources: selected(seatsOfResources(sandbox)),
    sandbox: selected(sandbox),
    cancelled: selected(END_OF_SALE_SQL.cancelled),
    past: selected(END_OF_SALE_SQL.past),
    closed: selected(END_OF_SALE_SQL.closed),
    prices: stored('d.prices_minor'),
    asOf: time('clock.at'),
  };
}

/** Describes a departure in a list. @param sandbox as departureFields has it */
export function listedFields(sandbox: string): Fields<ListedDeparture> {
  return {
    ...departureFields(sandbox),
    salesEndAt: time(SALES_END_AT),
    closesBefore: stored('d.closes_before'),
  };
}

/** A departure, for the parameter `:sandbox`. */
export const DEPARTURE_ROW = describeRow<Departure>(departureFields(':sandbox::boolean'));

/** A departure in a list, for the parameter `:sandbox`. */
export const LISTED_ROW = describeRow<ListedDeparture>(listedFields(':sandbox::boolean'));

/** SQL of the resources that the departure `d` uses. */
const RESOURCE_IDS = `case when coalesce(d.uses, t.uses) is null then '{}'::uuid[]
  else array(select u.resource_id from departure_uses u where u.departure_id = d.id order by u.resource_id) end`;

/**
 * A locked departure, for one of the kinds of seats `k`. The seats of resources that are all among the locked `:countedResources` are left out:
 * Trips counts them.
 */
export const LOCKED_ROW = describeRow<Omit<LockedDeparture, 'scarceResource'>>({
  ...departureFields('k.sandbox'),
  tiers: selected(datedTiers('t')),
  asks: selected(TOUR_ASKS),
  closingAt: selected(SALES_END_AT),
  pastAt: selected(PAST_FROM),
  seatsOfResources: selected(
    `case when coalesce(d.uses, t.uses) is not null and not (${RESOURCE_IDS}) <@ :countedResources::uuid[]
      then (select leaves from count_seats_of_resources(d.id, k.sandbox, clock.at)) end`,
  ),
  resourceIds: selected(RESOURCE_IDS),
});
