/** Reads the TLS files of the server, at start and whenever they may have changed. */
import { readFile } from 'node:fs/promises';
import { checkTlsMaterial, fileFault, listenError, type ServerTlsSettings } from '../../../net/socket/index.js';
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

/** The files as they are now. @throws the option and the file that cannot be read, and why. */
export async function readFiles(config: GrpcServerConfig): Promise<ServerTlsSettings> {
  const [cert, key, ca] = await Promise.all([
    readPem(config, 'tls_cert_file'),
    readPem(config, 'tls_key_file'),
    config.tls_ca_file === '' ? undefined : readPem(config, 'tls_ca_file'),
  ]);
  const isClientCertOptional = config.tls_client_auth === 'optional';
  const names = {
    cert: nameOf(config, 'tls_cert_file'),
    key: nameOf(config, 'tls_key_file'),
    ca: nameOf(config, 'tls_ca_file'),
  };
  return { cert, key, names, ...(ca === undefined ? {} : { ca, isClientCertOptional }) };
}

type FileOption = 'tls_cert_file' | 'tls_key_file' | 'tls_ca_file';

async function readPem(config: GrpcServerConfig, option: FileOption): Promise<Buffer> {
  try {
    return await readFile(config[option]);
  } catch (error) {
    throw new Error(`${nameOf(config, option)} ${fileFault(error)}`, { cause: error });
  }
}

function nameOf(config: GrpcServerConfig, option: FileOption): string {
  return `${option} ${config[option]}`;
}
