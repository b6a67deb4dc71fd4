import { createHash } from 'node:crypto';
import type { Db } from '../../../services/platform/database/database';

/** The time that all screens of the guide show. */
const PRETENDED = Date.parse('2027-05-04T10:00:00Z');
const DAY_MS = 86_400_000;
/** Rounds the shown times to five minutes, so that all rows that the scene creates together show the same time. */
const ROUNDING_MS = 5 * 60_000;

const MOMENT = /(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d)(:\d\d)?(\.\d{3})?/g;
const DAY = /\b\d{4}-\d\d-\d\d\b(?![T ]\d\d:\d\d)/g;
/** Matches a webhook-id, which contains a UUID without hyphens. */
const MESSAGE = /\bmsg_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\b/g;
/** Matches a value that a narrow column has cut. */
const CUT_WORD = /\b([0-9A-Za-z]{3,11})…/g;
const CUT_UUID = /\b(?=[a-f]*\d)[0-9a-f]{6,8}(?:-[0-9a-f-]*)?…/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const KEY_LENGTH = 12;
const ANY_UUID = '01987f3c-5a1b-7c2d-8e4f-';
/** Shortens secrets: readers and secret scanners would take them for real ones. */
const SECRET = /\b(svc_(?:live|widget)_[0-9A-Za-z]{12}_|whsec_|\/sign-in\/)[\w+/=-]+/g;
const CLOCK = /-?\d+ ms apart/g;

/** Replaces values that differ between two runs by fixed values for the page. */
export interface Neutral {
  /** Returns a command line of the page with the ids of this database. */
  toReal(command: string): string;
  /** Returns the answer as the page shows it. */
  toShown(output: string): string;
  /** Finds the ids of new keys and tokens in the database, because no pattern recognises them. */
  learn(): Promise<void>;
}

export function createNeutral(db: Db): Neutral {
  const now = Date.now();
  const shiftMs = Math.floor(PRETENDED / DAY_MS) * DAY_MS - Math.floor(now / DAY_MS) * DAY_MS;
  const shown = new Map<string, string>();
  const secrets = new Map<string, string>();
  const counts = { uuid: 0, key: 0 };

  const shiftDay = (day: string, ms: number) => new Date(Date.parse(day) + ms).toISOString().slice(0, 10);
  const shiftMoment = (...[, day, between, minute, second, fraction]: (string | undefined)[]) => {
    const since = Date.parse(`${day}T${minute}${second ?? ''}Z`) - now;
    const text = new Date(PRETENDED + Math.round(since / ROUNDING_MS) * ROUNDING_MS).toISOString();
    return `${text.slice(0, 10)}${between}${text.slice(11, 16)}${second ? ':00' : ''}${fraction ? '.000' : ''}`;
  };
  const nameOf = (uuid: string) => {
    const name = shown.get(uuid) ?? `${ANY_UUID}${String(++counts.uuid).padStart(12, '0')}`;
    shown.set(uuid, name);
    return name;
  };

  return {
    toReal: (command) => {
      const ids = [...shown].reduce((text, [real, name]) => text.replaceAll(name, real), command);
      const whole = [...secrets].reduce((text, [cut, secret]) => text.replaceAll(cut, secret), ids);
      return whole.replace(DAY, (day) => shiftDay(day, -shiftMs));
    },
    toShown: (output) => {
      const open = output.replace(SECRET, (secret, beginning: string) => {
        secrets.set(`${beginning}…`, secret);
        return `${beginning}…`;
      });
      const keys = [...shown].reduce((text, [real, name]) => text.replaceAll(real, name), open);
      const ids = keys.replace(UUID, (uuid) => ([...shown.values()].includes(uuid) ? uuid : nameOf(uuid)));
      const words = ids.replace(CUT_WORD, (word, start: string) => {
        const [, name] =
          [...shown].find(([real]) => real.length === KEY_LENGTH && real.startsWith(start)) ?? [];
        return name ? `${name.slice(0, start.length)}…` : word;
      });
      const messages = words.replace(
        MESSAGE,
        (_, ...parts: string[]) => `msg_${nameOf(parts.slice(0, 5).join('-')).replaceAll('-', '')}`,
      );
      const cut = messages.replace(CUT_UUID, (start) => `${ANY_UUID.slice(0, start.length - 1)}…`);
      const days = cut.replace(DAY, (day) => shiftDay(day, shiftMs));
      return days.replace(MOMENT, shiftMoment).replace(CLOCK, '0 ms apart');
    },
    learn: async () => {
      await db('audit_log').update({ host: 'ops-1' });
      const credentials = (table: string) => db(table).select('id', 'created_at');
      const found = await credentials('api_keys')
        .unionAll(credentials('widget_tokens'))
        .orderBy(['created_at', 'id']);
      for (const { id } of found) if (!shown.has(id)) shown.set(id, keyName(++counts.key));
    },
  };
}

/** Returns twelve letters and digits that look like the id of a key. */
function keyName(number: number): string {
  return createHash('sha256')
    .update(`key ${number}`)
    .digest('base64')
    .replace(/[^0-9A-Za-z]/g, '')
    .slice(0, KEY_LENGTH);
}
