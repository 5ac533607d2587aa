/**
 * The yardstick: a relay that knows no protocol. It accepts connections, opens one to the backend for each, and moves
 * bytes both ways. What a gateway in Node costs beyond this is the price of what it does.
 * Usage: node byte-relay.js --backend HOST:PORT[,HOST:PORT…]; prints `listening PORT`; ends with its standard input.
 */
import { connect, createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { backend: { type: 'string', default: '127.0.0.1:11800' } } });
const backends = values.backend.split(',').map((text) => {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
});
let accepted = 0;

const server = createServer({ noDelay: true, allowHalfOpen: true }, (source) => {
  const backend = backends[accepted++ % backends.length];
  if (backend === undefined) return;
  const target = connect({ ...backend, noDelay: true, allowHalfOpen: true });
  relay(source, target);
  relay(target, source);
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const address = server.address();
  process.stdout.write(`listening ${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => {
  process.exit(0);
});

/** One direction; a full target pauses its source. */
function relay(from: Socket, to: Socket): void {
  from.on('data', (chunk) => {
    if (!to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}
