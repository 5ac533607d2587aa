/**
 * A fake OAP: takes access logs, SkyWalking logs and management calls as OAP does, and keeps books on what it gets.
 * Neighbours: the product's own gRPC server below; the fleet writes the number plates that it reads.
 * Entry point: `startFakeOap`; `compareBooks` (one folder up) holds its books against the fleet's.
 * Invariants: an access-log call is booked when it is answered OK, never before; answers come only after half-close.
 * Misbehaviour (delay, stall, failures, death) is by option only.
 */
export * from './fake-oap.js';
export type { NodeReport } from './oap-books.js';
export { JOURNAL_ENTRY_BYTES, readJournal } from './oap-journal.js';
export * from './options.js';
export type { KeptMessage } from './skywalking-service.js';
