/** A real program as a plain HTTP/2 proxy before the OAPs: what C or C++ needs to move the same calls, without merging or books. */
import { componentPath, type ComponentName } from '../../test/support/components.js';
import { accepts, findFreePorts } from '../../test/support/ports.js';
import { Child } from '../../test/support/process.js';
import { writeTemporary } from '../../test/support/temporary.js';
import type { Middle } from '../middles.js';

const READY_WITHIN_MS = 10_000;

export interface ProxyProgram {
  readonly component: ComponentName;
  /** Name of its configuration file; some read the format off it. */
  readonly file: string;
  configuration(port: number, oapPorts: readonly number[]): string;
  arguments(file: string): readonly string[];
}

export async function startProxy(program: ProxyProgram, oapPorts: readonly number[]): Promise<Middle> {
  const [port = 0] = await findFreePorts(1);
  const file = writeTemporary(program.file, program.configuration(port, oapPorts));
  const child = new Child({
    name: program.component,
    command: componentPath(program.component),
    args: program.arguments(file),
  });
  await child.waitReady(READY_WITHIN_MS, () => accepts(port));
  return { pid: child.pid, port, stop: () => child.kill() };
}
