import { request, type Dispatcher } from 'undici';
import type { Job } from './contender';

/** Runs the job of the other queues: sends the same body by the same client as ours, without guard, signature or deadline. */
export async function post(dispatcher: Dispatcher, { url, body }: Job): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body, dispatcher });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`);
}
