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
  app: {
    /** A call is running. */
    busy: 'Loading…',
    /** A call waits before it is repeated. */
    waiting: 'One moment, many people are booking…',
  },
  hold: {
    hold: 'Hold the seats',
    held: 'Your seats are held',
    left: 'Time left to book:',
    /** {time}: such as 5 minutes. */
    announced: '{time} left to book',
    extend: 'Give me more time',
    release: 'Change the date or the party',
    newPrice: 'The price has changed',
    newPriceText: 'You saw {before}. The total is {now} now.',
    acceptPrice: 'Continue with {total}',
    over: {
      time: 'The time to book is over',
      /** The seats were released, or others were held, in another tab. */
      elsewhere: 'These seats are no longer held for you',
    },
    overText: 'The seats are free again. Nothing was booked.',
    again: 'Hold the seats again',
    chooseAgain: 'Choose another date',
  },
  contact: {
    title: 'Your contact details',
    name: 'Name',
    phone: 'Phone',
    email: 'E-mail',
    notes: 'Notes (optional)',
    travellers: 'Names of the travellers (optional)',
    firstName: 'First name',
    lastName: 'Last name',
    birthDate: 'Date of birth (optional)',
    /** {total}: such as €979. */
    book: 'Book for {total}',
    missing: 'Please fill in this field.',
    invalid: 'Please check this field.',
    invalidPhone: 'Please enter a phone number, such as +49 30 901820.',
    invalidEmail: 'Please enter an e-mail address, such as ana@example.com.',
  },
  problem: {
    again: 'Try again',
    alternatives: 'These departures have enough seats:',
    /** {departure}: such as Saturday, March 6, 2027, 9:30 AM. */
    alternative: '{departure}. Seats left: {number}',
    network: 'There is no connection. Check it, then try again: nothing is booked twice.',
    noCookies: 'Booking needs cookies. Allow them for this site, then reload the page.',
    busy: 'Many people are booking at the moment. Please try again.',
    wait: 'Too many tries. Please try again later. Minutes to wait: {minutes}',
    noTour: 'This tour is not sold here.',
    gone: 'This departure can no longer be booked.',
    cancelled: 'This departure is cancelled.',
    tooFew: 'There are too few seats on this departure. Seats left: {number}',
    soldOut: 'This departure is sold out.',
    allSold: 'This departure is sold out, and so are the next ones.',
    limit: 'So many seats cannot be held at once. Choose fewer, or try again later.',
    holdOver: 'These seats are no longer held for you.',
    price: 'The price has changed. Please look at the new total.',
    invalid: 'Please check what you have entered.',
    tooLong: 'The text is too long. Please shorten it.',
    failed: 'Something went wrong. Please try again.',
  },
  terms: {
    title: 'Cancellation',
    /** {time}: such as 36 hours. {percent}: such as 50%. Worded so that the time is in the nominative case, as Intl writes it. */
    until: 'Until {time} before the start: {percent} refunded',
    untilStart: 'Until the start: {percent} refunded',
    after: 'After that: nothing refunded',
    never: 'The price is not refunded.',
  },
  summary: {
    tour: 'Tour',
    date: 'Date',
    party: 'Party',
    total: 'Total',
    booked: 'Your seats are booked',
    /** The booking is paid. */
    confirmed: 'Your booking is confirmed',
    reference: 'Booking reference: {reference}',
    deposit: 'Due now: {amount}',
    pay: 'Continue to payment',
    again: 'Book again',
  },
};

export type Words = typeof en;
