/**
 * Times printed by Go's reference layout, which the original's `time_pattern` is written in: a layout shows how the
 * reference time, Mon Jan 2 15:04:05 MST 2006, would look.
 * @source Go package time, "Layout" constants and Time.Format.
 */

type Part = (time: Date, zone: Zone) => string;

interface Zone {
  /** Minutes east of UTC. */
  readonly offsetMinutes: number;
  /** `UTC`, `CET`, … */
  readonly name: string;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const zoneNames = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' });

function pad(value: number, width: number, fill = '0'): string {
  return String(value).padStart(width, fill);
}

function monthName(time: Date): string {
  return MONTHS[time.getMonth()] ?? '';
}

function dayName(time: Date): string {
  return DAYS[time.getDay()] ?? '';
}

function hour12(time: Date): number {
  return time.getHours() % 12 || 12;
}

function dayOfYear(time: Date): number {
  const midday = new Date(time.getFullYear(), time.getMonth(), time.getDate(), 12);
  const start = new Date(time.getFullYear(), 0, 1, 12);
  return Math.round((midday.getTime() - start.getTime()) / 86_400_000) + 1;
}

/** `+0200`, `+02:00`, `+02`, with seconds (always 00: time zones of our time have none) where the layout shows them. */
function offset(separator: string, hasMinutes: boolean, hasSeconds: boolean): Part {
  return (_time, zone) => {
    const minutes = Math.abs(zone.offsetMinutes);
    const sign = zone.offsetMinutes < 0 ? '-' : '+';
    const minutePart = hasMinutes ? separator + pad(minutes % 60, 2) : '';
    return sign + pad(Math.floor(minutes / 60), 2) + minutePart + (hasSeconds ? `${separator}00` : '');
  };
}

function offsetOrZ(separator: string, hasMinutes: boolean, hasSeconds: boolean): Part {
  const part = offset(separator, hasMinutes, hasSeconds);
  return (time, zone) => (zone.offsetMinutes === 0 ? 'Z' : part(time, zone));
}

/** Tried from top to bottom at each place of a layout, so the longer of two that begin alike stands first. */
const TOKENS: readonly (readonly [string, Part])[] = [
  ['January', (time) => monthName(time)],
  ['Jan', (time) => monthName(time).slice(0, 3)],
  ['Monday', (time) => dayName(time)],
  ['Mon', (time) => dayName(time).slice(0, 3)],
  ['MST', (_time, zone) => zone.name],
  ['2006', (time) => pad(time.getFullYear(), 4)],
  ['__2', (time) => pad(dayOfYear(time), 3, ' ')],
  ['002', (time) => pad(dayOfYear(time), 3)],
  ['01', (time) => pad(time.getMonth() + 1, 2)],
  ['02', (time) => pad(time.getDate(), 2)],
  ['03', (time) => pad(hour12(time), 2)],
  ['04', (time) => pad(time.getMinutes(), 2)],
  ['05', (time) => pad(time.getSeconds(), 2)],
  ['06', (time) => pad(time.getFullYear() % 100, 2)],
  ['15', (time) => pad(time.getHours(), 2)],
  ['_2', (time) => pad(time.getDate(), 2, ' ')],
  ['1', (time) => String(time.getMonth() + 1)],
  ['2', (time) => String(time.getDate())],
  ['3', (time) => String(hour12(time))],
  ['4', (time) => String(time.getMinutes())],
  ['5', (time) => String(time.getSeconds())],
  ['PM', (time) => (time.getHours() < 12 ? 'AM' : 'PM')],
  ['pm', (time) => (time.getHours() < 12 ? 'am' : 'pm')],
  ['-07:00:00', offset(':', true, true)],
  ['-07:00', offset(':', true, false)],
  ['-070000', offset('', true, true)],
  ['-0700', offset('', true, false)],
  ['-07', offset('', false, false)],
  ['Z07:00:00', offsetOrZ(':', true, true)],
  ['Z07:00', offsetOrZ(':', true, false)],
  ['Z070000', offsetOrZ('', true, true)],
  ['Z0700', offsetOrZ('', true, false)],
  ['Z07', offsetOrZ('', false, false)],
];

/** Fractions of a second: `.000` pads to that width, `.999` drops zeros at the end (and itself, when nothing is left). */
const FRACTION = /^([.,])(0+|9+)(?!\d)/;

function fraction(separator: string, digits: string): Part {
  return (time) => {
    const exact = pad(time.getMilliseconds(), 3).padEnd(digits.length, '0').slice(0, digits.length);
    if (digits.startsWith('0')) return separator + exact;
    const trimmed = exact.replace(/0+$/, '');
    return trimmed === '' ? '' : separator + trimmed;
  };
}

/** A parsed layout. Times are local, as the original's are. */
export class TimeLayout {
  private readonly parts: (string | Part)[] = [];
  private readonly needsZoneName: boolean;

  constructor(layout: string) {
    let literal = '';
    for (let at = 0; at < layout.length;) {
      const [length, part] = partAt(layout, at);
      if (part === null) {
        literal += layout.slice(at, at + length);
      } else {
        if (literal !== '') this.parts.push(literal);
        literal = '';
        this.parts.push(part);
      }
      at += length;
    }
    if (literal !== '') this.parts.push(literal);
    this.needsZoneName = layout.includes('MST');
  }

  /** @units `unixMs`: Unix milliseconds. */
  format(unixMs: number): string {
    const time = new Date(unixMs);
    const zone: Zone = {
      offsetMinutes: -time.getTimezoneOffset(),
      name: this.needsZoneName ? zoneNameAt(time) : '',
    };
    let text = '';
    for (const part of this.parts) text += typeof part === 'string' ? part : part(time, zone);
    return text;
  }
}

/** What stands at `at`: its length, and how to print it (null: as it is). */
function partAt(layout: string, at: number): readonly [number, Part | null] {
  const [text = '', separator = '', digits = ''] = FRACTION.exec(layout.slice(at)) ?? [];
  if (digits !== '') return [text.length, fraction(separator, digits)];
  for (const [token, part] of TOKENS) {
    if (!layout.startsWith(token, at)) continue;
    // `Jan` and `Mon` inside a longer word (`Month`) are text, as in Go; so is `_2006`'s underscore.
    if ((token === 'Jan' || token === 'Mon') && /^[a-z]/.test(layout.slice(at + 3))) continue;
    if (token === '_2' && layout.startsWith('_2006', at)) return [1, null];
    return [token.length, part];
  }
  return [1, null];
}

function zoneNameAt(time: Date): string {
  return zoneNames.formatToParts(time).find((part) => part.type === 'timeZoneName')?.value ?? 'UTC';
}
