import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcError } from "@orchernetes/cri/grpc";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCsiClient, createRegistrationClient } from "./clients.ts";
import { serveCsi, serveRegistration } from "./serve-csi.ts";

let dir: string;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-csi-"));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(dir, { recursive: true, force: true });
});

test("a driver is asked over its socket; what it does not implement is Unimplemented, and its errors have their codes", async () => {
  const socket = join(dir, "csi.sock");
  const server = await serveCsi(socket, {
    identity: {},
    controller: {},
    node: {
      nodeGetInfo: () => ({ nodeId: "n1" }),
      nodeUnpublishVolume: () => {
        throw new RpcError("NodeUnpublishVolume", "NotFound", "no such volume");
      },
    },
  });
  const client = createCsiClient(socket, { timeoutMs: 5000 });
  closing.push(
    () => server.close(),
    () => client.close(),
  );
  expect(await client.node.nodeGetInfo({})).toEqual({ nodeId: "n1", maxVolumesPerNode: 0 });
  await expect(client.node.nodeUnpublishVolume({ volumeId: "v" })).rejects.toThrow(
    "rpc error: code = NotFound desc = no such volume",
  );
  await expect(client.node.nodeStageVolume({})).rejects.toMatchObject({ code: "Unimplemented" });
  await expect(client.identity.probe({})).rejects.toMatchObject({ code: "Unimplemented" });
});

test("a driver that does not answer fails with DeadlineExceeded", async () => {
  const socket = join(dir, "csi.sock");
  const server = await serveCsi(socket, {
    identity: {},
    controller: {},
    node: { nodeGetInfo: () => new Promise(() => undefined) },
  });
  const client = createCsiClient(socket, { timeoutMs: 200 });
  closing.push(
    () => server.close(),
    () => client.close(),
  );
  await expect(client.node.nodeGetInfo({})).rejects.toMatchObject({ code: "DeadlineExceeded" });
});

test("a response beyond the limit of gRPC is refused before it is read", async () => {
  const socket = join(dir, "csi.sock");
  let size = 0;
  const server = await serveCsi(socket, {
    identity: {},
    controller: {},
    node: { nodeGetInfo: () => ({ nodeId: "n".repeat(size) }) },
  });
  const client = createCsiClient(socket, { timeoutMs: 5000 });
  closing.push(
    () => server.close(),
    () => client.close(),
  );
  size = 4 * 1024 * 1024;
  await expect(client.node.nodeGetInfo({})).rejects.toMatchObject({ code: "ResourceExhausted" });
  size = 4 * 1024 * 1024 - 10;
  expect((await client.node.nodeGetInfo({})).nodeId).toHaveLength(size);
});

test("a plugin introduces itself, and learns the outcome", async () => {
  const socket = join(dir, "reg.sock");
  const told: object[] = [];
  const server = await serveRegistration(socket, {
    getInfo: () => ({ type: "CSIPlugin", name: "d", endpoint: "/e", supportedVersions: ["1.0.0"] }),
    notifyRegistrationStatus(status) {
      told.push(status);
      return {};
    },
  });
  const client = createRegistrationClient(socket, 5000);
  closing.push(
    () => server.close(),
    () => client.close(),
  );
  expect(await client.calls.getInfo({})).toEqual({
    type: "CSIPlugin",
    name: "d",
    endpoint: "/e",
    supportedVersions: ["1.0.0"],
  });
  await client.calls.notifyRegistrationStatus({ error: "no" });
  expect(told).toEqual([{ pluginRegistered: false, error: "no" }]);
});
