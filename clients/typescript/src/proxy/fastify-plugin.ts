import type { ProxyAnswer } from './answer.ts';
import type { SiteRequest } from './handle-request.ts';
import { mountOf } from './mount.ts';
import { endUnread, type NodeRequest, readNodeRequest } from './node-server.ts';

/** The parts of a Fastify request that the proxy uses, and that the hook `allow` gets with all others. */
export interface FastifyRequestLike {
  raw: NodeRequest;
  headers: NodeRequest['headers'];
  ip: string;
}

interface FastifyReplyLike {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: unknown): unknown;
}

interface FastifyLike {
  prefix: string;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parse: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown;
  all(path: string, handler: (request: never, reply: never) => Promise<unknown>): unknown;
}

/** Registers the proxy below the prefix of the plugin. Other routes keep their parsers: a plugin has its own. */
export function fastifyPlugin(
  handle: (request: SiteRequest<FastifyRequestLike>) => Promise<ProxyAnswer>,
): (instance: unknown, options?: object) => Promise<void> {
  return async (instance) => {
    const fastify = instance as FastifyLike;
    const mount = mountOf(fastify.prefix);
    fastify.removeAllContentTypeParsers();
    // The proxy reads the body itself, with its own limit.
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const answer = async (request: FastifyRequestLike, reply: FastifyReplyLike) => {
      const {
        status,
        headers,
        cookies = [],
        body,
      } = await handle(readNodeRequest(request.raw, request, mount));
      reply.code(status);
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      for (const cookie of cookies) reply.header('Set-Cookie', cookie);
      endUnread(request.raw);
      return reply.send(body);
    };
    fastify.all('/*', answer);
  };
}
