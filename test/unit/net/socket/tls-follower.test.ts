import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SimulatedClock, systemClock } from '../../../../src/base/index.js';
import { certificateExpiryMs, checkTlsMaterial, TlsFollower } from '../../../../src/net/socket/index.js';
import type { TlsMaterial } from '../../../../src/net/socket/index.js';
import { createCertificates, type TestCertificates } from '../../../support/certificates.js';

describe('followed TLS files', () => {
  let old: TestCertificates;
  let renewed: TestCertificates;
  before(() => {
    old = createCertificates();
    renewed = createCertificates();
  });
  after(() => {
    old.remove();
    renewed.remove();
  });

  const pairOf = (files: TestCertificates): TlsMaterial => ({ cert: files.serverCert, key: files.serverKey });

  function follow(clock = new SimulatedClock(0, systemClock.wallNow())) {
    const disk = { material: pairOf(old), failure: null as Error | null };
    const used: TlsMaterial[] = [];
    const refused: string[] = [];
    const follower = new TlsFollower(disk.material, {
      clock,
      read: () => (disk.failure === null ? Promise.resolve({ ...disk.material }) : Promise.reject(disk.failure)),
      onRenewed: (material) => used.push(material),
      onRefused: (error) => refused.push((error as Error).message),
    });
    const check = async (times: number): Promise<void> => {
      for (let count = 0; count < times; count++) await follower.check();
    };
    return { clock, disk, used, refused, follower, check };
  }

  test('a renewed pair is in use once two readings agree', async () => {
    const { disk, used, refused, follower, check } = follow();
    await check(3);
    disk.material = pairOf(renewed);
    await check(1);
    assert.equal(used.length, 0);
    await check(5);
    assert.deepEqual(used, [pairOf(renewed)]);
    assert.deepEqual(refused, []);
    assert.equal(follower.expiryMs, certificateExpiryMs(renewed.serverCert));
  });

  test('a pair written in two steps is met whole', async () => {
    const { disk, used, refused, check } = follow();
    disk.material = { ...pairOf(old), cert: renewed.serverCert };
    await check(1);
    disk.material = pairOf(renewed);
    await check(2);
    assert.deepEqual(used, [pairOf(renewed)]);
    assert.deepEqual(refused, []);
  });

  test('what cannot be used is refused once, with the reason, and the old pair stays', async () => {
    const cases: [TlsMaterial, RegExp][] = [
      [{ ...pairOf(old), cert: renewed.serverCert }, /do not belong together/],
      [{ ...pairOf(old), cert: 'nonsense' }, /^the certificate holds no certificate in PEM form$/],
      [{ ...pairOf(old), ca: 'nonsense' }, /^the authority holds no certificate in PEM form$/],
      [{ ...pairOf(old), cert: old.expiredServerCert() }, /the new certificate has expired/],
    ];
    for (const [material, message] of cases) {
      const { disk, used, refused, follower, check } = follow();
      disk.material = material;
      await check(4);
      assert.equal(refused.length, 1);
      assert.match(refused[0]!, message);
      assert.equal(used.length, 0);
      assert.equal(follower.expiryMs, certificateExpiryMs(old.serverCert));
      disk.material = pairOf(renewed);
      await check(2);
      assert.equal(used.length, 1);
    }
  });

  test('a file that is missing for one reading is no error, one that stays away is', async () => {
    const { disk, refused, check } = follow();
    disk.failure = new Error('no such file');
    await check(1);
    disk.failure = null;
    await check(2);
    assert.deepEqual(refused, []);
    disk.failure = new Error('no such file');
    await check(3);
    assert.deepEqual(refused, ['no such file']);
  });

  test('readings come by themselves, one at a time, until it is closed', async () => {
    const { clock, disk, used, follower } = follow();
    disk.material = pairOf(renewed);
    for (let step = 0; step < 2; step++) {
      assert.equal(clock.pendingTimers, 1);
      clock.advance(5000);
      assert.equal(clock.pendingTimers, 0);
      while (clock.pendingTimers === 0) await Promise.resolve();
    }
    assert.equal(used.length, 1);
    follower.close();
    assert.equal(clock.pendingTimers, 0);
  });

  test('the system’s roots need no file, and a good pair passes', () => {
    checkTlsMaterial({});
    checkTlsMaterial({ ...pairOf(old), ca: old.ca });
    assert.ok(Number.isNaN(certificateExpiryMs(undefined)));
  });
});
