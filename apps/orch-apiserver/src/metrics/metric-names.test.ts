import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  addFeatureMetrics,
  createDaemonMetrics,
  createHealth,
  features,
  type MetricDescription,
} from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, expect, test } from "vitest";
import { podSecurityMetrics } from "../admission/pod-security/metrics.ts";
import { webhookMetrics } from "../admission/webhooks/webhook-metrics.ts";
import { aggregatorMetrics } from "../aggregator/aggregator-metrics.ts";
import { egressMetrics } from "../egress/egress-metrics.ts";
import { createFlowController } from "../flow-control.ts";
import { addAllocatorMetrics, allocationMetrics, repairMetrics } from "./allocator-metrics.ts";
import { apiMetrics } from "./api-metrics.ts";
import { auditMetrics } from "./audit-metrics.ts";
import { conversionMetrics } from "./conversion-metrics.ts";
import { delegatedMetrics } from "./delegated-metrics.ts";
import { deprecatedCertificates } from "./deprecated-certificates.ts";
import { encryptionMetrics } from "./encryption-metrics.ts";
import { expressionMetrics } from "./expression-metrics.ts";
import { matchConditionFailures, policyMetrics } from "./policy-metrics.ts";
import { serviceAccountMetrics } from "./service-account-metrics.ts";
import { addStoreMetrics, storeRequestMetrics } from "./store-metrics.ts";
import { certificateMetric, handshakeMetric } from "./tls-metrics.ts";
import { tokenCacheMetrics } from "./token-cache-metrics.ts";

const file = join(import.meta.dirname, "../../../../packages/testkit/facts/metrics.json");

/** A metric of the original, renamed. */
interface Fact {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly stability?: string;
  readonly deprecated?: string;
  readonly buckets?: string;
  readonly in: string;
}

const end = new AbortController();
afterAll(() => end.abort());

/** Everything the server counts, described. */
function described(): ReadonlyMap<string, MetricDescription> {
  const flags = { "disabled-metrics": [], "allow-metric-labels": new Map(), "show-hidden-metrics-for-version": "" };
  const metrics = createDaemonMetrics(flags, end.signal);
  const inflight = apiMetrics(metrics, () => ({}));
  createFlowController(
    {
      "enable-priority-and-fairness": true,
      "max-requests-inflight": 400,
      "max-mutating-requests-inflight": 200,
      "request-timeout": 60_000,
    },
    { metrics, inflight, signal: end.signal },
    () => true,
  );
  storeRequestMetrics(metrics);
  addStoreMetrics({
    metrics,
    stores: {
      all: [],
      storeOf: () => {
        throw new Error("there are no stores");
      },
    },
    storages: () => [],
    countPeriodMs: 0,
    sizePeriodMs: 0,
    logger: silentLogger,
    signal: end.signal,
  });
  addFeatureMetrics(metrics, features, { enabled: () => true });
  createHealth({ logger: silentLogger, metrics });
  encryptionMetrics(metrics);
  egressMetrics(metrics);
  allocationMetrics(metrics);
  repairMetrics(metrics);
  const unused = { taken: 0, free: 0 };
  addAllocatorMetrics(metrics, { ranges: [], addressesIn: () => unused, portsIn: () => unused });
  certificateMetric(metrics);
  handshakeMetric(metrics);
  podSecurityMetrics(metrics);
  webhookMetrics(metrics, "admit");
  serviceAccountMetrics(metrics);
  tokenCacheMetrics(metrics);
  delegatedMetrics(metrics, "authn");
  delegatedMetrics(metrics, "authz");
  auditMetrics(metrics);
  expressionMetrics(metrics);
  conversionMetrics(metrics);
  policyMetrics(metrics);
  matchConditionFailures(metrics);
  aggregatorMetrics(metrics, { all: () => [] });
  deprecatedCertificates(metrics, "webhooks");
  deprecatedCertificates(metrics, "orch_aggregator");
  return new Map(metrics.describe().map((description) => [description.name, description]));
}

