import { Command, CommanderError } from 'commander';
import { SatelliteError } from '../../base/index.js';
import { parseDuration } from '../../core/options.js';
import { DEFAULT_CONFIG_FILE, MOUNTED_CONFIG_FILE, formatProblem, loadConfig } from '../config/index.js';
import type { Catalogue, Environment, LoadResult, SatelliteConfig } from '../config/index.js';
import { dumpConfig } from '../config/dump.js';
import { checkDocs, emitDocs, writeDocs } from '../config/docs/index.js';
import type { DocumentedTables } from '../config/docs/index.js';
import { EXIT_CODE } from './exit-code.js';
import { packageVersion, readPackageFile } from './package-files.js';

/** The process around the commands. */
export interface CliIo {
  readonly environment: Environment;
  out(text: string): void;
  err(text: string): void;
}

export interface StartOptions {
  readonly shutdownHookMs: number;
  readonly configFile: string;
}

/** What the commands do, handed in from above. Each resolves to an exit code. */
export interface CliCommands {
  readonly catalogue: Catalogue;
  readonly tables: DocumentedTables;
  start(config: SatelliteConfig, options: StartOptions): Promise<number>;
  /** What lies in the disk queues under `directory`. @throws SatelliteError when that cannot be told. */
  inspectQueue(directory: string): string;
  /** Gets the arguments behind `demo` as they are. */
  demo(args: readonly string[]): Promise<number>;
}

const DEFAULT_SHUTDOWN_HOOK_SECONDS = '5';
const SHUTDOWN_HOOK_ENV = 'SATELLITE_SHUTDOWN_HOOK_TIME';

/** Runs the command line `argv` (without node and script) to its end and returns the exit code. */
export async function runCli(argv: readonly string[], io: CliIo, commands: CliCommands): Promise<number> {
  const cli = new Cli(io, commands);
  const program = cli.program();
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT_CODE.done : EXIT_CODE.usage;
  }
  return cli.exitCode;
}

interface FileOptions {
  readonly config?: string;
}

class Cli {
  exitCode: number = EXIT_CODE.done;
  private readonly io: CliIo;
  private readonly commands: CliCommands;

  constructor(io: CliIo, commands: CliCommands) {
    this.io = io;
    this.commands = commands;
  }

  program(): Command {
    const program = new Command('satellite')
      .description('Gateway between Envoy access logs, SkyWalking agents and a cluster of SkyWalking OAP servers.')
      .version(packageVersion(), '-v, --version', 'print the version')
      .helpOption('-h, --help', 'print this help')
      .exitOverride()
      .configureOutput({ writeOut: (text) => this.io.out(text), writeErr: (text) => this.io.err(text) });
    program.showHelpAfterError('Run satellite --help for the commands and their flags.');

    const defaults = `default ${MOUNTED_CONFIG_FILE} where it is, or else ${DEFAULT_CONFIG_FILE}`;
    const fileFlag = `configuration file (env SATELLITE_CONFIG, ${defaults})`;
    program
      .command('start')
      .description('run until SIGTERM')
      .option('-c, --config <file>', fileFlag)
      .option(
        '-t, --shutdown_hook_time <seconds>',
        `time for flushing at shutdown (env ${SHUTDOWN_HOOK_ENV}, default ${DEFAULT_SHUTDOWN_HOOK_SECONDS})`,
      )
      .action((options: FileOptions & { readonly shutdown_hook_time?: string }) => this.start(options));
    program
      .command('validate')
      .description('check a configuration file and list everything wrong with it')
      .option('-c, --config <file>', fileFlag)
      .action((options: FileOptions) => this.validate(options));
    program
      .command('config')
      .description('print the configuration in effect, secrets masked')
      .option('-c, --config <file>', fileFlag)
      .action((options: FileOptions) => this.dump(options));
    program
      .command('demo')
      .description('show it at work: three backends, a satellite and a fleet of Envoys on this machine')
      .helpOption(false)
      .allowUnknownOption()
      .argument('[args...]')
      .action(async (args: string[]) => {
        this.exitCode = await this.commands.demo(args);
      });
    program
      .command('queue')
      .description('look at queues on disk')
      .command('inspect')
      .description('print what waits in a queue, partition by partition; also while a satellite uses it')
      .argument('<dir>', 'the directory of the queue, or of one of its pipes')
      .action((directory: string) => {
        this.inspectQueue(directory);
      });
    program
      .command('docs')
      .description('write the generated documentation pages and the JSON schema')
      .option('-o, --output <folder>', 'folder under which docs/ and configs/ are written', '.')
      .option('--check', 'write nothing; fail when a page is not up to date')
      .action((options: { readonly output: string; readonly check?: boolean }) => this.docs(options));
    return program;
  }

