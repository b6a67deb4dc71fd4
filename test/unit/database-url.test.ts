import { readDatabaseUrl, showDatabaseUrl } from '../../services/platform/database/database-url';
import { loadConfig } from '../../services/platform/config';

describe('a database URL', () => {
  it.each([
    [
      'postgres://u:p@h1:5432,h2:5433/db?a=b',
      ['postgres://u:p@h1:5432/db?a=b', 'postgres://u:p@h2:5433/db?a=b'],
    ],
    ['postgres://h1,[::1]:5433/db', ['postgres://h1/db', 'postgres://[::1]:5433/db']],
    ['postgres://u:p,q@r@h1,h2/db', ['postgres://u:p,q@r@h1/db', 'postgres://u:p,q@r@h2/db']],
  ])(
    'readDatabaseUrl splits a URL with several hosts into one URL for each, and requires the primary: %s',
    (text, urls) => {
      expect(readDatabaseUrl(text)).toEqual({ urls, target: 'primary', requiresScram: false });
    },
  );

  it.each(['postgres://u:p@h/db', 'postgresql://h', 'postgres:///db?host=/run/postgresql'])(
    'readDatabaseUrl uses a URL with one host as it is: %s',
    (text) => {
      expect(readDatabaseUrl(text)).toEqual({ urls: [text], target: undefined, requiresScram: false });
    },
  );

  it('readDatabaseUrl reads target_session_attrs and require_auth', () => {
    const text = 'postgres://h1,h2/db?target_session_attrs=read-write&require_auth=scram-sha-256';
    expect(readDatabaseUrl(text)).toMatchObject({ target: 'read-write', requiresScram: true });
    expect(readDatabaseUrl('postgres://h/db?target_session_attrs=primary').target).toBe('primary');
  });

  it.each([
    'mysql://u:p@h/db',
    'postgres://u:p@h1,/db',
    'postgres://u:p@,h2/db',
    'postgres://u:p@h1,:5433/db',
    'postgres://u:p@h1:x,h2/db',
    'postgres:///db?host=h1,h2',
    'postgres://u:p@h/db?target_session_attrs=any',
    'postgres://u:p@h1,h2/db?target_session_attrs=standby',
    'postgres://u:p@h1,h2/db?target_session_attrs=',
  ])(
    'readDatabaseUrl refuses %s, and the error shows how to list hosts and which target_session_attrs are valid',
    (text) => {
      for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL'])
        expect(() => loadConfig({ [name]: text })).toThrow(
          new RegExp(`^${name} must be .*host1:5432,host2:5432.*target_session_attrs.*primary or read-write`),
        );
    },
  );

  it.each([
    ['postgres://u:hunter2@h1:5432,h2:5433/db?x=1', 'postgres://u:***@h1:5432,h2:5433/db?x=1'],
    ['postgres://u:hun,t@er2@h1,h2/db', 'postgres://u:***@h1,h2/db'],
    ['postgres://u:p@h/db?sslpassword=hunter2', 'postgres://u:***@h/db?sslpassword=***'],
    ['postgres://h1,h2/db?password=hunter2', 'postgres://h1,h2/db?password=***'],
    ['postgres://u@h1,h2/db', 'postgres://u@h1,h2/db'],
    ['postgres:///db?host=/run/postgresql', 'postgres:///db?host=/run/postgresql'],
  ])('showDatabaseUrl shows %s without its password', (text, shown) => {
    expect(showDatabaseUrl(text)).toBe(shown);
  });
});
