import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { TimeLayout } from '../../../../src/app/telemetry/time-layout.js';

const savedZone = process.env.TZ;
before(() => {
  process.env.TZ = 'UTC';
});
after(() => {
  if (savedZone === undefined) delete process.env.TZ;
  else process.env.TZ = savedZone;
});

/** Thursday, 5 March 2026, 07:08:09.012 UTC. */
const MORNING = Date.UTC(2026, 2, 5, 7, 8, 9, 12);
/** Friday, 25 December 2026, 15:04:05.600 UTC. */
const AFTERNOON = Date.UTC(2026, 11, 25, 15, 4, 5, 600);

const CASES: readonly (readonly [layout: string, morning: string, afternoon: string])[] = [
  ['2006-01-02 15:04:05.000', '2026-03-05 07:08:09.012', '2026-12-25 15:04:05.600'],
  ['2006-01-02 15:04:05,000', '2026-03-05 07:08:09,012', '2026-12-25 15:04:05,600'],
  ['2006-01-02T15:04:05Z07:00', '2026-03-05T07:08:09Z', '2026-12-25T15:04:05Z'],
  ['2006-01-02T15:04:05.999999999Z07:00', '2026-03-05T07:08:09.012Z', '2026-12-25T15:04:05.6Z'],
  ['Mon, 02 Jan 2006 15:04:05 MST', 'Thu, 05 Mar 2026 07:08:09 UTC', 'Fri, 25 Dec 2026 15:04:05 UTC'],
  ['Monday, 02-Jan-06 15:04:05 -0700', 'Thursday, 05-Mar-26 07:08:09 +0000', 'Friday, 25-Dec-26 15:04:05 +0000'],
  ['Mon Jan _2 15:04:05 2006', 'Thu Mar  5 07:08:09 2026', 'Fri Dec 25 15:04:05 2026'],
  ['January 2, 3:4:5 pm', 'March 5, 7:8:9 am', 'December 25, 3:4:5 pm'],
  ['3:04PM', '7:08AM', '3:04PM'],
  ['1/2/06 03h', '3/5/26 07h', '12/25/26 03h'],
  ['002|__2', '064| 64', '359|359'],
  ['.00 .000000', '.01 .012000', '.60 .600000'],
  ['-07 -07:00 -07:00:00 -070000', '+00 +00:00 +00:00:00 +000000', '+00 +00:00 +00:00:00 +000000'],
  ['Month %time _2006', 'Month %time _2026', 'Month %time _2026'],
  ['', '', ''],
];

for (const [layout, morning, afternoon] of CASES) {
  test(`prints "${layout}" as Go does`, () => {
    const parsed = new TimeLayout(layout);
    assert.equal(parsed.format(MORNING), morning);
    assert.equal(parsed.format(AFTERNOON), afternoon);
  });
}

test('times are local, with offset and zone name', () => {
  process.env.TZ = 'America/St_Johns';
  const layout = new TimeLayout('15:04 -0700 -07:00 -07 Z07:00');
  assert.equal(layout.format(MORNING), '03:38 -0330 -03:30 -03 -03:30');
  process.env.TZ = 'UTC';
});

test('midnight and noon are twelve o’clock', () => {
  const layout = new TimeLayout('3PM');
  assert.equal(layout.format(Date.UTC(2026, 0, 1, 0)), '12AM');
  assert.equal(layout.format(Date.UTC(2026, 0, 1, 12)), '12PM');
});
