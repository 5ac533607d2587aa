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
}

/**
 * Proves that the parts can be read and that key and certificate belong together.
 * @throws SAT_NET_TLS with what is wrong.
 */
export function checkTlsMaterial(material: TlsMaterial): void {
  try {
    createSecureContext({
      ...(material.cert === undefined ? {} : { cert: material.cert }),
      ...(material.key === undefined ? {} : { key: material.key }),
    });
  } catch (error) {
    throw unusable(`certificate and key: ${reasonOf(error)}`, error);
  }
  if (material.ca === undefined) return;
  try {
    // A secure context takes any text for an authority, and then trusts nobody.
    new X509Certificate(material.ca);
  } catch (error) {
    throw unusable(`authority: ${reasonOf(error)}`, error);
  }
}

/** When the certificate (the first one of a chain) expires. @units Unix milliseconds; NaN without one. */
export function certificateExpiryMs(cert: string | Buffer | undefined): number {
  return cert === undefined ? NaN : Date.parse(new X509Certificate(cert).validTo);
}

function unusable(reason: string, cause: unknown): SatelliteError {
  return new SatelliteError(NET_ERRORS.TLS, reason, { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'they do not belong together',
  ERR_OSSL_PEM_NO_START_LINE: 'not in PEM form',
};

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return REASONS[code ?? ''] ?? message;
}
