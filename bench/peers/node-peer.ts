/** A script of this folder in a process of its own: it says `listening PORT` first, and ends with its standard input. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Middle } from '../middles.js';

export async function startNodePeer(script: string, args: readonly string[]): Promise<Middle> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => {
      reject(new Error(`${script} ended at its start`));
    });
    createInterface(child.stdout).once('line', (line) => {
      resolve(Number(line.replace('listening ', '')));
    });
  });
  return {
    pid: child.pid ?? 0,
    port,
    stop: () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => {
          resolve();
        });
        child.stdin.end();
      }),
  };
}
