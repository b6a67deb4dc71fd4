/** One input fault. */
export interface ProblemFault {
  in: 'body' | 'query' | 'path' | 'header';
  field: string;
  message: string;
}

export interface ProblemAlternative {
  /** YYYY-MM-DD */
  departure_date: string;
  /** @isInt */
  seats_available: number;
}

/** Every error's body (RFC 9457), as application/problem+json. */
export interface ProblemDocument {
  /** Address of a page that says what to do. */
  type: string;
  title: string;
  /** @isInt */
  status: number;
  detail: string;
  /** urn:request:<id> */
  instance: string;
  ok: false;
  /** Stable name of the error, such as `insufficient_seats`. */
  code: string;
  request_id: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  errors?: ProblemFault[];
  alternatives?: ProblemAlternative[];
  /** @isInt */
  seats_available?: number;
  total_price?: number;
  currency?: string;
  hold_status?: string;
  booking_status?: string;
}
