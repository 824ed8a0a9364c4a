import type { apiregistration, core } from "@orchernetes/api";
import { expect, test } from "vitest";
import {
  decideAvailability,
  differs,
  type Found,
  local,
  passed,
  type Verdict,
  withVerdict,
} from "./availability-decision.ts";

const remote = {
  apiService: {} as apiregistration.APIService,
  name: "v1.a.example.com",
  group: "a.example.com",
  version: "v1",
  service: { namespace: "n", name: "s", port: 443 },
};
const service = (spec: object): Found<core.Service> => ({ object: { metadata: {}, spec, status: {} } as core.Service });
const listening = service({ ports: [{ name: "https", port: 443 }] });
const endpoints = (...subsets: object[]): Found<core.Endpoints> => ({
  object: { metadata: {}, subsets } as unknown as core.Endpoints,
});
const missing = { object: undefined };
const ready = endpoints({ addresses: [{ ip: "10.0.0.1" }], ports: [{ name: "https", port: 6443 }] });
const error = { error: new Error("no quorum") };

test.each<[string, Found<core.Service>, Found<core.Endpoints>, string | undefined]>([
  ["there is no service", missing, ready, 'False ServiceNotFound: service/s in "n" is not present'],
  [
    "the service cannot be read",
    error,
    ready,
    'Unknown ServiceAccessError: service/s in "n" cannot be checked due to: no quorum',
  ],
  [
    "the service has another port",
    service({ ports: [{ port: 80 }] }),
    ready,
    'False ServicePortError: service/s in "n" is not listening on port 443',
  ],
  ["there are no endpoints", listening, missing, 'False EndpointsNotFound: cannot find endpoints for service/s in "n"'],
  [
    "the endpoints cannot be read",
    listening,
    error,
    'Unknown EndpointsAccessError: service/s in "n" cannot be checked due to: no quorum',
  ],
  [
    "no endpoint is ready",
    listening,
    endpoints({ notReadyAddresses: [{ ip: "10.0.0.1" }], ports: [{ name: "https", port: 6443 }] }),
    'False MissingEndpoints: endpoints for service/s in "n" have no addresses with port name "https"',
  ],
  [
    "the endpoints have another port",
    listening,
    endpoints({ addresses: [{ ip: "10.0.0.1" }], ports: [{ name: "http", port: 80 }] }),
    'False MissingEndpoints: endpoints for service/s in "n" have no addresses with port name "https"',
  ],
  ["all is there", listening, ready, undefined],
  ["the service is a name outside", service({ type: "ExternalName" }), missing, undefined],
])("%s", (_, found, of, want) => {
  const verdict = decideAvailability(remote, found, of);
  expect(verdict && `${verdict.status} ${verdict.reason}: ${verdict.message}`).toBe(want);
});

test.each<[string, Verdict, string]>([
  ["moves with the status", { status: "False", reason: "ServiceNotFound", message: "gone" }, "2026-01-02T00:00:00Z"],
  ["stays with the status", { ...passed, message: "again" }, "2026-01-01T00:00:00Z"],
])("the time of transition %s", (_, verdict, time) => {
  const before = withVerdict([], passed, new Date("2026-01-01T00:00:00.123Z"));
  const other = { type: "Other", status: "True" } as const;
  const after = withVerdict([other, ...before], verdict, new Date("2026-01-02T00:00:00Z"));
  expect(after).toEqual([other, { type: "Available", ...verdict, lastTransitionTime: time }]);
});

test.each([
  [[], true],
  [withVerdict([], local, new Date(0)), false],
  [withVerdict([], passed, new Date(0)), true],
])("only what says something else is written (%#)", (conditions, want) => {
  expect(differs({ status: { conditions } } as unknown as apiregistration.APIService, local)).toBe(want);
});