/** Why metrics of the original are not here, by the beginning of their names. */
const absent: Readonly<Record<string, string>> = {
  aggregator_discovery_aggregation_count_total: "discovery is put together when it is asked for, not in rounds",
  aggregator_openapi_v2_regeneration: "documents are put together when they are asked for, not in rounds",
  apiextensions_: "documents are put together when they are asked for, not when a definition changes",
  apiserver_admission_step_admission_duration_seconds_summary: "quantiles come from the histogram of the same name",
  apiserver_certificates_registry_: "certificates are not signed by the server",
  apiserver_flowcontrol_current_r: "queues are served by seats taken, without the original's virtual time R",
  apiserver_flowcontrol_dispatch_r: "as current_r",
  apiserver_flowcontrol_epoch_advance_total: "as current_r",
  apiserver_flowcontrol_latest_s: "as current_r",
  apiserver_flowcontrol_next_discounted_s_bounds: "as current_r",
  apiserver_flowcontrol_next_s_bounds: "as current_r",
  apiserver_flowcontrol_seat_fair_frac: "seats are lent as requests come, not by a plan for ten seconds",
  apiserver_flowcontrol_target_seats: "as seat_fair_frac",
  apiserver_flowcontrol_watch_count_samples: "the work of a write is not estimated by the number of watches",
  orch_apiserver_pod_logs_:
    "logs come from nodes whose certificates are verified as --orchlet-certificate-authority asks",
  apiserver_request_timestamp_comparison_time:
    "times of managed fields are compared as bytes, with the rest of the object",
  apiserver_storage_decode_errors_total: "what cannot be decoded ends the start with an error",
  etcd_bookmark_counts: "progress is a number that is read, not an event",
  etcd_lease_object_counts: "leases are shared by time, and kept by the store",
  leader_election_master_status: "API servers elect no leader",
  node_authorizer_graph_actions_duration_seconds: "the graph is changed by single insertions into maps",
  rest_client_: "the server asks itself without a client",
  running_managed_controllers: "the server runs no controllers",
  workqueue_: "the server has no work queues",
};
const reasonFor = (name: string) => Object.keys(absent).find((beginning) => name.startsWith(beginning));

/** Upper bounds as the table writes them. */
function boundsOf(text: string): readonly number[] {
  const [, kind, body = ""] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const [first = 0, step = 0, count = 0] = body.split(",").map(Number);
  if (kind === "ExponentialBuckets") return Array.from({ length: count }, (_, i) => first * step ** i);
  if (kind === "LinearBuckets") return Array.from({ length: count }, (_, i) => first + step * i);
  return text.split(" ").map(Number);
}

test("every metric of the original is there, or there is a reason why not", () => {
  const all: readonly Fact[] = JSON.parse(readFileSync(file, "utf8")).metrics;
  const facts = all.filter(({ in: where }) => where === "orch-apiserver" || where === "all");
  const own = described();
  const missing = facts.filter(({ name }) => !own.has(name) && reasonFor(name) === undefined);
  expect(missing.map(({ name }) => name)).toEqual([]);
  // A reason for what is there after all has to go.
  const idle = Object.keys(absent).filter(
    (beginning) => !facts.some(({ name }) => name.startsWith(beginning) && !own.has(name)),
  );
  expect(idle).toEqual([]);
});

test("types, labels, stability, deprecation and buckets are the original's", () => {
  const all: readonly Fact[] = JSON.parse(readFileSync(file, "utf8")).metrics;
  const types: Readonly<Record<string, string>> = { TimingHistogram: "Histogram" };
  const differences = all.flatMap((fact) => {
    const own = described().get(fact.name);
    if (own === undefined) return [];
    const want = {
      type: (types[fact.type] ?? fact.type).toLowerCase(),
      // One distribution of the original adds a label of its own.
      labels: fact.labels.filter((label) => label !== "ocp_namespace").sort(),
      stability: fact.stability ?? own.stability,
      deprecated: fact.deprecated,
    };
    const found = {
      type: own.type,
      labels: [...own.labels].sort(),
      stability: own.stability,
      deprecated: own.deprecated,
    };
    const buckets = fact.buckets === undefined ? [] : boundsOf(fact.buckets);
    const near = buckets.every((bound, i) => Math.abs(bound - (own.buckets?.[i] ?? Number.NaN)) <= bound * 1e-9);
    const same = JSON.stringify(want) === JSON.stringify(found) && near;
    return same ? [] : [{ name: fact.name, want: { ...want, buckets }, found: { ...found, buckets: own.buckets } }];
  });
  expect(differences).toEqual([]);
});
