import { invalidCursor, openCursor, sealCursor } from '../../services/api/http/paging';

const KEY = 'k'.repeat(64);
const SCOPE = ['tenant', '/api/tenant/catalog', { q: 'a' }];
const PLACE = { nameFolded: 'ha long', id: '1' };

describe('a paging cursor', () => {
  const cursor = sealCursor(KEY, SCOPE, PLACE);

  it('a cursor decodes to the position that it was made from', () => {
    expect(openCursor(KEY, SCOPE, cursor)).toEqual(PLACE);
    expect(openCursor(KEY, SCOPE, undefined)).toBeUndefined();
  });

  it('a cursor needs no escaping in a URL', () => {
    expect(cursor).toMatch(/^[\w-]+$/);
  });

  it.each<[string, () => unknown]>([
    ['of another key', () => openCursor('x'.repeat(64), SCOPE, cursor)],
    ['of another tenant', () => openCursor(KEY, ['other', ...SCOPE.slice(1)], cursor)],
    ['of other filters', () => openCursor(KEY, [...SCOPE.slice(0, 2), {}], cursor)],
    ['with a character after its end', () => openCursor(KEY, SCOPE, `${cursor}=`)],
    ['that is empty', () => openCursor(KEY, SCOPE, '')],
    ['that is too short', () => openCursor(KEY, SCOPE, 'AAAA')],
    ['that has only its MAC', () => openCursor(KEY, SCOPE, cursor.slice(0, 22))],
    ['in plain text', () => openCursor(KEY, SCOPE, Buffer.from(JSON.stringify(PLACE)).toString('base64url'))],
    ['with characters outside base64url', () => openCursor(KEY, SCOPE, 'ü€😀')],
  ])('openCursor refuses a cursor %s', (_what, open) => {
    expect(open).toThrow(invalidCursor());
  });

  it('openCursor refuses a cursor with any one character changed', () => {
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(() => openCursor(KEY, SCOPE, changed)).toThrow(invalidCursor());
    }
  });
});
