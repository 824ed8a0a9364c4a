import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PluginInfo, type SocketServer, serveRegistration } from "@orchernetes/csi";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runPluginRegistry } from "./plugin-registry.ts";

let dir: string;
let stop: AbortController;
let done: Promise<void>;
const servers: SocketServer[] = [];
const registered: string[] = [];
let refuse: string | undefined;
/** What a registration waits for. */
let held: Promise<void> | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-plugins-"));
  stop = new AbortController();
  registered.splice(0);
  refuse = undefined;
  held = undefined;
  const handler = {
    validate({ name }: PluginInfo) {
      if (name === "bad") throw new Error("bad name");
    },
    async register({ name }: PluginInfo) {
      await held;
      if (refuse !== undefined) throw new Error(refuse);
      registered.push(`+${name}`);
    },
    async deregister(name: string) {
      registered.push(`-${name}`);
    },
  };
  done = runPluginRegistry(
    { folder: dir, handlers: new Map([["CSIPlugin", handler]]), clock: systemClock, logger: silentLogger },
    stop.signal,
  );
});
afterEach(async () => {
  stop.abort();
  await done;
  await Promise.all(servers.splice(0).map((server) => server.close()));
  rmSync(dir, { recursive: true, force: true });
});

/** Serves a plugin, and returns what it is told. */
async function plugin(path: string, info: Partial<PluginInfo>): Promise<{ told: string[]; server: SocketServer }> {
  const told: string[] = [];
  const server = await serveRegistration(join(dir, path), {
    getInfo: () => ({ type: "CSIPlugin", name: "d", endpoint: "/e", supportedVersions: ["1.0.0"], ...info }),
    notifyRegistrationStatus({ pluginRegistered, error }) {
      told.push(pluginRegistered ? "registered" : error);
      return {};
    },
  });
  servers.push(server);
  return { told, server };
}
const wait = { timeout: 10_000, interval: 20 };

test("a plugin is registered when its socket appears, also in a subfolder, and deregistered when it disappears", async () => {
  const first = await plugin("d.sock", {});
  mkdirSync(join(dir, "inner"));
  const second = await plugin("inner/e.sock", { name: "e" });
  await expect.poll(() => [...registered].sort(), wait).toEqual(["+d", "+e"]);
  await expect.poll(() => [first.told, second.told], wait).toEqual([["registered"], ["registered"]]);
  await first.server.close();
  await expect.poll(() => registered.at(-1), wait).toBe("-d");
});

test("a plugin that restarts is registered again", async () => {
  const first = await plugin("d.sock", {});
  await expect.poll(() => registered, wait).toEqual(["+d"]);
  await first.server.close();
  await plugin("d.sock", {});
  await expect.poll(() => registered.at(-1) === "+d" && registered.length > 1, wait).toBe(true);
});

test("a plugin that cannot be used receives the reason, and registration is retried", async () => {
  refuse = "not now";
  const { told } = await plugin("d.sock", {});
  await expect.poll(() => told, wait).toContain("not now");
  refuse = undefined;
  await expect.poll(() => told, wait).toContain("registered");
});

test.each<[string, Partial<PluginInfo>, string]>([
  ["of an unknown type", { type: "Other" }, 'no handler for plugins of type "Other"; want CSIPlugin'],
  ["that its handler rejects", { name: "bad" }, "bad name"],
])("a plugin %s does not prevent the registration of others", async (_, info, message) => {
  const { told } = await plugin("a.sock", info);
  await plugin("z.sock", { name: "z" });
  await expect.poll(() => registered, wait).toEqual(["+z"]);
  await expect.poll(() => told, wait).toContain(message);
});

test("a plugin that is gone before its registration ends is deregistered", async () => {
  const hold = Promise.withResolvers<void>();
  held = hold.promise;
  const { server } = await plugin("d.sock", { name: "brief" });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await server.close();
  // Until the next look at the folder.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  hold.resolve();
  await expect.poll(() => registered, wait).toEqual(["+brief", "-brief"]);
});

test("a plugin that has another name each time it is asked is registered once", async () => {
  let asked = 0;
  const server = await serveRegistration(join(dir, "d.sock"), {
    getInfo: () => ({ type: "CSIPlugin", name: `d${asked++}`, endpoint: "/e", supportedVersions: ["1.0.0"] }),
    // It is asked again.
    notifyRegistrationStatus: () => {
      throw new Error("not notified");
    },
  });
  servers.push(server);
  await expect.poll(() => registered, wait).toContain("-d0");
  expect(registered.slice(0, 3)).toEqual(["+d0", "+d1", "-d0"]);
  await server.close();
  const isGone = (one: string): boolean => registered.includes(one.replace("+", "-"));
  await expect.poll(() => registered.every(isGone), wait).toBe(true);
});
