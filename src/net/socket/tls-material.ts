/** What can be known of certificates and keys before a handshake uses them. */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { SatelliteError } from '../../base/index.js';
import { NET_ERRORS } from './errors.js';

/** The parts that clients and servers have in common. PEM. */
export interface TlsMaterial {
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Authorities that the peer's certificate is checked against. */
  readonly ca?: string | Buffer;
  /** What messages call the parts. */
  readonly names?: TlsNames;
}

/** Of each part: the option and the file that it came from. */
export interface TlsNames {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const PLAIN_NAMES: TlsNames = { cert: 'the certificate', key: 'the private key', ca: 'the authority' };

/**
 * Proves that the parts can be read and that key and certificate belong together.
 * @throws SAT_NET_TLS with what is wrong, and with which part.
 */
export function checkTlsMaterial(material: TlsMaterial): void {
  const { cert, key, ca, names = PLAIN_NAMES } = material;
  checkPart(names.cert, cert, 'CERTIFICATE', (pem) => createSecureContext({ cert: pem }));
  checkPart(names.key, key, 'PRIVATE KEY', (pem) => createSecureContext({ key: pem }));
  // A secure context takes any text for an authority, and then trusts nobody.
  checkPart(names.ca, ca, 'CERTIFICATE', (pem) => new X509Certificate(pem));
  if (cert === undefined || key === undefined) return;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const isOther = (error as NodeJS.ErrnoException).code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
    const fault = isOther ? 'do not belong together' : `cannot be used: ${messageOf(error)}`;
    throw unusable(`${names.cert} and ${names.key} ${fault}`, error);
  }
}

/** When the certificate (the first one of a chain) expires. @units Unix milliseconds; NaN without one. */
export function certificateExpiryMs(cert: string | Buffer | undefined): number {
  return cert === undefined ? NaN : Date.parse(new X509Certificate(cert).validTo);
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'cannot be read: permission denied',
};

/** Why a file could not be read, to stand behind its name. */
export function fileFault(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return FILE_FAULTS[code] ?? `cannot be read: ${messageOf(error)}`;
}

function checkPart(
  name: string,
  pem: string | Buffer | undefined,
  kind: 'CERTIFICATE' | 'PRIVATE KEY',
  parse: (pem: string | Buffer) => unknown,
): void {
  if (pem === undefined) return;
  const text = pem.toString('latin1');
  if (!new RegExp(`-----BEGIN [A-Z ]*${kind}-----`).test(text)) {
    throw unusable(`${name} holds no ${kind.toLowerCase()} in PEM form`);
  }
  if (kind === 'PRIVATE KEY' && text.includes('ENCRYPTED')) {
    throw unusable(`${name} is encrypted; a key without a passphrase is needed`);
  }
  try {
    parse(pem);
  } catch (error) {
    throw unusable(`${name} cannot be parsed: ${messageOf(error)}`, error);
  }
}

function unusable(reason: string, cause?: unknown): SatelliteError {
  return new SatelliteError(NET_ERRORS.TLS, reason, { cause });
}

/** The library's words without the numbers and routine names before them. */
function messageOf(error: unknown): string {
  const { message } = error as Error;
  return message.replace(/^error:[0-9A-F]+:[^:]*:+/, '');
}
