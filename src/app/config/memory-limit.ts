import { totalmem } from 'node:os';
import { parseSize } from '../../core/options.js';

/** Below this nothing useful fits: one window, one batch and one message for each of a few streams. */
export const MIN_MEMORY_LIMIT_BYTES = 16 * 1024 * 1024;

/** Memory this process may have: the container's limit, or the machine's memory when there is none. */
export function availableMemoryBytes(): number {
  const machine = totalmem();
  const container = process.constrainedMemory();
  return container > 0 && container < machine ? container : machine;
}

/** Bytes of `512MiB` or of `40%` of what is available; undefined when the text is neither. */
export function resolveMemoryLimit(text: string, availableBytes: number): number | undefined {
  const share = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim());
  if (share === null) return text.trim() === '' ? undefined : parseSize(text);
  const ratio = Number(share[1]) / 100;
  return ratio > 0 && ratio <= 1 ? Math.floor(availableBytes * ratio) : undefined;
}
