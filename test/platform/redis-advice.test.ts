import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { probeStore } from '../../services/platform/shared-store/shared-store';
import { parseRedisUrl } from '../../services/platform/shared-store/store-address';
import { freePorts } from '../support/free-ports';
import { describeWithRedis, startRedis, stopRedisServers } from '../support/redis';
import { useTemporaryFolder } from '../support/temporary-folder';
import { issueCertificate } from '../webhook-queue/certificates';

const folder = useTemporaryFolder();
const ports = { withPassword: 0, withTls: 0 };

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describeWithRedis('a REDIS_URL that does not fit its server', () => {
  beforeAll(async () => {
    ports.withPassword = (await startRedis(['--requirepass', 'pw'])).port;
    [ports.withTls] = await freePorts();
    const authority = issueCertificate({ name: 'authority', isAuthority: true });
    const { key, cert } = issueCertificate({ name: 'localhost', by: authority });
    const settings = [
      `--tls-port ${ports.withTls} --tls-auth-clients no`,
      `--tls-cert-file ${write('cert.pem', cert)} --tls-key-file ${write('key.pem', key)}`,
      `--tls-ca-cert-file ${write('ca.pem', authority.cert)}`,
    ];
    await startRedis(settings.join(' ').split(' '));
  });
  afterAll(stopRedisServers);

  const reasonOf = (url: string) =>
    probeStore(parseRedisUrl(url)).then(
      () => 'it answers',
      (error: Error) => error.message,
    );

  it.each([
    [':pw@', '', 'it answers'],
    [':pw@', '/15', 'it answers'],
    [':pw@', '/16', 'Redis has no database of the number at the end of REDIS_URL'],
    ['', '', 'Redis asks for a password, and REDIS_URL has none'],
    [':other@', '', 'Redis refuses the password of REDIS_URL, or its user'],
    ['other:pw@', '', 'Redis refuses the password of REDIS_URL, or its user'],
  ])('the answer to redis://%shost%s is: %s', async (user, database, expected) => {
    const url = `redis://${user}127.0.0.1:${ports.withPassword}${database}`;
    expect(await reasonOf(url)).toContain(expected);
  });

  it.each(['rediss://:pw@', 'rediss+sentinel://:pw@', 'rediss+cluster://:pw@'])(
    '%s at a port without TLS is refused with the scheme to use',
    async (start) => {
      const url = `${start}127.0.0.1:${ports.withPassword}${start.includes('sentinel') ? '/tours' : ''}`;
      expect(await reasonOf(url)).toContain('REDIS_URL begins with redis instead of rediss');
    },
  );

  it.each(['redis://', 'redis+sentinel://', 'redis+cluster://'])(
    '%s at a port with TLS is refused with the scheme to use',
    async (start) => {
      const url = `${start}127.0.0.1:${ports.withTls}${start.includes('sentinel') ? '/tours' : ''}`;
      expect(await reasonOf(url)).toContain('REDIS_URL begins with rediss instead of redis');
    },
  );

  it('a certificate of a private authority is refused with the variable that names its file', async () => {
    expect(await reasonOf(`rediss://localhost:${ports.withTls}`)).toContain('NODE_EXTRA_CA_CERTS=FILE');
  });
});
