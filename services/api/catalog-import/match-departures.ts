/**
 * Builds the SQL that finds the stored departure of a row in a file: by tour, date and start time. A row or departure without a start time
 * gets the start time that the tour has after the import.
 */

/**
 * Returns the SQL of the start time of a tour after the import: the start time of the entry `s`, otherwise the stored start time of the
 * tour `t`.
 */
export function startTimeAfter(entry: string, tour: string): string {
  return `case when jsonb_exists(${entry}.columns, 'start_time') then ${entry}.columns->>'start_time' else ${tour}.start_time end`;
}

/** Returns the SQL that is true for the only row of its date. */
export function isOnlyRow(row: string): string {
  return `not exists (
    select from shared_dates x where x.entry = ${row}.entry and x.departure_date = ${row}.departure_date)`;
}

/**
 * Returns the SQL that is true if a row of a file means the stored departure. Both must have the same tour, date and start time. A row
 * without a start time also means the only departure of the date, so that files without times keep working. This exception does not apply
 * to a row that a schedule describes. No date has two departures without a time.
 */
export function isMeant(row: string, departure: string, tourTime: string): string {
  return `(coalesce(${departure}.start_time, ${tourTime}) is not distinct from coalesce(${row}.start_time, ${tourTime})
    or (${row}.start_time is null and not ${row}.is_scheduled and ${isOnlyRow(row)} and not exists (
      select from departures o
      where o.tour_id = ${departure}.tour_id and o.departure_date = ${departure}.departure_date and o.id <> ${departure}.id)))`;
}

/**
 * Returns the SQL that is true if a staged row means the departure. A row with a `position` is compared as in isMeant. A row without a
 * `position` marks a departure that the file lacks: it means the departure with its `departure_id`, if the start time is still the same.
 */
export function isStagedFor(row: string, departure: string, tourTime: string): string {
  return `case when ${row}.position is null
    then ${departure}.id = ${row}.departure_id
      and coalesce(${departure}.start_time, ${tourTime}) is not distinct from ${row}.start_time
    else ${isMeant(row, departure, tourTime)} end`;
}

/** Returns the SQL of a departure's name in messages, in the form that nameDeparture of start-time.ts uses. */
export function departureName(date: string, time: string): string {
  return `concat_ws(' ', ${date}, ${time})`;
}

/** Returns the SQL of the time at which a staged departure begins after the import. */
export function beginsAt(departure: string, tour: string): string {
  return `coalesce(${departure}.start_time, ${tour}.start_time)`;
}
