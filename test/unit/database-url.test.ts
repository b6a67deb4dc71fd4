import { readDatabaseUrl, showDatabaseUrl } from '../../services/platform/database/database-url';
import { tlsOptions } from '../../services/platform/database/tls';
import { loadConfig } from '../../services/platform/config/config';
import { InvalidValueError } from '../../services/platform/read-variable';

describe('a database URL', () => {
  it.each([
    [
      'postgres://u:p@h1:5432,h2:5433/db?options=x&sslmode=require',
      ['postgres://u:p@h1:5432/db?options=x', 'postgres://u:p@h2:5433/db?options=x'],
    ],
    ['postgres://h1,[::1]:5433/db', ['postgres://h1/db', 'postgres://[::1]:5433/db']],
    ['postgres://u:p,q@r@h1,h2/db', ['postgres://u:p,q@r@h1/db', 'postgres://u:p,q@r@h2/db']],
  ])(
    'readDatabaseUrl splits a URL with several hosts into one URL for each, and requires the primary: %s',
    (text, urls) => {
      expect(readDatabaseUrl(text)).toMatchObject({ urls, target: 'primary', requiresScram: false });
    },
  );

  it.each(['postgres://u:p@h/db', 'postgresql://h', 'postgres:///db?host=/run/postgresql'])(
    'readDatabaseUrl uses a URL with one host as it is: %s',
    (text) => {
      expect(readDatabaseUrl(text)).toEqual({
        urls: [text],
        tls: undefined,
        target: undefined,
        requiresScram: false,
      });
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
    [
      'postgres://u:hunter2@h1:5432,h2:5433/db?sslmode=require',
      'postgres://u:***@h1:5432,h2:5433/db?sslmode=require',
    ],
    ['postgres://u:hun,t@er2@h1,h2/db', 'postgres://u:***@h1,h2/db'],
    ['postgres://u:p@h/db?sslpassword=hunter2', 'postgres://u:***@h/db?sslpassword=***'],
    ['postgres://h1,h2/db?password=hunter2', 'postgres://h1,h2/db?password=***'],
    ['postgres://u@h1,h2/db', 'postgres://u@h1,h2/db'],
    ['postgres:///db?host=/run/postgresql', 'postgres:///db?host=/run/postgresql'],
  ])('showDatabaseUrl shows %s without its password', (text, shown) => {
    expect(showDatabaseUrl(text)).toBe(shown);
  });

  it.each([
    'postgres://app:2024/secret@host/db',
    'postgres://app:2024?secret@host/db',
    'postgres://app:2024#secret@host/db',
    'postgres://app:se/cret@host1,host2/db',
    'postgres://app/secret@host/db',
  ])('a password that is not encoded is refused and never shown: %s', (text) => {
    const message = /^DATABASE_URL must have a percent-encoded password: %2F for a slash/;
    expect(() => loadConfig({ DATABASE_URL: text })).toThrow(message);
    expect(() => showDatabaseUrl(text)).toThrow(InvalidValueError);
  });

  it.each([
    ['REDIS_URL', 'redis://app:2024/secret@host/0'],
    ['REDIS_URL', 'rediss://app:se?cret@host/0'],
    ['CACHE_REST_URL', 'https://app:2024/secret@host'],
  ])('%s refuses a password that is not encoded: %s', (name, text) => {
    expect(() => loadConfig({ [name]: text, CACHE_REST_TOKEN: '' })).toThrow(
      new RegExp(`^${name} must have a percent-encoded password`),
    );
  });

  it.each([
    'sslmod=require',
    'ssl=true',
    'channel_binding=require',
    'connect_timeout=3',
    'uselibpqcompat=true',
    'pgbouncer=true',
  ])('a parameter that would be ignored is refused: %s', (parameter) => {
    expect(() => loadConfig({ DATABASE_URL: `postgres://u:p@h/db?${parameter}` })).toThrow(
      /^DATABASE_URL must have no other parameters than target_session_attrs, require_auth, sslmode, sslrootcert,/,
    );
  });

  it.each(['md5', 'password', 'none', 'scram-sha-256,md5'])('require_auth=%s is refused', (method) => {
    expect(() => loadConfig({ DATABASE_URL: `postgres://u:p@h/db?require_auth=${method}` })).toThrow(
      'DATABASE_URL must have require_auth=scram-sha-256 or no require_auth',
    );
  });
});

describe('the TLS of a database URL', () => {
  it.each([
    ['sslmode=disable', 'disable'],
    ['sslmode=require', 'require'],
    ['sslmode=require&sslrootcert=/ca.pem', 'verify-ca'],
    ['sslmode=verify-ca&sslrootcert=/ca.pem', 'verify-ca'],
    ['sslmode=verify-full', 'verify-full'],
    ['sslmode=verify-full&sslrootcert=system', 'verify-full'],
    ['sslmode=verify-full&sslrootcert=/ca.pem', 'verify-full'],
  ])('%s means %s, as in libpq', (parameters, mode) => {
    const { tls, urls } = readDatabaseUrl(`postgres://u:p@h/db?${parameters}`);
    expect(tls!.mode).toBe(mode);
    expect(urls).toEqual(['postgres://u:p@h/db']);
  });

  it.each([
    ['sslmode=prefer', /sslmode of disable, require, verify-ca or verify-full/],
    ['sslmode=allow', /sslmode of disable, require, verify-ca or verify-full/],
    ['sslmode=no-verify', /sslmode of disable, require, verify-ca or verify-full/],
    ['sslrootcert=/ca.pem', /sslmode of disable, require, verify-ca or verify-full/],
    ['sslmode=verify-ca', /sslrootcert, the file of the authority/],
    ['sslmode=require&sslrootcert=system', /sslmode=verify-full with sslrootcert=system/],
    ['sslmode=require&sslcert=/c.pem', /sslcert and sslkey together/],
  ])('%s is refused with what to change', (parameters, message) => {
    expect(() => loadConfig({ DATABASE_URL: `postgres://u:p@h/db?${parameters}` })).toThrow(message);
  });

  it('a root certificate that cannot be read is named by its parameter', () => {
    const { tls } = readDatabaseUrl('postgres://u:p@h/db?sslmode=verify-full&sslrootcert=/does/not/exist');
    expect(() => tlsOptions(tls!)).toThrow(/^sslrootcert: ENOENT/);
  });
});
