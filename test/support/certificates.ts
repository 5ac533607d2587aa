/** Certificates for tests, made by openssl into a temporary folder: an authority, a server for localhost, a client. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificates {
  readonly directory: string;
  readonly ca: Buffer;
  readonly serverCert: Buffer;
  readonly serverKey: Buffer;
  readonly clientCert: Buffer;
  readonly clientKey: Buffer;
  /** A certificate of the server's key, signed by the authority, whose time was over years ago. */
  expiredServerCert(): Buffer;
  remove(): void;
}

/** What openssl needs to sign with dates of our choice. */
const SIGNING_CONFIG = `[ca]
default_ca = any
[any]
new_certs_dir = .
database = index.txt
serial = serial
default_md = sha256
policy = names
[names]
commonName = supplied
`;

export function createCertificates(): TestCertificates {
  const directory = mkdtempSync(join(tmpdir(), 'satellite-tls-'));
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=test authority',
    '-days',
    '2',
  );
  writeFileSync(join(directory, 'server.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  writeFileSync(join(directory, 'client.ext'), 'extendedKeyUsage=clientAuth\n');
  for (const name of ['server', 'client']) {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.pem`);
  }
  const read = (name: string): Buffer => readFileSync(join(directory, name));
  return {
    directory,
    ca: read('ca.pem'),
    serverCert: read('server.pem'),
    serverKey: read('server.key'),
    clientCert: read('client.pem'),
    clientKey: read('client.key'),
    expiredServerCert: () => {
      writeFileSync(join(directory, 'signing.cnf'), SIGNING_CONFIG);
      writeFileSync(join(directory, 'index.txt'), '');
      writeFileSync(join(directory, 'serial'), '0101');
      const dates = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
      const signer = ['-config', 'signing.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-extfile', 'server.ext'];
      openssl('ca', '-batch', '-notext', ...signer, ...dates, '-in', 'server.csr', '-out', 'expired.pem');
      return read('expired.pem');
    },
    remove: () => {
      rmSync(directory, { recursive: true });
    },
  };
}
