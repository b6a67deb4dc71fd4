/*
 * A site in a process of its own. SITE says which: `proxy` has tourProxy with PROXY_OPTIONS; `bare` answers the bytes of BARE_ANSWERS without
 * the platform; `pipe` sends each request to the platform as it is. Sends the port to its parent, and answers each message with the CPU
 * time that the process has used, in microseconds.
 */
import { Agent, createServer, request as send, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tourProxy, type TourProxyOptions } from '../../clients/typescript/src/index';

const options = JSON.parse(process.env.PROXY_OPTIONS!) as TourProxyOptions;

/** An answer of the proxy by method and path, for the bare server. */
export type BareAnswers = Record<string, { status: number; headers: [string, string][]; body: string }>;

const SITES: Record<string, () => RequestListener> = {
  proxy: () => {
    const proxy = tourProxy(options);
    return (request, response) => void proxy(request, response);
  },
  bare: () => {
    const answers = JSON.parse(process.env.BARE_ANSWERS!) as BareAnswers;
    return (request, response) => {
      const { status, headers, body } = answers[`${request.method} ${request.url}`]!;
      request.resume().once('end', () => response.writeHead(status, headers.flat()).end(body));
    };
  },
  pipe: () => {
    const agent = new Agent({ keepAlive: true });
    return (request, response) => {
      const { method, url, headers } = request;
      const upstream = send(options.baseUrl + url, { method, headers, agent }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(upstream);
    };
  },
};

const server = createServer(SITES[process.env.SITE!]!());
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send!({ cpu: user + system });
});
process.on('disconnect', () => process.exit());
