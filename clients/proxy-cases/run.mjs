/*
 * Sends the cases of cases.json to a proxy and compares the answers: node run.mjs BASE_URL [TOUR]
 *   BASE_URL  the address of the proxy, such as http://127.0.0.1:4000/shop
 *   TOUR      the slug of a tour with free seats; by default the first one with a date
 * The cases hold and book seats: use the key of a sandbox. Needs Node alone.
 */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const { cases } = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'));

/** Sends a request with its path as it is written: fetch would resolve dots. @returns status, headers and body */
function send(base, { method = 'GET', path, headers = {}, body, text, bytes, chunked }, cookie) {
  const url = new URL(base);
  const content = text ?? (bytes ? `{"notes":"${'x'.repeat(bytes - 12)}"}` : body && JSON.stringify(body));
  const sent = { 'sec-fetch-site': 'same-origin', ...headers };
  if (cookie && sent.cookie === undefined) sent.cookie = cookie;
  if (content !== undefined) sent['content-type'] ??= 'application/json';
  if (content !== undefined && !chunked) sent['content-length'] = Buffer.byteLength(content);
  for (const name of Object.keys(sent)) if (sent[name] === null) delete sent[name];
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      hostname: url.hostname,
      port: url.port,
      path: url.pathname + path,
      headers: sent,
    };
    const client = request(options, async (response) => {
      let answer = '';
      for await (const chunk of response) answer += chunk;
      resolve({ status: response.statusCode, headers: response.headers, text: answer });
    });
    client.on('error', reject);
    client.end(content);
  });
}

/** Follows a path such as `items.0.slug`. */
function at(value, path) {
  return path.split('.').reduce((part, name) => part?.[name], value);
}

/** Replaces `{name}` by a saved value. A field whose whole text is the name of a null value is left out. */
function filled(value, saved) {
  if (typeof value === 'string') {
    const whole = /^\{([\w.]+)\}$/.exec(value)?.[1];
    if (whole !== undefined && at(saved, whole) !== undefined) return at(saved, whole);
    return value.replace(/\{([\w.]+)\}/g, (text, name) => at(saved, name) ?? text);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, filled(part, saved)]);
  const kept = entries.filter(([name, part]) => part !== null || value[name] === null);
  return Object.fromEntries(kept);
}

/** Keeps the cookies of one visitor, as a browser does. */
function keepCookies(jar, lines = []) {
  for (const line of lines) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
    if (/max-age=0(;|$)/i.test(line)) jar.delete(name);
    else jar.set(name, value);
  }
}

/** Returns the name of the visitor's cookie: that of a site with TLS has a prefix. */
function nameOfVisitor(jars) {
  const names = Object.values(jars).flatMap((jar) => [...jar.keys()]);
  return names.find((name) => name.endsWith('tour_visitor')) ?? 'tour_visitor';
}

function cookieOf(jar) {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Compares a value with the expected one: `{"matches": "…"}`, `{"type": "…"}`, or the value itself. */
function isExpected(value, expected) {
  if (expected?.matches !== undefined) return new RegExp(expected.matches).test(String(value ?? ''));
  if (expected?.type !== undefined) return typeof value === expected.type;
  return JSON.stringify(value) === JSON.stringify(expected);
}

/** Returns the differences between an answer and what its case expects. */
function differences({ status, headers, text }, expected) {
  const found = [];
  const compare = (name, value, wish) => {
    if (!isExpected(value, wish))
      found.push(`${name} is ${JSON.stringify(value)}, not ${JSON.stringify(wish)}`);
  };
  compare('status', status, expected.status);
  for (const [name, wish] of Object.entries(expected.headers ?? {}))
    compare(name, headers[name]?.toString() ?? null, wish);
  const body = text && /json/.test(headers['content-type']) ? JSON.parse(text) : undefined;
  if (expected.problem !== undefined) {
    compare('content-type', headers['content-type'], { matches: '^application/problem\\+json' });
    compare('cache-control', headers['cache-control'], 'no-store');
    const document = { ok: false, status, code: expected.problem };
    for (const [name, wish] of Object.entries(document)) compare(name, body?.[name], wish);
    for (const name of ['title', 'detail', 'request_id']) compare(name, body?.[name], { type: 'string' });
  }
  for (const [name, wish] of Object.entries(expected.fields ?? {})) compare(name, at(body, name), wish);
  for (const name of expected.absent ?? [])
    if (at(body, name) !== undefined) found.push(`${name} is in the answer`);
  if (expected.empty && text !== '') found.push('the answer has a body');
  return found;
}

/** Saves values of an answer for later cases. `choose` takes the first item of a list with at least so many of a field. */
function save(saved, { text, headers }, { save: names = {}, choose }) {
  const body = text ? JSON.parse(text) : undefined;
  for (const [name, path] of Object.entries(names))
    saved[name] = path.startsWith('header:') ? headers[path.slice(7)] : at(body, path);
  if (!choose) return;
  const found = body.items.find((item) => item[choose.field] >= choose.min);
  if (!found) throw new Error(`No item has ${choose.field} of at least ${choose.min}.`);
  saved[choose.as] = found;
}

async function run(base, tour) {
  const saved = { origin: new URL(base).origin, tour };
  const jars = {};
  let failed = 0;
  for (const one of cases) {
    if (tour !== undefined && one.onlyWithoutTour) continue;
    const jar = (jars[one.visitor ?? 'none'] ??= new Map());
    const found = [];
    for (let times = one.repeat ?? 1; times > 0; times -= 1) {
      const answer = await send(base, filled(one.request, saved), cookieOf(jar));
      if (one.visitor) keepCookies(jar, answer.headers['set-cookie']);
      found.push(...differences(answer, filled(one.expect, saved)));
      if (found.length === 0) save(saved, answer, one);
    }
    saved.visitorCookie = nameOfVisitor(jars);
    saved.cookies = Object.fromEntries(Object.entries(jars).map(([name, kept]) => [name, cookieOf(kept)]));
    if (found.length > 0) failed += 1;
    console.log(`${found.length > 0 ? 'FAILED' : 'ok    '} ${one.name}`);
    for (const difference of found) console.log(`         ${difference}`);
  }
  console.log(failed === 0 ? `All ${cases.length} cases pass.` : `${failed} cases fail.`);
  return failed;
}

const [base, tour] = process.argv.slice(2);
if (!base || !URL.canParse(base)) {
  console.error('node run.mjs BASE_URL [TOUR]');
  process.exitCode = 2;
} else {
  process.exitCode = (await run(base.replace(/\/+$/, ''), tour)) === 0 ? 0 : 1;
}
