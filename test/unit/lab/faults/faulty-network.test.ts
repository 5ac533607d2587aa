import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { SimulatedClock, systemClock, type Clock } from '../../../../src/base/index.js';
import { startFaultyNetwork, type FaultyNetwork } from '../../../../src/lab/index.js';

interface Stage {
  readonly network: FaultyNetwork;
  /** Connects through the network to a server that sends everything back. */
  readonly open: () => Promise<Socket>;
}

async function start(t: TestContext, clock: Clock = systemClock): Promise<Stage> {
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const bound = echo.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const network = await startFaultyNetwork({ port }, clock);
  t.after(async () => {
    await network.close();
    echo.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(network.port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    return socket;
  };
  return { network, open };
}

function nextText(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())));
}

/** Resolves to the error's code, or to 'closed'. */
function waitClosed(socket: Socket): Promise<string> {
  let outcome = 'closed';
  socket.on('error', (error: NodeJS.ErrnoException) => (outcome = error.code ?? ''));
  return new Promise((resolve) => socket.once('close', () => resolve(outcome)));
}

test('bytes pass both ways, and so does an orderly end', async (t) => {
  const { network, open } = await start(t);
  const socket = await open();
  socket.write('hello');
  assert.equal(await nextText(socket), 'hello');
  assert.equal(network.connections, 1);
  const closed = waitClosed(socket);
  socket.end();
  assert.equal(await closed, 'closed');
});

test('a reset reaches the one who connected', async (t) => {
  const { network, open } = await start(t);
  const socket = await open();
  socket.write('hello');
  await nextText(socket);
  const closed = waitClosed(socket);
  network.resetAll();
  assert.equal(await closed, 'ECONNRESET');
  assert.equal(network.connections, 0);
});

test('while it refuses, connections are reset at once', async (t) => {
  const { network, open } = await start(t);
  network.refuse(true);
  const refused = connect(network.port, '127.0.0.1');
  assert.equal(await waitClosed(refused), 'ECONNRESET');
  network.refuse(false);
  const socket = await open();
  socket.write('again');
  assert.equal(await nextText(socket), 'again');
  socket.destroy();
});

test('frozen it swallows nothing: what was written arrives when it thaws', async (t) => {
  const { network, open } = await start(t);
  const socket = await open();
  network.freeze(true);
  socket.write('held');
  let hasCome = false;
  const answer = nextText(socket).then((text) => {
    hasCome = true;
    return text;
  });
  // A connection that is not frozen would have answered long before another one is made and torn down.
  const other = await open();
  other.destroy();
  await waitClosed(other);
  assert.equal(hasCome, false);
  network.freeze(false);
  assert.equal(await answer, 'held');
  socket.destroy();
});

test('forgotten connections answer nothing and are not closed; new ones pass, and the far side is rid of the old', async (t) => {
  const { network, open } = await start(t);
  const forgotten = await open();
  forgotten.write('hello');
  await nextText(forgotten);
  let isDisturbed = false;
  for (const event of ['data', 'end', 'error', 'close']) forgotten.on(event, () => (isDisturbed = true));
  network.forgetAll();
  forgotten.write('swallowed');
  const other = await open();
  other.write('passes');
  assert.equal(await nextText(other), 'passes');
  assert.equal(isDisturbed, false);
  assert.equal(network.connections, 2);
  const closed = waitClosed(forgotten);
  forgotten.end();
  await closed;
  other.destroy();
  await waitClosed(other);
});

test('with a latency bytes take their time each way, in order, and the end comes behind them', async (t) => {
  const clock = new SimulatedClock(1000);
  const latencyMs = 50;
  const { network, open } = await start(t, clock);
  network.setLatency(latencyMs);
  const socket = await open();
  const seen = { text: '', isOver: false };
  socket.on('data', (chunk) => (seen.text += chunk.toString()));
  socket.on('end', () => (seen.isOver = true));
  socket.write('first ');
  setImmediate(() => socket.end('second'));
  while (!seen.isOver) {
    assert.ok(seen.text === '' || clock.now() >= 1000 + 2 * latencyMs);
    clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(seen.text, 'first second');
  socket.destroy();
});
