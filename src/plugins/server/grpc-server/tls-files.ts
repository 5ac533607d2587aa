/** Reads the TLS files of the server, at start and whenever they may have changed. */
import { readFile } from 'node:fs/promises';
import { checkTlsMaterial, listenError, type ServerTlsSettings } from '../../../net/socket/index.js';
import type { GrpcServerConfig } from './config.js';

/** TLS settings of the configuration; null without TLS. @throws SAT_NET_LISTEN when the files cannot be used. */
export async function readTlsFiles(config: GrpcServerConfig): Promise<ServerTlsSettings | null> {
  if (config.tls_cert_file === '') return null;
  try {
    const tls = await readFiles(config);
    checkTlsMaterial(tls);
    return tls;
  } catch (error) {
    throw listenError(error, config.address);
  }
}

/** The files as they are now. @throws what the system says of one that cannot be read. */
export async function readFiles(config: GrpcServerConfig): Promise<ServerTlsSettings> {
  const [cert, key, ca] = await Promise.all([
    readFile(config.tls_cert_file),
    readFile(config.tls_key_file),
    config.tls_ca_file === '' ? undefined : readFile(config.tls_ca_file),
  ]);
  const isClientCertOptional = config.tls_client_auth === 'optional';
  return { cert, key, ...(ca === undefined ? {} : { ca, isClientCertOptional }) };
}
