import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { Refusal } from './refusal';

const STATUSES: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What Node's parser refuses never reaches the app, and Node's own answer has none of our headers. */
export function answerMalformedRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const { _httpMessage: inFlight } = socket as unknown as { _httpMessage?: { headersSent: boolean } };
    if (error.code === 'ECONNRESET' || !socket.writable || inFlight?.headersSent) socket.destroy();
    else socket.end(plainAnswer(STATUSES[error.code ?? ''] ?? 400));
  });
}

function plainAnswer(status: number): string {
  const text = `${STATUS_CODES[status]}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${text.length}`,
    'Cache-Control: no-store',
    "Content-Security-Policy: default-src 'none'",
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${randomUUID()}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/** Whose page it is, and whether a form is ours, is judged by the host: one, and no more (RFC 9112 section 3.2). */
export function refuseMalformed(request: Request, _response: Response, next: NextFunction): void {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  next(hosts.length === 1 ? undefined : new Refusal(400, 'The request must name its host once.'));
}
