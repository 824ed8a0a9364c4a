import { expect, test } from "vitest";
import { orchletConfigurationSchema } from "./orchlet-configuration.ts";
import { orchletDocument } from "./orchlet-document.ts";

const head = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" };

test("durations are texts, also in nested fields, and numbers remain numbers", () => {
  const settings = orchletConfigurationSchema.parse({
    ...head,
    syncFrequency: "90s",
    nodeStatusUpdateFrequency: "20s",
    logging: { flushFrequency: 7e9, verbosity: 2 },
    cpuCFSQuotaPeriod: "5ms",
  });
  expect(orchletDocument(settings)).toMatchObject({
    ...head,
    syncFrequency: "1m30s",
    nodeStatusUpdateFrequency: "20s",
    nodeStatusReportFrequency: "20s",
    cpuCFSQuotaPeriod: "5ms",
    volumeStatsAggPeriod: "1m0s",
    streamingConnectionIdleTimeout: "4h0m0s",
    shutdownGracePeriod: "0s",
    authentication: { webhook: { cacheTTL: "2m0s" } },
    authorization: { webhook: { cacheAuthorizedTTL: "5m0s", cacheUnauthorizedTTL: "30s" } },
    logging: { flushFrequency: "7s", verbosity: 2 },
    port: 10250,
    nodeLeaseDurationSeconds: 40,
    memoryThrottlingFactor: 0.9,
  });
});

test("the document is a file that sets the same", () => {
  const settings = orchletConfigurationSchema.parse({
    ...head,
    serializeImagePulls: false,
    maxParallelImagePulls: 3,
    registerWithTaints: [{ key: "k", effect: "NoSchedule" }],
    reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
    shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 30 }],
    tracing: { endpoint: "localhost:4317", samplingRatePerMillion: 5 },
    staticPodURLHeader: { a: ["1"] },
    featureGates: { NodeLogQuery: true },
    evictionHard: { "memory.available": "1Gi" },
    containerLogMaxFiles: 7,
  });
  const document = JSON.parse(JSON.stringify(orchletDocument(settings)));
  expect(orchletConfigurationSchema.parse(document)).toEqual(settings);
});
