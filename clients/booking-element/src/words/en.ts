/** The words of the element in English. `{…}` is filled in; each text is worded so that a number needs no plural. */
export const en = {
  calendar: {
    /** The name of the calendar. */
    title: 'Choose a date',
    previous: 'Previous month',
    next: 'Next month',
    /** {category}: such as Adult. {currency}: such as EUR. Explains the amounts under the days. */
    prices: 'Price from for one {category}, in {currency}',
    from: 'from {price}',
    few: 'Few left',
    soldOut: 'Sold out',
    closed: 'Closed',
    cancelled: 'Cancelled',
    /** A day without a departure, for screen readers. */
    none: 'No departure',
    chosen: 'Chosen',
    /** The tour has no departure. */
    noDates: 'No dates at the moment',
  },
  times: {
    title: 'Choose a start time',
    /** A departure without a start time. */
    noTime: 'Without a fixed time',
    seatsLeft: 'Seats left: {number}',
  },
  party: {
    title: 'Who is coming?',
    fewer: 'One fewer: {category}',
    more: 'One more: {category}',
    ages: 'Ages {from} to {to}',
    agesFrom: 'From age {from}',
    agesTo: 'Up to age {to}',
    /** One unit is for several travellers, such as a family ticket. */
    people: 'For {number} people',
    total: 'Total',
    seatsLeft: 'Seats left: {number}',
    /** The names of categories that have no name of their own. */
    kinds: {
      adult: 'Adult',
      youth: 'Youth',
      child: 'Child',
      infant: 'Infant',
      senior: 'Senior',
      student: 'Student',
      family: 'Family',
      military: 'Military',
      group: 'Group',
      supplement: 'Supplement',
      other: 'Other',
    },
    /** The name of the category with the code single_supplement. */
    singleSupplement: 'Single supplement',
    faults: {
      min: '{category}: at least {number} in one booking',
      max: '{category}: at most {number} in one booking',
      with: '{category}: only together with {others}',
      at_most: '{category}: not more than the number of {others}',
      unsold: '{category}: not sold on this date',
      none: 'Choose at least one person who takes a seat.',
      seats: 'One booking can take at most {number} seats.',
      units: 'One booking can have at most {number} items.',
      free: 'Seats left on this departure: {number}',
    },
  },
};

export type Words = typeof en;
