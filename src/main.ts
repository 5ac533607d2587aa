/** The program: hands the command line what its commands do. */
import { createCommands } from './app/commands.js';
import { runCli } from './app/cli/index.js';
import { runDemoCommand } from './lab/demo/index.js';

const io = {
  environment: process.env,
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
};
process.exitCode = await runCli(process.argv.slice(2), io, createCommands(runDemoCommand));
