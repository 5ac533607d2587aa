/** The one place where errors of node:net and node:tls become ours. */
import { SatelliteError, type ErrorKind } from '../../base/index.js';
import { NET_ERRORS } from './errors.js';

interface Translation {
  readonly kind: ErrorKind;
  readonly reason: string;
}

const BY_CODE: Readonly<Record<string, Translation>> = {
  ECONNREFUSED: { kind: NET_ERRORS.UNREACHABLE, reason: 'connection refused' },
  EHOSTUNREACH: { kind: NET_ERRORS.UNREACHABLE, reason: 'no route to the host' },
  ENETUNREACH: { kind: NET_ERRORS.UNREACHABLE, reason: 'no route to the network' },
  EHOSTDOWN: { kind: NET_ERRORS.UNREACHABLE, reason: 'the host is down' },
  ENOENT: { kind: NET_ERRORS.UNREACHABLE, reason: 'no such socket file' },
  ENOTFOUND: { kind: NET_ERRORS.NAME, reason: 'the host name is unknown' },
  EAI_AGAIN: { kind: NET_ERRORS.NAME, reason: 'the DNS server does not answer' },
  ETIMEDOUT: { kind: NET_ERRORS.TIMEOUT, reason: 'timed out' },
  ECONNRESET: { kind: NET_ERRORS.LOST, reason: 'reset by the peer' },
  EPIPE: { kind: NET_ERRORS.LOST, reason: 'closed by the peer while we were sending' },
  ECONNABORTED: { kind: NET_ERRORS.LOST, reason: 'aborted by the network' },
  ENETDOWN: { kind: NET_ERRORS.LOST, reason: 'the network is down' },
  EMFILE: { kind: NET_ERRORS.RESOURCES, reason: 'too many open files in this process' },
  ENFILE: { kind: NET_ERRORS.RESOURCES, reason: 'too many open files on this machine' },
  ENOBUFS: { kind: NET_ERRORS.RESOURCES, reason: 'no buffer space left' },
  ENOMEM: { kind: NET_ERRORS.RESOURCES, reason: 'no memory left' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: NET_ERRORS.TLS, reason: 'the certificate is self-signed and not trusted' },
  SELF_SIGNED_CERT_IN_CHAIN: { kind: NET_ERRORS.TLS, reason: 'the certificate’s authority is not trusted' },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: NET_ERRORS.TLS, reason: 'the certificate’s authority is not known' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: NET_ERRORS.TLS, reason: 'the certificate’s authority is not known' },
  CERT_HAS_EXPIRED: { kind: NET_ERRORS.TLS, reason: 'the certificate has expired' },
  UNABLE_TO_GET_ISSUER_CERT: { kind: NET_ERRORS.TLS, reason: 'the certificate’s authority is not known' },
  INVALID_PURPOSE: { kind: NET_ERRORS.TLS, reason: 'the certificate is not made for this use' },
  CERT_REVOKED: { kind: NET_ERRORS.TLS, reason: 'the certificate was revoked' },
  CERT_SIGNATURE_FAILURE: {
    kind: NET_ERRORS.TLS,
    reason: 'the certificate was signed by another authority of that name',
  },
  CERT_NOT_YET_VALID: { kind: NET_ERRORS.TLS, reason: 'the certificate is not valid yet' },
  ERR_TLS_CERT_ALTNAME_INVALID: { kind: NET_ERRORS.TLS, reason: 'the certificate is for another name' },
  ERR_SSL_WRONG_VERSION_NUMBER: { kind: NET_ERRORS.TLS, reason: 'the peer does not speak TLS' },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { kind: NET_ERRORS.TLS, reason: 'the peer does not speak TLS' },
  // Alerts: what the peer holds against us.
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: {
    kind: NET_ERRORS.TLS,
    reason: 'the peer does not know our certificate’s authority',
  },
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: {
    kind: NET_ERRORS.TLS,
    reason: 'our certificate has expired, says the peer',
  },
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: { kind: NET_ERRORS.TLS, reason: 'the peer refuses our certificate' },
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: { kind: NET_ERRORS.TLS, reason: 'the peer refuses our certificate' },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: { kind: NET_ERRORS.TLS, reason: 'the peer requires a certificate of us' },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: { kind: NET_ERRORS.TLS, reason: 'no TLS version in common' },
  ERR_SSL_UNSUPPORTED_PROTOCOL: { kind: NET_ERRORS.TLS, reason: 'no TLS version in common' },
  ERR_SSL_NO_SHARED_CIPHER: { kind: NET_ERRORS.TLS, reason: 'no cipher in common' },
  ERR_TLS_HANDSHAKE_TIMEOUT: { kind: NET_ERRORS.TLS, reason: 'the TLS handshake was not completed in time' },
  ERR_SSL_HTTP_REQUEST: { kind: NET_ERRORS.TLS, reason: 'the peer speaks HTTP without TLS' },
};

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'the address does not belong to this machine',
  EACCES: 'permission denied; ports below 1024 need a privilege',
  ENOTFOUND: 'the host name is unknown',
};

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The names of a certificate that is for another name: what would have to be asked for. */
function detailOf(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: unknown } }).cert?.subjectaltname;
  return codeOf(error) === 'ERR_TLS_CERT_ALTNAME_INVALID' && typeof names === 'string' ? `; it names ${names}` : '';
}

/** A failure of a connection to or from `where`. A SatelliteError passes unchanged. */
export function connectionError(error: unknown, where: string): SatelliteError {
  if (error instanceof SatelliteError) return error;
  const code = codeOf(error);
  const known = BY_CODE[code];
  if (known !== undefined)
    return new SatelliteError(known.kind, `${where}: ${known.reason}${detailOf(error)} (${code})`, { cause: error });
  const isTls = code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code.includes('CERT');
  return new SatelliteError(isTls ? NET_ERRORS.TLS : NET_ERRORS.LOST, `${where}: ${textOf(error)}`, { cause: error });
}

/** What is wrong with a certificate, from the code of its verification. */
export function certificateFault(verification: unknown): string {
  const code = verification instanceof Error ? codeOf(verification) : String(verification);
  return BY_CODE[code]?.reason ?? code;
}

/** Why an address cannot be listened on. */
export function listenFault(error: unknown): string {
  const code = codeOf(error);
  const reason = LISTEN_REASONS[code];
  return reason === undefined ? textOf(error) : `${reason} (${code})`;
}

/** A failure to listen on `where`. */
export function listenError(error: unknown, where: string): SatelliteError {
  return new SatelliteError(NET_ERRORS.LISTEN, `cannot listen on ${where}: ${listenFault(error)}`, { cause: error });
}
