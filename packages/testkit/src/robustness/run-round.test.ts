import { etcdAvailable } from "@orchernetes/storage/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startApiServer, type TestApiServer } from "../servers/start-api-server.ts";
import { faultsOf } from "./faults.ts";
import { runRound } from "./run-round.ts";

describe.each(["embedded", "etcd"] as const)("rounds on the %s store", (store) => {
  const skip = store === "etcd" && !etcdAvailable();
  let server: TestApiServer;
  beforeAll(async () => {
    if (!skip) server = await startApiServer({ store, networkToEtcd: true });
  });
  afterAll(() => server?.stop());

  test.skipIf(skip).each(faultsOf(store))("%s (etcd rounds need /usr/bin/etcd)", async (fault) => {
    const { findings, history } = await runRound({
      server,
      name: `round-${fault.toLowerCase()}`,
      fault,
      faultMs: 600,
    });
    expect(findings).toEqual([]);
    expect(history.operations.filter(({ outcome }) => outcome.type === "ok").length).toBeGreaterThan(20);
    const records = history.sessions.flatMap((session) => session.records);
    expect(records.length).toBeGreaterThan(20);
    // A fault may break a watch before the server ends it.
    if (fault === "none") expect(records.some(({ type }) => type === "BOOKMARK")).toBe(true);
  });
});
