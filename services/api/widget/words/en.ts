/** The page's own words. Texts of the catalog keep the catalog's language. */
export const en = {
  tours: 'Tours',
  search: 'Search tours',
  continents: 'Continents',
  all: 'All',
  from: 'from',
  nextDeparture: 'Next departure',
  /** Replaces the next departure. */
  noDates: 'No dates at the moment',
  nextPage: 'More tours',
  firstPage: 'Back to the first',
  /** Contains {count}. Worded so that the number needs no plural. */
  shown: 'Tours shown: {count}',
  loading: 'Loading tours…',
  nothing: 'No tours found',
  nothingHint: 'Check the spelling, try a shorter word, or look around.',
  /** Repeats the search without the chosen continent. */
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
  /** Replaces the advice for 401 if the caller proved the token. */
  unusable: {
    expired: 'The token of this list has expired. The site needs a new one.',
    revoked: 'The token of this list was revoked. The site needs a new one.',
    tenant_inactive: 'This list is switched off at the moment.',
    pass_expired: 'This list has expired. Reload the page to see it again.',
  },
  /** Label of the id that the operator finds in the log. */
  requestId: 'Request ID',
  offline: 'The connection is interrupted. Check it, then try again.',
};

export type Words = typeof en;
