/**
 * Installs the real programs that slow tests talk to (scripts/components.json) into .components/NAME-VERSION/, each by
 * the ordinary client of its registry. Nothing else on the machine changes, except for Debian packages.
 *
 *   node scripts/components.mjs            all that is missing
 *   node scripts/components.mjs envoy oap  only these
 *
 * Programs in Go are compiled, which wants the processor; all others are downloaded, which wants the network: the two
 * go on at once, each one after the other.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPONENTS = JSON.parse(readFileSync(new URL('components.json', import.meta.url), 'utf8'));

const INSTALLERS = { pip: installFromPip, maven: installFromMaven, go: installFromGo, apt: installFromApt };

async function installFromPip({ package: name, version }, folder) {
  await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `${name}==${version}`]);
}

/** Maven copies a dependency with all it needs; a project file that names it is the only way to say so. */
async function installFromMaven({ package: name, version }, folder) {
  const [group, artifact] = name.split(':');
  const pom = join(folder, 'pom.xml');
  writeFileSync(
    pom,
    `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>satellite.test</groupId><artifactId>${artifact}</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>
  </dependencies>
</project>
`,
  );
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${join(folder, 'lib')}`];
  await run('mvn', ['-q', '-B', '-f', pom, ...goal]);
}

/** Without optimisation: the compiler takes a fifth less time, and what is tested is the other end. */
const GO_FLAGS = ['-gcflags=all=-N -l', '-ldflags=-s -w'];

async function installFromGo({ package: name }, folder) {
  await run('go', ['install', ...GO_FLAGS, name], { GOBIN: join(folder, 'bin'), GOFLAGS: '-modcacherw' });
}

/** A Debian package lands in the system, its service not started; the folder gets a link to its program. */
async function installFromApt({ package: name, file }, folder) {
  const program = `/usr/${file}`;
  if (!existsSync(program)) {
    await run('apt-get', ['update', '-qq']);
    const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], env);
  }
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  symlinkSync(program, join(folder, file));
}

const execute = promisify(execFile);

/** Installers talk a lot; what they said is shown only when they fail. */
async function run(command, args, env = {}) {
  try {
    await execute(command, args, { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } });
  } catch ({ code, message, stdout = '', stderr = '' }) {
    if (typeof code !== 'number') throw new Error(`${command} cannot run: ${message}`);
    throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
  }
}

/** Installs beside the final place and moves it there when complete, so that a folder that exists is whole. */
async function install(name) {
  const component = COMPONENTS[name];
  if (component === undefined)
    throw new Error(`no component named ${name}; known: ${Object.keys(COMPONENTS).join(', ')}`);
  const folder = join(ROOT, '.components', `${name}-${component.version}`);
  if (existsSync(join(folder, component.file))) return;
  const started = performance.now();
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  await INSTALLERS[component.from](component, unfinished);
  if (!existsSync(join(unfinished, component.file))) throw new Error(`${name}: no ${component.file} after installing`);
  renameSync(unfinished, folder);
  console.log(`${name} ${component.version}: installed in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

const failures = [];

async function installInTurn(names) {
  for (const name of names) {
    try {
      await install(name);
    } catch (error) {
      failures.push(`${name}: ${error.message}`);
    }
  }
}

const named = process.argv.slice(2);
const wanted = named.length > 0 ? named : Object.keys(COMPONENTS);
const isCompiled = (name) => COMPONENTS[name]?.from === 'go';
await Promise.all([
  installInTurn(wanted.filter(isCompiled)),
  installInTurn(wanted.filter((name) => !isCompiled(name))),
]);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
