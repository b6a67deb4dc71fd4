/*
 * A site with the proxy in a process of its own. Reads the options of tourProxy from PROXY_OPTIONS. Sends the port to its parent, and answers
 * each message with the CPU time that the process has used, in microseconds.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tourProxy, type TourProxyOptions } from '../../clients/typescript/src/index';

const proxy = tourProxy(JSON.parse(process.env.PROXY_OPTIONS!) as TourProxyOptions);
const server = createServer((request, response) => void proxy(request, response));
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send!({ cpu: user + system });
});
process.on('disconnect', () => process.exit());
