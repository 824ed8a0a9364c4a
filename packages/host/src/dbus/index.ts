/**
 * A client of the system's message bus (D-Bus), over its unix socket: calls and signals, without passing of descriptors. Written here
 * because the libraries on npm are either unmaintained for years or bring parsers of XML and shells' options; the daemons need one page
 * of the protocol.
 *
 * @example
 * ```ts
 * import { connectBus } from "@orchernetes/host/dbus";
 *
 * const bus = await connectBus();
 * const names = await bus.call({
 *   destination: "org.freedesktop.DBus",
 *   path: "/org/freedesktop/DBus",
 *   interface: "org.freedesktop.DBus",
 *   member: "ListNames",
 * });
 * console.log(names);
 * bus.close();
 * ```
 *
 * @module
 */
export {
  type BusCall,
  type BusConnection,
  connectBus,
  DbusError,
  type SignalMatch,
  systemBusSocket,
} from "./bus-connection.ts";
export type { DbusValue, Variant } from "./signature.ts";
