/*
 * Serves the bodies of a JSON file with as little work as a framework allows: `node bare-server.cjs FRAMEWORK FILE PORT`. A GET gets
 * the body of its path.
 */
const { readFileSync } = require('node:fs');

const [framework, file, port] = process.argv.slice(2);
const bodies = JSON.parse(readFileSync(file, 'utf8'));
const listening = () => process.send({ ready: true });

const START = {
  express() {
    const express = require('express');
    const app = express();
    for (const [name, body] of Object.entries(bodies))
      app.get(`/${name}`, (_request, response) => response.json(body));
    app.listen(port, '127.0.0.1', listening);
  },
  fastify() {
    const app = require('fastify')();
    for (const [name, body] of Object.entries(bodies))
      app.get(`/${name}`, (_request, reply) => reply.send(body));
    app.listen({ port, host: '127.0.0.1' }, listening);
  },
  'node:http'() {
    const server = require('node:http').createServer((request, response) => {
      const text = JSON.stringify(bodies[request.url.slice(1)]);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
    server.listen(port, '127.0.0.1', listening);
  },
};

START[framework]();
process.once('disconnect', () => process.exit());
