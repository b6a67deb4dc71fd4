import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../services/platform/database/database';
import {
  createPrimary,
  describeServer,
  makeFolder,
  onServer,
  type PostgresServer,
} from '../chaos/failover/postgres-server';
import { serverPrograms } from '../chaos/failover/server-programs';
import { describeWith } from '../support/describe-with';
import { freePorts } from '../support/free-ports';
import { useTemporaryFolder } from '../support/temporary-folder';
import { killChildren } from '../stack/child';
import { issueCertificate } from '../webhook-queue/certificates';

const folder = useTemporaryFolder();
let server: PostgresServer;

/** Writes a file into the data directory of the server, readable by the account of the server alone. */
function write(name: string, text: string): void {
  const file = path.join(folder, 'a', name);
  const { uid, gid } = statSync(path.dirname(file));
  writeFileSync(file, text, { mode: 0o600 });
  chownSync(file, uid, gid);
}

/** Returns whether a new connection with these parameters uses TLS. */
async function connect(parameters: string, host = 'localhost', url = server.url): Promise<boolean> {
  const db = openDatabase(`${url.replace('127.0.0.1', host)}?${parameters}`, { applicationName: 'tests' });
  try {
    const { rows } = await db.raw<{ rows: { ssl: boolean }[] }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return rows[0]!.ssl;
  } finally {
    await db.destroy();
  }
}

async function reload(...statements: string[]): Promise<void> {
  await onServer(server, async (db) => {
    for (const statement of [...statements, 'select pg_reload_conf()']) await db.raw(statement);
  });
  await sleep(300);
}

const CA = () => `sslrootcert=${encodeURIComponent(path.join(folder, 'a', 'ca.pem'))}`;
const OTHER_CA = () => `sslrootcert=${encodeURIComponent(path.join(folder, 'a', 'other.pem'))}`;

describeWith(
  'postgresql',
  'connections to an own PostgreSQL',
  () => {
    beforeAll(async () => {
      makeFolder(folder);
      const [port] = await freePorts();
      server = describeServer(folder, 'a', port);
      await createPrimary(server, folder);
    });
    afterAll(killChildren);

    it('a URL without a password is refused with the form of a URL that has one', async () => {
      const url = server.url.replace(/:[^:@/]+@/, '@');
      await expect(connect('', 'localhost', url)).rejects.toThrow(
        'the server asks for a password, and the URL has none: postgres://user:password@host/database',
      );
    });

    it('sslmode=require is refused by a server without TLS, with what to change', async () => {
      await expect(connect('sslmode=require')).rejects.toThrow(
        'the server does not offer TLS: use sslmode=disable, or turn on ssl in the server',
      );
    });

    describe('with TLS and a certificate of a private authority', () => {
      beforeAll(async () => {
        const authority = issueCertificate({ name: 'authority', isAuthority: true });
        const { key, cert } = issueCertificate({ name: 'localhost', by: authority });
        write('server.key', key);
        write('server.crt', cert);
        write('ca.pem', authority.cert);
        write('other.pem', issueCertificate({ name: 'other', isAuthority: true }).cert);
        await reload('alter system set ssl = on');
      });

      it('sslmode=verify-full accepts the host name of the certificate', async () => {
        expect(await connect(`sslmode=verify-full&${CA()}`)).toBe(true);
      });

      it('sslmode=verify-full refuses another host name', async () => {
        await expect(connect(`sslmode=verify-full&${CA()}`, '127.0.0.1')).rejects.toThrow(
          /^the certificate of the server has another host name: .*sslmode=verify-ca/,
        );
      });

      it('sslmode=verify-ca accepts another host name', async () => {
        expect(await connect(`sslmode=verify-ca&${CA()}`, '127.0.0.1')).toBe(true);
      });

      it.each([
        ['verify-full', () => 'sslmode=verify-full'],
        ['verify-full with another authority', () => `sslmode=verify-full&${OTHER_CA()}`],
        ['verify-ca with another authority', () => `sslmode=verify-ca&${OTHER_CA()}`],
        ['require with another authority', () => `sslmode=require&${OTHER_CA()}`],
      ])('sslmode=%s refuses a certificate of an unknown authority, and names sslrootcert', async (_, of) => {
        await expect(connect(of())).rejects.toThrow(
          'signed by an unknown authority: name its file with sslrootcert=FILE in the URL',
        );
      });

      it('sslmode=require encrypts and checks no certificate', async () => {
        expect(await connect('sslmode=require', '127.0.0.1')).toBe(true);
      });

      it('sslmode=disable does not encrypt', async () => {
        expect(await connect('sslmode=disable')).toBe(false);
      });

      it('a server that requires TLS refuses a URL without sslmode, with what to add', async () => {
        const rules = path.join(folder, 'a', 'pg_hba.conf');
        write('pg_hba.conf', `hostnossl all all all reject\n${readFileSync(rules, 'utf8')}`);
        await reload();
        await expect(connect('')).rejects.toThrow('the server requires TLS: add sslmode=verify-full');
      });
    });
  },
  serverPrograms() !== undefined,
);
