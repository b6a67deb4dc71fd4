import { connect } from 'node:net';
import type { Response } from 'supertest';
import type { TestApi } from './api';

/** Sends bytes that no client library sends, and reads until the server closes. */
export async function sendRaw(api: TestApi, ...lines: string[]): Promise<Response> {
  const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const headers = Object.fromEntries(
    headerLines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ]),
  );
  const text = rest.join('\r\n\r\n');
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: parseJson(text) } as never;
}

/** Returns an empty object for a body that is not JSON, as supertest does. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
