'use strict';
/*
 * Loaded into an API process by long-lists.ts (`--require`). Answers the longest turn of the event loop since the last request, in
 * milliseconds, on TURN_PORT_MAX.
 */
const http = require('node:http');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
http
  .createServer((_request, response) => {
    response.end(String(Math.max(0, delay.max / 1e6 - RESOLUTION_MS)));
    delay.reset();
  })
  .listen(Number(process.env.LONGEST_TURN_PORT), '127.0.0.1')
  .unref();
