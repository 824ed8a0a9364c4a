import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ImageHandlers, type RuntimeHandlers, serveCri } from "../server/serve-cri.ts";
import { type CriClient, createCriClient } from "./create-cri-client.ts";
import { CriError, isCriError } from "./cri-error.ts";
import { grpcTarget } from "./unix-socket.ts";

let dir: string;
let socketPath: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-rpc-"));
  socketPath = join(dir, "cri.sock");
});
afterEach(async () => await rm(dir, { recursive: true }));

const version = { version: "0.1.0", runtimeName: "test", runtimeVersion: "1", runtimeApiVersion: "v1" };

async function serve(runtime: RuntimeHandlers, images: ImageHandlers = {}) {
  return await serveCri({ socketPath, runtime, images });
}

test.each([
  ["unix:///run/c.sock", "unix:/run/c.sock"],
  ["unix:/run/c.sock", "unix:/run/c.sock"],
  ["/run/c.sock", "unix:/run/c.sock"],
])("endpoint %s has the gRPC target %s", (endpoint, want) => {
  expect(grpcTarget(endpoint)).toBe(want);
});

test.each(["tcp://127.0.0.1:1", "run/c.sock", "", "unix:///"])('endpoint "%s" is rejected', (endpoint) => {
  expect(() => grpcTarget(endpoint)).toThrow(`"${endpoint}"`);
});

test("errors have the code, the method and the runtime's message", async () => {
  const server = await serve({
    containerStatus: () => {
      throw new CriError("ContainerStatus", "NotFound", "no such container");
    },
    stopContainer: () => Promise.reject(new Error("broken")),
  });
  const cri = createCriClient({ endpoint: socketPath });
  const error = await cri.runtime.containerStatus({ containerId: "x" }).catch((caught: unknown) => caught);
  expect(isCriError(error, "NotFound") && !isCriError(error, "Internal")).toBe(true);
  expect(error).toMatchObject({
    method: "ContainerStatus",
    details: "no such container",
    message: "rpc error: code = NotFound desc = no such container",
  });
  await expect(cri.runtime.stopContainer({})).rejects.toMatchObject({ code: "Unknown", details: "broken" });
  await expect(cri.images.listImages({})).rejects.toMatchObject({ code: "Unimplemented" });
  cri.close();
  await expect(cri.runtime.version({})).rejects.toMatchObject({ code: "Canceled" });
  await server.close();
});

// shows: runtimeRequestTimeout
test("calls end with their deadline or signal", async () => {
  const server = await serve({ version: () => new Promise(() => {}) });
  const cri = createCriClient({ endpoint: socketPath });
  await expect(cri.runtime.version({}, { timeoutMs: 30 })).rejects.toMatchObject({ code: "DeadlineExceeded" });
  const abort = new AbortController();
  const call = cri.runtime.version({}, { signal: abort.signal });
  setTimeout(() => abort.abort(), 30);
  await expect(call).rejects.toMatchObject({ code: "Canceled" });
  await expect(cri.runtime.version({}, { signal: abort.signal })).rejects.toMatchObject({ code: "Canceled" });
  cri.close();
  await server.close();
});

test("the client reconnects to a runtime that starts late or restarts", async () => {
  const cri = createCriClient({ endpoint: socketPath, timeoutMs: 5000 });
  await expect(cri.runtime.version({})).rejects.toMatchObject({ code: "Unavailable" });
  for (const runtimeName of ["first", "second"]) {
    const server = await serve({ version: () => ({ ...version, runtimeName }) });
    const answer = () => cri.runtime.version({}).catch((error: unknown) => error);
    await expect.poll(answer, { timeout: 60_000 }).toEqual({ ...version, runtimeName });
    await server.close();
  }
  cri.close();
});

test("container events are a stream that the client may cancel", async () => {
  let left = false;
  const server = await serve({
    async *getContainerEvents(signal) {
      signal.addEventListener("abort", () => {
        left = true;
      });
      for (let createdAt = 1n; ; createdAt++) {
        yield { containerId: "c", containerEventType: "CONTAINER_STARTED_EVENT", createdAt, containersStatuses: [] };
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  });
  const cri = createCriClient({ endpoint: socketPath });
  const seen: bigint[] = [];
  for await (const { createdAt } of cri.runtime.getContainerEvents({})) {
    seen.push(createdAt);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([1n, 2n, 3n]);
  await expect.poll(() => left, { timeout: 60_000 }).toBe(true);
  cri.close();
  await server.close();
});

test.each<[string, (cri: CriClient, abort: AbortController) => void]>([
  ["whose signal aborts", (_, abort) => abort.abort()],
  ["whose client is closed", (cri) => cri.close()],
])("a stream %s while it is opened is cancelled", async (_, end) => {
  const server = await serve({
    // It sends nothing, so only the end of the call ends the stream.
    async *getContainerEvents(signal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield* [];
    },
  });
  const cri = createCriClient({ endpoint: socketPath });
  const abort = new AbortController();
  const first = cri.runtime.getContainerEvents({}, { signal: abort.signal })[Symbol.asyncIterator]().next();
  end(cri, abort);
  await expect(first).rejects.toMatchObject({ code: "Canceled" });
  cri.close();
  await server.close();
});

test("a socket path that is too long for the kernel is rejected", async () => {
  const long = join(dir, "x".repeat(100));
  await expect(serveCri({ socketPath: long, runtime: {}, images: {} })).rejects.toThrow(/must have at most 107/);
});

test("a socket in use is not taken over", async () => {
  const server = await serve({ version: () => version });
  await expect(serve({})).rejects.toThrow(/another server listens there/);
  await server.close();
});
