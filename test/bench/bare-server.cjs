/*
 * Serves the bodies of a JSON file with as little work as a framework allows: `node bare-server.cjs FRAMEWORK FILE PORT`. A GET gets
 * the body of its path. A POST with a JSON body gets the body `post`.
 */
const { readFileSync } = require('node:fs');

const [framework, file, port] = process.argv.slice(2);
const bodies = JSON.parse(readFileSync(file, 'utf8'));
/** Returns the answer to a POST, with the reference of the request. */
const echo = ({ external_ref }) => ({ ...bodies.post, external_ref });
const listening = () => process.send({ ready: true });

const START = {
  express() {
    const express = require('express');
    const app = express();
    for (const [name, body] of Object.entries(bodies))
      app.get(`/${name}`, (_request, response) => response.json(body));
    app.post(/./, express.json(), (request, response) => response.status(201).json(echo(request.body)));
    app.listen(port, '127.0.0.1', listening);
  },
  fastify() {
    const app = require('fastify')();
    for (const [name, body] of Object.entries(bodies))
      app.get(`/${name}`, (_request, reply) => reply.send(body));
    app.post('/*', (request, reply) => reply.code(201).send(echo(request.body)));
    app.listen({ port, host: '127.0.0.1' }, listening);
  },
  'node:http'() {
    const answer = (response, status, body) => {
      const text = JSON.stringify(body);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    };
    const server = require('node:http').createServer((request, response) => {
      if (request.method === 'GET') return answer(response, 200, bodies[request.url.slice(1)]);
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => answer(response, 201, echo(JSON.parse(Buffer.concat(chunks)))));
    });
    server.listen(port, '127.0.0.1', listening);
  },
};

START[framework]();
process.once('disconnect', () => process.exit());
