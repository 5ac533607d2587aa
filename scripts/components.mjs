/**
 * Installs the real programs that slow tests talk to (scripts/components.json) into .components/NAME-VERSION/, each by
 * the ordinary client of its registry. Nothing else on the machine changes, except for Debian packages.
 *
 *   node scripts/components.mjs            all that is missing
 *   node scripts/components.mjs envoy oap  only these
 *
 * A component with `"inCi": false` takes minutes to build, more than a run of CI can spare: with CI=true it is left out
 * unless it is named, and the tests that need it are skipped there by name.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPONENTS = JSON.parse(readFileSync(new URL('components.json', import.meta.url), 'utf8'));

const INSTALLERS = { pip: installFromPip, maven: installFromMaven, go: installFromGo, apt: installFromApt };

function installFromPip({ package: name, version }, folder) {
  run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `${name}==${version}`]);
}

/** Maven copies a dependency with all it needs; a project file that names it is the only way to say so. */
function installFromMaven({ package: name, version }, folder) {
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
  run('mvn', ['-q', '-B', '-f', pom, ...goal]);
}

function installFromGo({ package: name }, folder) {
  run('go', ['install', name], { GOBIN: join(folder, 'bin'), GOFLAGS: '-modcacherw' });
}

/** A Debian package lands in the system, its service not started; the folder gets a link to its program. */
function installFromApt({ package: name, file }, folder) {
  const program = `/usr/${file}`;
  if (!existsSync(program)) {
    run('apt-get', ['update', '-qq']);
    const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], env);
  }
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  symlinkSync(program, join(folder, file));
}

/** Installers talk a lot; what they said is shown only when they fail. */
function run(command, args, env = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw new Error(`${command} cannot run: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
}

/** Installs beside the final place and moves it there when complete, so that a folder that exists is whole. */
function install(name) {
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
  INSTALLERS[component.from](component, unfinished);
  if (!existsSync(join(unfinished, component.file))) throw new Error(`${name}: no ${component.file} after installing`);
  renameSync(unfinished, folder);
  console.log(`${name} ${component.version}: installed in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

function usualComponents() {
  const isCi = process.env.CI === 'true';
  return Object.keys(COMPONENTS).filter((name) => !isCi || COMPONENTS[name].inCi !== false);
}

const failures = [];
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : usualComponents()) {
  try {
    install(name);
  } catch (error) {
    failures.push(`${name}: ${error.message}`);
  }
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
