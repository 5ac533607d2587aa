/** Reads the TLS files of the server, once, at start. */
import { readFile } from 'node:fs/promises';
import { listenError, type ServerTlsSettings } from '../../../net/socket/index.js';
import type { GrpcServerConfig } from './config.js';

/** TLS settings of the configuration; null without TLS. @throws SAT_NET_LISTEN when a file cannot be read. */
export async function readTlsFiles(config: GrpcServerConfig): Promise<ServerTlsSettings | null> {
  if (config.tls_cert_file === '') return null;
  try {
    const [cert, key] = await Promise.all([readFile(config.tls_cert_file), readFile(config.tls_key_file)]);
    return { cert, key };
  } catch (error) {
    throw listenError(error, config.address);
  }
}
