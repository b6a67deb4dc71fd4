import { createHash } from 'node:crypto';
import type { CallPlatform, PlatformAnswer } from './platform.ts';
import { type AnswerKind, visible } from './visible.ts';

/** An answer of the catalog as visitors get it. */
export interface KeptAnswer {
  /** The ETag of the platform's answer. */
  platformTag: string;
  /** The ETag of `body`, because the platform's names an answer with more fields. */
  tag: string;
  body: Uint8Array<ArrayBuffer>;
  language: string | null;
}

export interface KeptAnswers {
  /**
   * Returns the present answer. Asks the platform each time; if its answer is the kept one, the platform sends no body. Requests for the same
   * answer at the same moment share one of the platform.
   * @throws TourPlatformError
   */
  read(path: string, query: URLSearchParams, kind: AnswerKind): Promise<KeptAnswer>;
}

const ENTRIES_MAX = 1000;
const BYTES_MAX = 20_000_000;

/** Keeps answers by their address at the platform, which has the language and every filter. The least recently read go first. */
export function createKeptAnswers(call: CallPlatform): KeptAnswers {
  const kept = new Map<string, KeptAnswer>();
  let bytes = 0;
  const drop = (key: string) => {
    bytes -= kept.get(key)?.body.length ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, answer: KeptAnswer) => {
    drop(key);
    kept.set(key, answer);
    bytes += answer.body.length;
    for (const [oldest] of kept) {
      if (kept.size <= ENTRIES_MAX && bytes <= BYTES_MAX) return;
      drop(oldest);
    }
  };
  const ask = async (key: string, path: string, query: URLSearchParams, kind: AnswerKind) => {
    const known = kept.get(key);
    const headers = known && { 'If-None-Match': known.platformTag };
    const response = await call({ path, query, headers });
    const isSame = known !== undefined && response.status === 304;
    const answer = isSame ? known : answerOf(response, kind);
    if (answer.platformTag !== '') keep(key, answer);
    return answer;
  };
  const running = new Map<string, Promise<KeptAnswer>>();
  return {
    read: (path, query, kind) => {
      const key = `${path}?${query.toString()}`;
      const answer = running.get(key) ?? ask(key, path, query, kind).finally(() => running.delete(key));
      running.set(key, answer);
      return answer;
    },
  };
}

function answerOf(response: PlatformAnswer, kind: AnswerKind): KeptAnswer {
  const text = JSON.stringify(visible(response.json, kind));
  return {
    platformTag: response.headers.get('ETag') ?? '',
    tag: `"${createHash('sha256').update(text).digest('base64url')}"`,
    body: new Uint8Array(Buffer.from(text)),
    language: response.headers.get('Content-Language'),
  };
}

/** Returns whether the value of If-None-Match names the ETag (RFC 9110, 13.1.2). */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
