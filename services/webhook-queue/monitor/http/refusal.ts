/** Ends a request with a page that says why. The text is for a person, and holds nothing of what was sent. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    text: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(text);
    this.name = 'Refusal';
  }
}

export function notFound(): Refusal {
  return new Refusal(404, 'There is no such page here.');
}

export function notThere(): Refusal {
  return new Refusal(503, 'The database is not there at the moment. Try again shortly.', {
    'Retry-After': '5',
  });
}
