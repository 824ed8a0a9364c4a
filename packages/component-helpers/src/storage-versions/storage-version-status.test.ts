import type { ServerStorageVersion, StorageVersionStatus } from "@orchernetes/api/apiserverinternal/v1alpha1";
import { expect, test } from "vitest";
import { storageVersionStatus, withServer } from "./storage-version-status.ts";

const now = new Date("2026-01-01T00:00:00Z");
const early = "2025-01-01T00:00:00Z";
const late = "2026-01-01T00:00:00Z";
const server = (apiServerID: string, encodingVersion: string): ServerStorageVersion => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
});
const equal = (status: "True" | "False", lastTransitionTime: string) => ({
  type: "AllEncodingVersionsEqual" as const,
  status,
  lastTransitionTime,
  reason: status === "True" ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
  message: status === "True" ? "Common encoding version set" : "Common encoding version unset",
});
const agreed: StorageVersionStatus = { commonEncodingVersion: "v1", conditions: [equal("True", early)] };

test.each<[string, StorageVersionStatus, readonly ServerStorageVersion[], string | undefined, object]>([
  ["the first server", {}, [server("a", "v1")], "v1", equal("True", late)],
  ["servers that agree", agreed, [server("a", "v1"), server("b", "v1")], "v1", equal("True", early)],
  ["servers that no longer agree", agreed, [server("a", "v1"), server("b", "v2")], undefined, equal("False", late)],
  ["a common version that moves", agreed, [server("a", "v2")], "v2", equal("True", late)],
  [
    "servers that still differ",
    { conditions: [equal("False", early)] },
    [server("a", "v1"), server("b", "v2")],
    undefined,
    equal("False", early),
  ],
  ["no server", agreed, [], undefined, equal("False", late)],
])("%s", (_, old, servers, common, condition) => {
  const status = storageVersionStatus(old, servers, { generation: undefined, now });
  expect(status.commonEncodingVersion).toBe(common);
  expect(status.storageVersions).toBe(servers);
  expect(status.conditions).toEqual([condition]);
});

test("a server's record is replaced where it is, and a new one is the last", () => {
  const servers = [server("a", "v1"), server("b", "v1")];
  expect(withServer(servers, server("a", "v2"))).toEqual([server("a", "v2"), server("b", "v1")]);
  expect(withServer(servers, server("c", "v2"))).toEqual([...servers, server("c", "v2")]);
});
