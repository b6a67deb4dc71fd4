import { request, type Dispatcher } from 'undici';
import type { Job } from './contender';

/** Runs a POST job of the other queues. Sends the body with the HTTP client of our queue, but without guard, signature or deadline. */
export async function post(dispatcher: Dispatcher, { url, body }: Job): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body, dispatcher });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`);
}
