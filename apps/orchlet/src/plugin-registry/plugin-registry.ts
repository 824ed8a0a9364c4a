import { createRegistrationClient, type PluginInfo, type RegistrationClient } from "@orchernetes/csi";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { findSockets } from "./find-sockets.ts";

/** Handles plugins of one type. */
export interface PluginHandler {
  /** Validates the information that a plugin reports about itself. @throws Error if the plugin cannot be used */
  validate(info: PluginInfo): void;
  /** Registers the plugin. @throws Error if that fails; it is then tried again */
  register(info: PluginInfo, signal: AbortSignal): Promise<void>;
  /** Deregisters the plugin, whose socket was deleted. */
  deregister(name: string): Promise<void>;
}

/** The folder, and the handlers by type, such as `CSIPlugin`. */
export interface PluginRegistryOptions {
  /** Plugins create their registration sockets in it, or in a folder below it. */
  readonly folder: string;
  readonly handlers: ReadonlyMap<string, PluginHandler>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface KnownSocket {
  /** Changes when another socket appears at the path. */
  readonly identity: string;
  /** Set when the plugin is registered. */
  registered: { readonly type: string; readonly name: string } | undefined;
  delayMs: number;
  /** Time of the next attempt; `Infinity` while one is in flight, and when it is registered. */
  dueAtMs: number;
}

const scanMs = 1000;
/** Limit of one call to a plugin, in milliseconds. */
const callMs = 10_000;
/** Bounds of the delay between attempts, as in the original. */
const firstRetryMs = 500;
const maxRetryMs = 122_000;
const maxErrorLength = 1024;

/**
 * Follows the sockets in the folder: asks the plugin of each new socket for its type, and registers it with the handler of that
 * type. A plugin whose socket was deleted or replaced is deregistered. A plugin that fails is tried again, with its own back-off.
 *
 * @returns when the signal aborts. Plugins stay registered in the cluster then, because the agent is expected to start again soon
 */
export async function runPluginRegistry(options: PluginRegistryOptions, signal: AbortSignal): Promise<void> {
  const { folder, clock, logger } = options;
  const known = new Map<string, KnownSocket>();
  while (!signal.aborted) {
    try {
      const found = await findSockets(folder);
      for (const [path, socket] of known) {
        if (found.get(path) === socket.identity) continue;
        known.delete(path);
        await forget(socket, known, options);
      }
      for (const [path, identity] of found) {
        const socket = known.get(path) ?? { identity, registered: undefined, delayMs: firstRetryMs, dueAtMs: 0 };
        known.set(path, socket);
        if (clock.monotonicMs() < socket.dueAtMs) continue;
        void attempt(path, socket, known, options, signal).then(() => {
          // Its socket may be gone since before it was registered.
          if (known.get(path) !== socket && !signal.aborted) return forget(socket, known, options);
        });
      }
    } catch (error) {
      logger.error(error, "Unable to look for plugins", { folder });
    }
    await clock.sleep(scanMs, signal).catch(() => undefined);
  }
}

/** Deregisters the plugin of a socket that was deleted, or has another plugin now, unless the plugin has another socket. */
async function forget(
  socket: KnownSocket,
  known: ReadonlyMap<string, KnownSocket>,
  { handlers, logger }: PluginRegistryOptions,
): Promise<void> {
  const { registered } = socket;
  if (registered === undefined) return;
  socket.registered = undefined;
  const { type, name } = registered;
  const isThere = [...known.values()].some(
    (other) => other.registered?.type === type && other.registered.name === name,
  );
  if (isThere) return;
  logger.info("A plugin is gone", { type, plugin: name });
  try {
    await handlers.get(type)?.deregister(name);
  } catch (error) {
    logger.error(error, "Unable to deregister a plugin", { type, plugin: name });
  }
}

/** Asks a plugin for its type and registers it. Never rejects. */
async function attempt(
  path: string,
  socket: KnownSocket,
  known: ReadonlyMap<string, KnownSocket>,
  options: PluginRegistryOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger } = options;
  socket.dueAtMs = Number.POSITIVE_INFINITY;
  const client = createRegistrationClient(path, callMs);
  try {
    await register(client, options, signal, async (registered) => {
      const before = socket.registered;
      // One that could not be notified is asked again, and may have another name then.
      if (before?.type !== registered.type || before.name !== registered.name) await forget(socket, known, options);
      socket.registered = registered;
    });
    logger.info("Registered a plugin", { ...socket.registered, path });
  } catch (error) {
    if (signal.aborted) return;
    logger.error(error, "Unable to register a plugin", { path });
    socket.dueAtMs = clock.monotonicMs() + socket.delayMs;
    socket.delayMs = Math.min(socket.delayMs * 2, maxRetryMs);
  } finally {
    client.close();
  }
}

/**
 * Registers a plugin, and notifies it of the result.
 *
 * @param onRegistered called before the plugin is notified: what was registered must be deregistered, also if that fails
 */
async function register(
  { calls }: RegistrationClient,
  { handlers }: PluginRegistryOptions,
  signal: AbortSignal,
  onRegistered: (plugin: NonNullable<KnownSocket["registered"]>) => Promise<void>,
): Promise<void> {
  const info = await calls.getInfo({}, { signal });
  const { type, name } = info;
  try {
    const handler = handlers.get(type);
    if (handler === undefined)
      throw new Error(
        `no handler for plugins of type ${JSON.stringify(type.slice(0, 64))}; want ${[...handlers.keys()].join(" or ")}`,
      );
    handler.validate(info);
    await handler.register(info, signal);
    await onRegistered({ type, name });
  } catch (error) {
    const text = messageOf(error).slice(0, maxErrorLength);
    await calls.notifyRegistrationStatus({ pluginRegistered: false, error: text }, { signal }).catch(() => undefined);
    throw error;
  }
  await calls.notifyRegistrationStatus({ pluginRegistered: true }, { signal });
}
