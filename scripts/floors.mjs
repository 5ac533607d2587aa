/**
 * The floors of the house: src/ is built bottom to top, a file imports its own floor and those below it. Plugins never
 * import plugins, the network's folders are floors of their own, the operating system is touched in named places only,
 * and no files import each other in a ring.
 */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { listFiles, ROOT } from './files.mjs';

/** Bottom to top. main.ts stands on all of them. */
const FLOORS = ['base', 'net/hpack', 'net/http2', 'net/grpc', 'net/socket', 'core', 'plugins', 'app', 'lab', 'main.ts'];

/** Which folders may use a module of node; modules not listed are free above `PURE`. */
const PURE = /^(base|net\/hpack|net\/http2)\//;
const BUILTINS = {
  net: /^(net\/socket|lab)\//,
  tls: /^net\/socket\//,
  http2: /^$/,
  dns: /^(net\/socket|plugins\/(client|finder))\//,
  fs: /^(app|lab)\/|^plugins\/.*\/(fs|tls-files)\.ts$/,
  http: /^(app|lab|plugins\/server)\//,
  https: /^app\//,
  // Compression in the protocol, check sums of records on disk.
  zlib: /^(net\/grpc|plugins\/queue)\//,
  child_process: /^(app|lab)\//,
  cluster: /^app\//,
  worker_threads: /^(app|lab)\//,
  timers: /^$/,
};

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

/** The import statements of a source text. */
export function readImports(text) {
  return [...text.matchAll(IMPORT)].map(([, type, specifier, dynamic]) => ({
    specifier: specifier ?? dynamic,
    typeOnly: type !== undefined,
  }));
}

/** @param sources Map from path below src (`base/clock.ts`) to text. Returns one sentence per breach. */
export function findBreaches(sources) {
  const breaches = [];
  const graph = new Map();
  for (const [file, text] of sources) {
    const neighbours = [];
    for (const { specifier, typeOnly } of readImports(text)) {
      if (specifier.startsWith('node:')) {
        breaches.push(...judgeBuiltin(file, specifier));
      } else if (specifier.startsWith('.')) {
        const target = posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts');
        breaches.push(...judgeImport(file, target));
        if (!typeOnly) neighbours.push(target);
      }
    }
    graph.set(file, neighbours);
  }
  return [...breaches, ...findRings(graph)];
}

function judgeImport(file, target) {
  if (target.startsWith('..')) return [`src/${file} imports ${target}, outside src`];
  const [from, to] = [floorOf(file), floorOf(target)];
  if (from === -1) return [`src/${file} is on no floor`];
  if (to === -1) return [`src/${file} imports src/${target}, which is on no floor`];
  if (to > from) return [`src/${file} (${FLOORS[from]}) imports src/${target} (${FLOORS[to]}), a floor above it`];
  const [own, other] = [pluginOf(file), pluginOf(target)];
  if (own !== null && other !== null && own !== other) {
    return [`src/${file} imports src/${target}: plugins never import plugins`];
  }
  return [];
}

function judgeBuiltin(file, specifier) {
  const name = specifier.slice('node:'.length).split('/')[0];
  if (PURE.test(file)) return [`src/${file} imports ${specifier}: this folder knows no operating system`];
  const allowed = BUILTINS[name];
  return allowed === undefined || allowed.test(file)
    ? []
    : [`src/${file} imports ${specifier}, which has its own places`];
}

function floorOf(file) {
  return FLOORS.findIndex((floor) => file === floor || file.startsWith(`${floor}/`));
}

/** `receiver/envoy-als-v3` of a file in a plugin's folder; null for the list of all plugins and for other floors. */
function pluginOf(file) {
  return /^plugins\/([^/]+\/[^/]+)\//.exec(file)?.[1] ?? null;
}

/** Depth first; a file met again while still on the way closes a ring. */
function findRings(graph) {
  const done = new Set();
  const way = [];
  const rings = [];
  const visit = (file) => {
    if (done.has(file)) return;
    const start = way.indexOf(file);
    if (start !== -1) {
      rings.push(`ring of imports: ${[...way.slice(start), file].map((name) => `src/${name}`).join(' -> ')}`);
      return;
    }
    way.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    way.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return rings;
}

if (process.argv[1] === import.meta.filename) {
  const files = listFiles('src', '.ts').map((path) => [
    path.slice('src/'.length),
    readFileSync(join(ROOT, path), 'utf8'),
  ]);
  const breaches = findBreaches(new Map(files));
  for (const breach of breaches) console.error(breach);
  process.exitCode = breaches.length > 0 ? 1 : 0;
}
