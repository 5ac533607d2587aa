import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseServerList } from '../../../../src/core/balance/server-list.js';

/** What an item stands for, in a word. */
function read(text: string): readonly string[] {
  return parseServerList(text).entries.map((entry) =>
    entry.kind === 'name' ? `${entry.host} port ${entry.port}` : entry.endpoint.label,
  );
}

describe('server_addr', () => {
  it('takes names and addresses, with and without port', () => {
    assert.deepEqual(read('oap'), ['oap port 11800']);
    assert.deepEqual(read('oap.prod.svc.cluster.local:1234'), ['oap.prod.svc.cluster.local port 1234']);
    assert.deepEqual(read('10.0.0.1'), ['10.0.0.1:11800']);
    assert.deepEqual(read('10.0.0.1:1'), ['10.0.0.1:1']);
    assert.deepEqual(read('[fd00::1]:1234'), ['[fd00::1]:1234']);
    assert.deepEqual(read('[fd00::1]'), ['[fd00::1]:11800']);
    assert.deepEqual(read('fd00::1'), ['[fd00::1]:11800']);
    assert.deepEqual(read('::1'), ['[::1]:11800']);
    assert.deepEqual(read('[fe80::1%eth0]:1'), ['[fe80::1%eth0]:1']);
    assert.deepEqual(read('unix:/run/oap.sock'), ['unix:/run/oap.sock']);
    assert.deepEqual(read('unix:///run/oap.sock'), ['unix:/run/oap.sock']);
  });

  it('takes a list, without minding blanks and empty items', () => {
    assert.deepEqual(read(' a:1, 10.0.0.1 ,,\n[::1]:2, '), ['a port 1', '10.0.0.1:11800', '[::1]:2']);
    assert.deepEqual(read(' , '), []);
    assert.deepEqual(parseServerList('').problems, []);
  });

  it('names each item that is no address, and keeps the others', () => {
    const bad = ['http://oap:1', 'oap:port', 'oap:0', 'oap:65536', 'a b', '[zz]:1', ':11800', '-x', 'unix:', '[::1'];
    const { entries, problems } = parseServerList(`good,${bad.join(',')}`);
    assert.equal(entries.length, 1);
    assert.deepEqual(
      problems.map((problem) => /^"(.*)" is no address/.exec(problem)?.[1]),
      bad,
    );
  });

  it('calls an endpoint by its configured name, a literal by its address, a socket by localhost', () => {
    const authorities = parseServerList('[fd00::1]:1, unix:/s').entries.map((entry) =>
      entry.kind === 'fixed' ? entry.endpoint.authority : '',
    );
    assert.deepEqual(authorities, ['[fd00::1]:1', 'localhost']);
  });
});
