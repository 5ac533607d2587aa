/**
 * What runs, made from a configuration: shared servers and clients, and the pipes between them. Start reading here.
 *
 *     server ── registry ──> pipe (receiver → queue → forwarder) ── channel ──> client        one pipe per data type
 */
import { SatelliteError } from '../base/index.js';
import type { ErrorKind } from '../base/index.js';
import { createPipe } from '../core/pipe/index.js';
import type { Pipe } from '../core/pipe/index.js';
import type { PluginSet } from '../core/plugin-set.js';
import type { ClientPlugin, ProcessSettings, ServerPlugin } from '../core/plugin.js';
import type { PipeConfig, PluginConfig, SatelliteConfig } from './config/index.js';

/** The configuration names what is not there: validation should have said so. */
const UNKNOWN_PLUGIN: ErrorKind = {
  code: 'SAT_PLG_UNKNOWN',
  scope: 'process',
  origin: 'user',
  disposition: 'fatal',
  doc: 'The configuration names a plugin, server or client that does not exist. `satellite validate` names the place.',
};

export const TOPOLOGY_ERRORS: readonly ErrorKind[] = [UNKNOWN_PLUGIN];

export class Topology {
  readonly servers: ReadonlyMap<string, ServerPlugin>;
  readonly clients: ReadonlyMap<string, ClientPlugin>;
  readonly pipes: readonly Pipe[];

  /**
   * Makes every plugin and connects them; touches neither network nor disk.
   * @throws SAT_PLG_UNKNOWN, and what a plugin's `create` throws.
   */
  constructor(config: SatelliteConfig, plugins: PluginSet, settings: ProcessSettings) {
    this.clients = makeAll(config.sharing.clients, plugins.client, settings);
    this.servers = makeAll(config.sharing.servers, plugins.server, settings);
    this.pipes = config.pipes.map((pipe) => this.makePipe(pipe, plugins, settings));
  }

  /** Clients, then pipes, then servers: nothing is accepted before all behind it is ready for it. */
  async start(): Promise<void> {
    for (const client of this.clients.values()) await client.start();
    for (const pipe of this.pipes) await pipe.start();
    for (const server of this.servers.values()) await server.start();
  }

  /**
   * Sources are moved away first, then what is held is sent on.
   * @units deadlines in clock milliseconds; the servers get a part of the time, so that the pipes have the rest.
   */
  async drain(serverDeadlineMs: number, pipeDeadlineMs: number): Promise<void> {
    const servers = [...this.servers.values()];
    await Promise.all(servers.map((server) => server.drain(serverDeadlineMs)));
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all(this.pipes.map((pipe) => pipe.drain(pipeDeadlineMs)));
  }

  /** Ends at once what is left. Idempotent. */
  async close(): Promise<void> {
    for (const server of this.servers.values()) await server.close();
    for (const pipe of this.pipes) await pipe.close();
    for (const client of this.clients.values()) await client.close();
  }

  private makePipe(config: PipeConfig, plugins: PluginSet, settings: ProcessSettings): Pipe {
    const pipeSettings = { ...settings, pipeName: config.name };
    const { gatherer, sender } = config;
    const receiver = definitionOf(plugins.receiver, gatherer.receiver).create(gatherer.receiver.options, pipeSettings);
    const queue = definitionOf(plugins.queue, gatherer.queue).create(gatherer.queue.options, pipeSettings);
    const fallbacker = definitionOf(plugins.fallbacker, sender.fallbacker);
    const forwarders = sender.forwarders.map((forwarder) =>
      definitionOf(plugins.forwarder, forwarder).create(forwarder.options, pipeSettings),
    );
    const forwarder = forwarders.find((candidate) => candidate.dataType === receiver.dataType);
    if (forwarder === undefined) throw unknown(`pipe ${config.name} has no forwarder for ${receiver.dataType}`);
    const pipe = createPipe({
      settings: pipeSettings,
      sender: sender.options,
      receiver,
      queue,
      filters: config.processor.filters.map((filter) =>
        definitionOf(plugins.filter, filter).create(filter.options, pipeSettings),
      ),
      forwarder,
      fallbacker: fallbacker.create(sender.fallbacker.options, pipeSettings),
      channel: sharedOf(this.clients, sender.clientName).channel,
    });
    pipe.attach(sharedOf(this.servers, gatherer.serverName).registry);
    return pipe;
  }
}

interface Maker<Settings, Instance> {
  create(config: unknown, settings: Settings): Instance;
}

function makeAll<Instance>(
  configs: readonly PluginConfig[],
  definitions: ReadonlyMap<string, Maker<ProcessSettings, Instance>>,
  settings: ProcessSettings,
): ReadonlyMap<string, Instance> {
  return new Map(
    configs.map((config) => [config.name, definitionOf(definitions, config).create(config.options, settings)]),
  );
}

function definitionOf<T>(definitions: ReadonlyMap<string, T>, config: PluginConfig): T {
  const definition = definitions.get(config.name);
  if (definition === undefined) throw unknown(`there is no plugin "${config.name}"`);
  return definition;
}

function sharedOf<T>(shared: ReadonlyMap<string, T>, name: string): T {
  const instance = shared.get(name);
  if (instance === undefined) throw unknown(`there is no server or client "${name}"`);
  return instance;
}

function unknown(message: string): SatelliteError {
  return new SatelliteError(UNKNOWN_PLUGIN, message);
}
