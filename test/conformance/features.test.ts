import assert from 'node:assert/strict';
import { test } from 'node:test';
import { componentFolder } from '../support/components.js';
import { FEATURES, claimedCases } from './support/features.js';
import { INTEROP_CASES } from './support/interop-cases.js';
import { INTEROP_PEERS } from './support/interop-peers.js';

/** @source gRPC doc/interop-test-descriptions.md, its client cases. */
const STANDARD_CASES = [
  'empty_unary',
  'cacheable_unary',
  'large_unary',
  'client_compressed_unary',
  'server_compressed_unary',
  'client_streaming',
  'client_compressed_streaming',
  'server_streaming',
  'server_compressed_streaming',
  'ping_pong',
  'empty_stream',
  'compute_engine_creds',
  'jwt_token_creds',
  'oauth2_auth_token',
  'per_rpc_creds',
  'google_default_credentials',
  'compute_engine_channel_credentials',
  'custom_metadata',
  'status_code_and_message',
  'special_status_message',
  'unimplemented_method',
  'unimplemented_service',
  'cancel_after_begin',
  'cancel_after_first_response',
  'timeout_on_sleeping_server',
  'rpc_soak',
  'channel_soak',
  'orca_per_rpc',
  'orca_oob',
];

const { claimed, 'left-out': leftOut, 'not-claimed': notClaimed } = FEATURES.interop;

test('every standard interop case is either claimed or said not to be, with a reason', () => {
  assert.deepEqual([...claimed, ...Object.keys(notClaimed)].sort(), STANDARD_CASES.toSorted());
});

test('the version of h2spec claimed is the one that is installed', () => {
  assert.ok(componentFolder('h2spec').endsWith(`h2spec-${FEATURES.h2spec.version}`));
});

test('what is claimed is what our own client can run', () => {
  assert.deepEqual(Object.keys(INTEROP_CASES).sort(), claimed.toSorted());
});

test('every case claimed runs both ways against at least one peer', () => {
  const names = INTEROP_PEERS.map((peer) => peer.name);
  for (const direction of ['their-client', 'their-server'] as const) {
    const run = new Set(names.flatMap((name) => claimedCases(name, direction)));
    assert.deepEqual(
      claimed.filter((name) => !run.has(name)),
      direction === 'their-server' ? ['client_compressed_unary'] : [],
    );
  }
});

test('what is left out belongs to a peer and a case there is', () => {
  const names = INTEROP_PEERS.map((peer) => peer.name);
  for (const [peer, directions] of Object.entries(leftOut)) {
    assert.ok(names.includes(peer), peer);
    const cases = Object.values(directions).flatMap((reasons) => Object.keys(reasons));
    assert.deepEqual(
      cases.filter((name) => !claimed.includes(name)),
      [],
    );
  }
});