  private async start(options: FileOptions & { readonly shutdown_hook_time?: string }): Promise<void> {
    const { file, config } = this.load(options, 'start');
    const shutdownHookMs = this.shutdownHookMs(options.shutdown_hook_time);
    if (config === null || shutdownHookMs === undefined) this.exitCode = EXIT_CODE.badConfiguration;
    else this.exitCode = await this.commands.start(config, { shutdownHookMs, configFile: file });
  }

  private validate(options: FileOptions): void {
    const { file, config, problems } = this.load(options, 'validate');
    const faults = problems.filter((problem) => problem.severity !== 'warning').length;
    if (config === null || faults > 0) {
      this.io.err(`${file}: ${faults} ${faults === 1 ? 'problem' : 'problems'}\n`);
      this.exitCode = EXIT_CODE.badConfiguration;
    } else {
      this.io.out(`${file}: valid; pipes: ${config.pipes.map((pipe) => pipe.name).join(', ')}\n`);
    }
  }

  private dump(options: FileOptions): void {
    const { config } = this.load(options, 'start');
    if (config === null) this.exitCode = EXIT_CODE.badConfiguration;
    else this.io.out(dumpConfig(config, this.commands.catalogue));
  }

  private inspectQueue(directory: string): void {
    try {
      this.io.out(this.commands.inspectQueue(directory));
    } catch (thrown) {
      const error = SatelliteError.from(thrown);
      this.io.err(`${error.message} [${error.code}]\n`);
      this.exitCode = EXIT_CODE.failed;
    }
  }

  private docs(options: { readonly output: string; readonly check?: boolean }): void {
    const pages = emitDocs(this.commands.catalogue, this.commands.tables, readPackageFile(DEFAULT_CONFIG_FILE));
    if (options.check !== true) {
      writeDocs(pages, options.output);
      this.io.out(`${pages.size} files written\n`);
      return;
    }
    const stale = checkDocs(pages, options.output);
    for (const path of stale) this.io.err(`${path} is not up to date\n`);
    if (stale.length > 0) this.io.err('Run npm run docs and commit the result.\n');
    this.exitCode = stale.length > 0 ? EXIT_CODE.failed : EXIT_CODE.done;
  }

  /** Loads the file and prints its problems; what the original ignores is a warning unless it is being validated. */
  private load(options: FileOptions, purpose: 'start' | 'validate'): LoadResult {
    const result = loadConfig(options.config, this.io.environment, this.commands.catalogue);
    for (const problem of result.problems) {
      const isError = problem.severity === 'error' || (problem.severity === 'strict' && purpose === 'validate');
      this.io.err(`${isError ? '' : 'warning: '}${formatProblem(result.file, problem)}\n`);
    }
    return result;
  }

  /** Seconds with any base prefix, or a duration; flag, then environment, then default. Undefined: reported as wrong. */
  private shutdownHookMs(flag: string | undefined): number | undefined {
    const fromEnvironment = this.io.environment[SHUTDOWN_HOOK_ENV];
    const hasEnvironment = fromEnvironment !== undefined && fromEnvironment !== '';
    const text = flag ?? (hasEnvironment ? fromEnvironment : DEFAULT_SHUTDOWN_HOOK_SECONDS);
    const ms = parseDuration(text, 1000);
    if (ms !== undefined && ms > 0) return ms;
    const source = flag === undefined ? SHUTDOWN_HOOK_ENV : '--shutdown_hook_time';
    this.io.err(`${source}: expected a number of seconds above 0, got ${JSON.stringify(text)}. The default is 5.\n`);
    return undefined;
  }
}
