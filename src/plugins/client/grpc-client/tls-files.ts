/** Reads the TLS files of a client, at start and whenever they may have changed. */
import { readFile } from 'node:fs/promises';
import { SatelliteError } from '../../../base/index.js';
import { fileFault, type ClientTlsSettings } from '../../../net/socket/index.js';
import type { GrpcClientConfig } from './config.js';
import { GRPC_CLIENT_ERRORS } from './errors.js';

type FileOption = 'client_pem_path' | 'client_key_path' | 'ca_pem_path';

/**
 * The names in the shipped configuration. A user who sets nothing has them, so a file that is not there under one of
 * them was never meant.
 */
const SHIPPED_NAMES: Readonly<Record<FileOption, string>> = {
  client_pem_path: 'client.pem',
  client_key_path: 'client.key',
  ca_pem_path: 'ca.pem',
};

/**
 * TLS settings of the configuration; null without TLS, and then no file is touched.
 * @throws SAT_PLG_TLS_FILE as a rejection.
 */
export async function readTlsSettings(config: GrpcClientConfig): Promise<ClientTlsSettings | null> {
  if (!config.enable_tls) return null;
  const ca = await readPem(config, 'ca_pem_path');
  const hasBoth = config.client_pem_path !== '' && config.client_key_path !== '';
  const cert = hasBoth ? await readPem(config, 'client_pem_path') : null;
  const key = hasBoth ? await readPem(config, 'client_key_path') : null;
  if ((cert === null) !== (key === null)) {
    const [missing, present]: [FileOption, FileOption] =
      cert === null ? ['client_pem_path', 'client_key_path'] : ['client_key_path', 'client_pem_path'];
    throw fileError(config, missing, `does not exist, but ${nameOf(config, present)} does`);
  }
  return {
    insecureSkipVerify: config.insecure_skip_verify,
    names: {
      cert: nameOf(config, 'client_pem_path'),
      key: nameOf(config, 'client_key_path'),
      ca: nameOf(config, 'ca_pem_path'),
    },
    ...(ca === null ? {} : { ca }),
    ...(cert === null || key === null ? {} : { cert, key }),
    ...(config.tls_server_name === '' ? {} : { serverName: config.tls_server_name }),
  };
}

/** The file's text; null when none is meant. */
async function readPem(config: GrpcClientConfig, option: FileOption): Promise<string | null> {
  const path = config[option];
  if (path === '') return null;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && path === SHIPPED_NAMES[option]) return null;
    throw fileError(config, option, fileFault(error), error);
  }
}

function nameOf(config: GrpcClientConfig, option: FileOption): string {
  return `${option} ${config[option]}`;
}

function fileError(config: GrpcClientConfig, option: FileOption, problem: string, cause?: unknown): SatelliteError {
  return new SatelliteError(GRPC_CLIENT_ERRORS.tlsFile, `${nameOf(config, option)} ${problem}`, { cause });
}
