/** The words of the page itself. Texts of the catalog stay in the language of the catalog. */
export const en = {
  tours: 'Tours',
  search: 'Search tours',
  continents: 'Continents',
  all: 'All',
  from: 'from',
  nextDeparture: 'Next departure',
  /** Shown instead of the next departure if there is none. */
  noDates: 'No dates at the moment',
  /** Must contain {time}, such as `3 days`. It is worded so that the time is in the nominative case, as Intl writes it. */
  freeUntil: 'Free cancellation until {time} before',
  freeUntilStart: 'Free cancellation until the start',
  nextPage: 'More tours',
  firstPage: 'Back to the first',
  /** Must contain {count}. It is worded so that the number needs no plural. */
  shown: 'Tours shown: {count}',
  loading: 'Loading tours…',
  nothing: 'No tours found',
  nothingHint: 'Check the spelling, try a shorter word, or look around.',
  /** The link that repeats the search without the chosen continent. */
  everywhere: 'Search all continents',
  showAll: 'Show all tours',
  /** Shown for a tenant without a single tour. */
  empty: 'New tours are on their way',
  emptyHint: 'There is nothing to book here today. Look in again soon.',
  failed: 'The tours cannot be shown',
  retry: 'Try again',
  /** Advice by the status of the answer; 500 covers all other statuses. */
  advice: {
    400: 'This address is not complete. Reload the page to begin again.',
    401: 'This list cannot be opened: its token is missing or not valid.',
    403: 'This list is not meant to be shown on this page.',
    429: 'Too many requests. Try again in a minute.',
    500: 'Something went wrong. Try again in a moment.',
  },
  /** Shown instead of the advice for 401 if the caller proved the token. */
  unusable: {
    expired: 'The token of this list has expired. The site needs a new one.',
    revoked: 'The token of this list was revoked. The site needs a new one.',
    tenant_inactive: 'This list is switched off at the moment.',
    pass_expired: 'This list has expired. Reload the page to see it again.',
  },
  /** The label of the request id, by which the operator finds the request in the log. */
  requestId: 'Request ID',
  offline: 'The connection is interrupted. Check it, then try again.',
};

export type Words = typeof en;
