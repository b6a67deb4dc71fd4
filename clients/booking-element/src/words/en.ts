/** The words of the element in English. `{…}` is filled in; each text is worded so that a number needs no plural. */
export const en = {
  calendar: {
    /** The name of the calendar. */
    title: 'Choose a date',
    previous: 'Previous month',
    next: 'Next month',
    /** {category}: such as Adult. {currency}: such as EUR. Explains the amounts under the days. */
    prices: 'Price per {category}, in {currency}',
    from: 'from {price}',
    few: 'Few left',
    soldOut: 'Sold out',
    closed: 'Closed',
    cancelled: 'Cancelled',
    /** A day without a departure, for screen readers. */
    none: 'No departure',
    /** The tour has no departure. */
    noDates: 'No dates at the moment',
  },
  times: {
    title: 'Choose a start time',
    seatsLeft: 'Seats left: {number}',
  },
  party: {
    title: 'Who is coming?',
    ages: 'Ages {ages}',
    /** One unit is for several travellers, such as a family ticket. */
    people: 'For {number} people',
    total: 'Total',
    /** Names what a limit of the party counts. */
    seats: 'Seats',
    /** A category that has left the party. */
    unsold: '{category}: not available',
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
    issues: {
      min: '{category}: at least {number} in one booking',
      max: '{category}: at most {number} in one booking',
      with: '{category}: only together with {others}',
      at_most: '{category}: not more than the number of {others}',
    },
  },
  app: {
    /** A call is running. */
    loading: 'Loading…',
    /** A call has been running for five seconds. */
    slow: 'Slow connection…',
    /** Ends the call. */
    stop: 'Stop',
  },
  hold: {
    hold: 'Hold the seats',
    /** The visitor holds other seats. Stands before the button that holds these. */
    replaces: 'This gives back your other seats.',
    /** {seats}: the date, the party and the total of the hold. */
    elsewhere: 'Held for you in another tab: {seats}',
    held: 'Your seats are held',
    left: 'Time left to book:',
    extend: 'Give me more time',
    release: 'Change the date or the guests',
    acceptPrice: 'Continue with {total}',
    overText: 'Nothing was booked.',
  },
  contact: {
    title: 'Your contact details',
    name: 'Name',
    phone: 'Phone',
    email: 'E-mail',
    notes: 'Notes',
    travellers: 'Names of the travellers',
    first_name: 'First name',
    last_name: 'Last name',
    birth_date: 'Date of birth',
    /** {total}: such as €979. */
    book: 'Book for {total}',
    /** {example}: a phone number or an e-mail address. */
    example: 'for example {example}',
  },
  problem: {
    again: 'Try again',
    alternatives: 'These departures have enough seats:',
    network: 'No connection. Nothing is booked twice.',
    /** The visitor has stopped the call. */
    stopped: 'Stopped. Nothing is booked twice.',
    noCookies: 'Please allow cookies.',
    /** A call waits before it is repeated, or was repeated in vain. */
    busy: 'One moment…',
    wait: 'Minutes to wait: {minutes}',
    noTour: 'This tour is not sold here.',
    /** The tour does not sell the chosen party any more. */
    tourChanged: 'This tour has just changed. Please check your choice.',
    gone: 'This departure can no longer be booked.',
    cancelled: 'This departure was cancelled.',
    limit: 'So many seats cannot be held.',
    timeOver: 'The time to book is over',
    holdOver: 'These seats are no longer held for you.',
    price: 'The price has changed',
    /** A value that the visitor entered is wrong. */
    invalid: 'Please check this field.',
    required: 'This field is required.',
    failed: 'Something went wrong.',
  },
  terms: {
    title: 'Cancellation',
    /** {time}: such as 36 hours. {percent}: such as 50%. Worded so that the time is in the nominative case, as Intl writes it. */
    until: 'Until {time} before the start: {percent} refunded',
    untilStart: 'Until the start: {percent} refunded',
    /** {time}: a date and a time. {amount}: such as €979. */
    dated: 'Until {time}: {amount} refunded',
    after: 'After that: nothing refunded',
    never: 'The price is not refunded.',
  },
  summary: {
    tour: 'Tour',
    date: 'Date',
    party: 'Guests',
    booked: 'Your seats are booked',
    /** The booking is paid. */
    confirmed: 'Your booking is confirmed',
    reference: 'Booking reference: {reference}',
    /** {time}: a date and a time. */
    payUntil: 'Pay until {time}',
    pay: 'Continue to payment',
    again: 'Book again',
  },
  /** The steps of a purchase are `summary.date`, `summary.party`, and these. */
  steps: {
    details: 'Details',
    pay: 'Pay',
  },
  sale: {
    /** {now}: the deposit. {later}: the rest of the total. */
    split: '{now} now, {later} later',
    seller: 'Sold by {seller}',
    /** The booking waits for the payment. {date}: such as December 1. */
    reserved: 'Reserved: pay {amount} by {date}',
    /** The same, where the payment has no time. */
    reservedUndated: 'Reserved: pay {amount}',
    /** The heading of the tenant's words about the payment. */
    next: 'What happens next',
    /** Unfolds more categories. */
    more: 'More',
  },
  /** The questions and the pickup of the tour. */
  ask: {
    yes: 'Yes',
    no: 'No',
    /** The choice that leaves a question unanswered. */
    none: 'No answer',
    /** A question that needs no answer. */
    optional: '{label} (optional)',
    /** A question that is answered before the tour, and not always with the booking. */
    later: '{label} (can follow later)',
    /** {limits}: such as 3–20. Why a text is refused. */
    length: 'Characters: {limits}',
    /** The heading of the places where guests are fetched. */
    pickup: 'Pickup',
    search: 'Search',
    /** The visitor is not fetched. */
    alone: 'I come on my own',
    /** Lets the visitor name a place that is not in the list. */
    elsewhere: 'My hotel is not listed',
    place: 'Hotel and address',
    /** Opens a map that shows the place. */
    map: 'Map',
  },
};

export type Words = typeof en;
