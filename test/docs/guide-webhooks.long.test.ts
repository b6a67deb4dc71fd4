import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { signPayload } from '../../services/webhook-queue/signing/sign-payload';
import { describeWith, isInstalled } from '../support/describe-with';
import { useTestDatabase } from '../support/database';
import { freePorts } from '../support/free-ports';
import { folderWithClient } from '../support/packed-client';
import { useTemporaryFolder } from '../support/temporary-folder';
import { eventually } from '../webhook-queue/queue-fixture';
import { exampleOf, folderWith, runProgram, snippets } from './guide';

const SECRETS = ['old', 'new', 'foreign'].map((name) => Buffer.from(name.padEnd(24, '+')));
const [old, current, foreign] = SECRETS as [Buffer, Buffer, Buffer];
const BODY = JSON.stringify({ event_type: 'booking.created', customer: { name: 'Zoë “Ö” Müller' } });

interface Case {
  secret: string;
  headers: Record<string, string>;
  body: string;
}

function sent(secrets: Buffer[], secondsAgo = 0): Case {
  const sentAt = new Date(Date.now() - secondsAgo * 1000);
  const headers = signPayload({ id: 'msg_6b1f9b6e', sentAt, body: BODY }, secrets);
  return { secret: `whsec_${current.toString('base64')}`, headers, body: BODY };
}

function withHeader(name: string, value: string | undefined): Case {
  const { headers, ...rest } = sent([current]);
  const { [name]: _, ...others } = headers;
  return { ...rest, headers: value === undefined ? others : { ...others, [name]: value } };
}

/** Genuine and forged requests. */
const CASES: [what: string, genuine: boolean, given: () => Case][] = [
  ['what was signed', true, () => sent([current])],
  ['what was signed while the secret changes', true, () => sent([old, current])],
  ['what came four minutes late', true, () => sent([current], 240)],
  ['what was signed with another secret', false, () => sent([foreign])],
  ['a body that was altered', false, () => ({ ...sent([current]), body: `${BODY} ` })],
  ['what is ten minutes old', false, () => sent([current], 600)],
  ['what is of the future', false, () => sent([current], -600)],
  ['another id', false, () => withHeader('webhook-id', 'msg_other')],
  ['another time', false, () => withHeader('webhook-timestamp', String(Math.floor(Date.now() / 1000) - 1))],
  ['a time that is none', false, () => withHeader('webhook-timestamp', 'now')],
  ['no time', false, () => withHeader('webhook-timestamp', undefined)],
  ['no id', false, () => withHeader('webhook-id', undefined)],
  ['no signature', false, () => withHeader('webhook-signature', undefined)],
  ['an empty signature', false, () => withHeader('webhook-signature', '')],
  ['a signature of another kind', false, () => withHeader('webhook-signature', 'v1a,AAAA v1,ÄÄÄÄ')],
];

interface Language {
  /** The code in docs/examples/webhooks. */
  file: string;
  /** Reads cases from stdin, calls the code in the file for each case, and writes the list of results. */
  main: [file: string, text: string];
  command: [program: string, ...parameters: string[]];
  /** The apt package of the program. */
  from: string;
}

const LANGUAGES: Record<string, Language> = {
  Node: {
    file: 'webhook.mjs',
    main: [
      'main.mjs',
      `import { readFileSync } from 'node:fs';
       import { isGenuine } from './webhook.mjs';
       const cases = JSON.parse(readFileSync(0, 'utf8'));
       console.log(JSON.stringify(cases.map((one) => isGenuine(one.secret, one.headers, Buffer.from(one.body)))));`,
    ],
    command: ['node', 'main.mjs'],
    from: 'node',
  },
  Python: {
    file: 'webhook.py',
    main: [
      'main.py',
      `import json, sys
from webhook import is_genuine
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(one["secret"], one["headers"], one["body"].encode()) for one in cases]))`,
    ],
    command: ['python3', 'main.py'],
    from: 'python3',
  },
  PHP: {
    file: 'webhook.php',
    main: [
      'main.php',
      `<?php
       error_reporting(E_ALL);
       require 'webhook.php';
       $cases = json_decode(file_get_contents('php://stdin'), true);
       echo json_encode(array_map(fn ($one) => is_genuine($one['secret'], $one['headers'], $one['body']), $cases));`,
    ],
    command: ['php', 'main.php'],
    from: 'php-cli',
  },
  Ruby: {
    file: 'webhook.rb',
    main: [
      'main.rb',
      `require 'json'
       require './webhook'
       puts JSON.parse($stdin.read).map { |one| genuine?(one['secret'], one['headers'], one['body']) }.to_json`,
    ],
    command: ['ruby', '-w', 'main.rb'],
    from: 'ruby',
  },
  Go: {
    file: 'webhook.go',
    main: [
      'main.go',
      `package main
       import ("encoding/json"; "os")
       type one struct { Secret string; Headers map[string]string; Body string }
       func main() {
         var cases []one
         if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil { panic(err) }
         answers := []bool{}
         for _, c := range cases {
           headers := c.Headers
           answers = append(answers, isGenuine(c.Secret, func(name string) string { return headers[name] }, []byte(c.Body)))
         }
         json.NewEncoder(os.Stdout).Encode(answers)
       }`,
    ],
    command: ['go', 'run', 'main.go', 'webhook.go'],
    from: 'golang-go',
  },
};

