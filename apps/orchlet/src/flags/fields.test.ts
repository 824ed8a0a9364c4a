import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FlagTable, parseFlags } from "@orchernetes/component";
import { orchletFieldNames } from "@orchernetes/config";
import { afterAll, expect, test } from "vitest";
import { readSettings } from "../config.ts";
import { orchletFlags } from "./index.ts";

const program = { name: "orchlet", description: "x", version: { text: "v", raw: "v" } };
const head = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" };
const dir = mkdtempSync(join(tmpdir(), "orchlet-fields-"));
afterAll(() => rmSync(dir, { recursive: true }));

async function configure(argv: readonly string[], file?: object) {
  const path = join(dir, "config");
  if (file !== undefined) writeFileSync(path, JSON.stringify({ ...head, ...file }));
  const parsed = parseFlags(program, orchletFlags, file === undefined ? argv : [...argv, `--config=${path}`]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  return (await readSettings(parsed.flags, parsed.explicit)).parsed;
}

test("every field of the configuration has a flag, and the field of every flag exists", () => {
  const fields = Object.values<FlagTable[string]>(orchletFlags).flatMap(({ field }) => field?.split(".")[0] ?? []);
  expect([...new Set(fields)].sort()).toEqual([...orchletFieldNames].sort());
});

test("without a file the defaults are those of the flags", async () => {
  expect(await configure([])).toMatchObject({
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false, cacheTTL: 120_000 } },
    authorization: { mode: "AlwaysAllow" },
    readOnlyPort: 10255,
    evictionHard: { "memory.available": "100Mi" },
    nodeStatusUpdateFrequency: 10_000,
    nodeStatusReportFrequency: 300_000,
  });
});

// shows: --config
test("with a file, only flags on the command line override it", async () => {
  expect(await configure(["--max-pods=5"], { port: 1111, maxPods: 9 })).toMatchObject({
    port: 1111,
    maxPods: 5,
    readOnlyPort: 0,
    authorization: { mode: "Webhook" },
    authentication: { anonymous: { enabled: false } },
  });
});

test.each<[readonly string[], object]>([
  [["--sync-frequency=30s"], { syncFrequency: 30_000 }],
  [["--authentication-token-webhook-cache-ttl=1m30s"], { authentication: { webhook: { cacheTTL: 90_000 } } }],
  [
    ["--manifest-url-header=a:1,b:2", "--manifest-url-header=a:3:4"],
    { staticPodURLHeader: { a: ["1", "3:4"], b: ["2"] } },
  ],
  [
    ["--register-with-taints=k=v:NoSchedule,gone:NoExecute"],
    {
      registerWithTaints: [
        { key: "k", value: "v", effect: "NoSchedule" },
        { key: "gone", value: "", effect: "NoExecute" },
      ],
    },
  ],
  [
    ["--eviction-hard=memory.available<1Gi,nodefs.available<5%"],
    { evictionHard: { "memory.available": "1Gi", "nodefs.available": "5%" } },
  ],
  [["--system-reserved=cpu=200m,memory=1Gi"], { systemReserved: { cpu: "200m", memory: "1Gi" } }],
  [
    ["--reserved-memory=0:memory=1Gi,hugepages-2Mi=2Gi", "--reserved-memory=1:memory=2Gi"],
    {
      reservedMemory: [
        { numaNode: 0, limits: { memory: "1Gi", "hugepages-2Mi": "2Gi" } },
        { numaNode: 1, limits: { memory: "2Gi" } },
      ],
    },
  ],
  [
    ["--shutdown-grace-period-by-pod-priority=100=30,0=10"],
    {
      shutdownGracePeriodByPodPriority: [
        { priority: 100, shutdownGracePeriodSeconds: 30 },
        { priority: 0, shutdownGracePeriodSeconds: 10 },
      ],
    },
  ],
  [
    ["--tracing=endpoint=localhost:4317,samplingRatePerMillion=5"],
    { tracing: { endpoint: "localhost:4317", samplingRatePerMillion: 5 } },
  ],
  [["--feature-gates=A=true,B=false"], { featureGates: { A: true, B: false } }],
  [
    ["-v=3", "--vmodule=pods=5", "--log-flush-frequency=1s"],
    { logging: { verbosity: 3, flushFrequency: 1000, vmodule: [{ filePattern: "pods", verbosity: 5 }] } },
  ],
  [["--eviction-max-pod-grace-period=30"], { evictionMaxPodGracePeriod: 30 }],
  [["--node-status-update-frequency=20s"], { nodeStatusUpdateFrequency: 20_000 }],
])("%j sets %j", async (argv, want) => {
  expect(await configure(argv, {})).toMatchObject(want);
});