describe.each(Object.entries(LANGUAGES))(
  'the webhook receiver of the guide',
  (name, { file, main, command, from }) => {
    const [program, ...parameters] = command;
    describeWith(
      from,
      `in ${name}`,
      () => {
        it('the webhook receiver of the guide accepts requests that the queue has signed, and no others', async () => {
          const cwd = await folderWith({ [file]: exampleOf(`webhooks/${file}`), [main[0]]: main[1] });
          const stdin = JSON.stringify(CASES.map(([, , given]) => given()));
          const { code, stdout, stderr } = await runProgram(program, parameters, { cwd, stdin });
          expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
          const answers = JSON.parse(stdout) as boolean[];
          expect(CASES.map(([what], index) => [what, answers[index]])).toEqual(
            CASES.map(([what, genuine]) => [what, genuine]),
          );
        }, 120_000);
      },
      isInstalled(program),
    );
  },
);

interface Event {
  event_type: string;
  booking_ref: string;
  total_price: number;
  updated_at?: string;
}

const CREATED: Event = { event_type: 'booking.created', booking_ref: 'ACME-1', total_price: 500 };
const changed = (total_price: number, updated_at: string): Event => ({
  ...CREATED,
  event_type: 'booking.updated',
  total_price,
  updated_at,
});
/** The events of a booking in different orders of arrival. The last change has the total 1500. */
const OLDER = changed(1000, '2027-01-12T08:05:11.042Z');
const NEWEST = changed(1500, '2027-01-12T08:05:11.043Z');
const ARRIVALS = [
  [CREATED, OLDER, NEWEST],
  [NEWEST, OLDER, CREATED],
  [OLDER, NEWEST, CREATED],
  [NEWEST, CREATED, OLDER],
];

describe('the code of the guide that keeps the latest event', () => {
  const database = useTestDatabase();
  const folder = useTemporaryFolder();

  it('the statement of the guide keeps the latest total in whichever order the events arrive', async () => {
    const [statement] = snippets('sql', 'webhooks');
    await database.db.transaction(async (trx) => {
      await trx.raw(
        'create temporary table bookings (booking_ref text primary key, total_price numeric, updated_at timestamptz) on commit drop',
      );
      for (const [n, events] of ARRIVALS.entries())
        for (const event of events) {
          const values = [`ACME-${n}`, event.total_price, event.updated_at ?? null];
          await trx.raw(statement!.replaceAll(/\$\d/g, '?'), values);
        }
      const totals = await trx('bookings').orderBy('booking_ref').pluck('total_price');
      expect(totals.map(Number)).toEqual(ARRIVALS.map(() => 1500));
    });
  });

  it('the receiver with the client verifies events, and keeps the latest', async () => {
    const cwd = await folderWithClient(folder);
    await writeFile(path.join(cwd, 'receive.mjs'), exampleOf('webhooks/receive.mjs'));
    const [port] = await freePorts();
    const secret = `whsec_${current.toString('base64')}`;
    const receiver = spawn(process.execPath, ['receive.mjs'], {
      cwd,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: `${port}` },
    });
    let said = '';
    receiver.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const address = `http://127.0.0.1:${port}/`;
    try {
      await eventually('the receiver', () => fetch(address).catch(() => undefined));
      const post = async (event: object, key: Buffer) => {
        const body = JSON.stringify(event);
        const headers = signPayload({ id: 'msg_6b1f9b6e', sentAt: new Date(), body }, [key]);
        return (await fetch(address, { method: 'POST', headers, body })).status;
      };
      const statuses = [];
      for (const [n, events] of ARRIVALS.entries())
        for (const event of events)
          statuses.push(await post({ ...event, booking_ref: `ACME-${n}` }, current));
      expect(new Set(statuses)).toEqual(new Set([204]));
      expect(await post(CREATED, foreign)).toBe(401);
      const last = new Map(
        said
          .trim()
          .split('\n')
          .map((line) => line.replace(/^booking\.\w+ /, '').split(': ') as [string, string]),
      );
      expect([...last]).toEqual(ARRIVALS.map((_, n) => [`ACME-${n}`, '1500']));
    } finally {
      const ended = once(receiver, 'exit');
      receiver.kill('SIGKILL');
      await ended;
    }
  }, 120_000);
});
