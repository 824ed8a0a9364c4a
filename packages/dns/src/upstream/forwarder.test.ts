import { silentLogger, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { silentMetrics } from "../metrics.ts";
import { answerTo, startFakeUpstream } from "../testing/fake-upstream.ts";
import { typeNumber } from "../wire/record-types.ts";
import type { UpstreamQuestion } from "../wire/upstream-reply.ts";
import { Forwarder } from "./forwarder.ts";
import { questionOf } from "./loop-probe.ts";

const asked = (name: string): UpstreamQuestion => ({
  name,
  type: typeNumber("A"),
  question: questionOf(name, typeNumber("A")),
  dnssecOk: false,
  checkingDisabled: false,
});

test("a name that makes a server silent does not have other clients ask another server", async () => {
  await using first = await startFakeUpstream((query) =>
    query.questions?.[0]?.name === "evil.example.com" ? undefined : [answerTo(query, {})],
  );
  await using second = await startFakeUpstream((query) => [answerTo(query, {})]);
  const forwarder = new Forwarder({
    upstreams: [first, second],
    timeoutMs: 150,
    clock: systemClock,
    logger: silentLogger,
    metrics: silentMetrics,
    signal: new AbortController().signal,
  });
  const counts = () => [first.queries.length, second.queries.length];
  await forwarder.ask(asked("evil.example.com"), "10.244.0.5");
  expect(counts()).toEqual([1, 1]);
  await forwarder.ask(asked("own.example.com"), "10.244.0.5");
  expect(counts()).toEqual([1, 2]);
  await forwarder.ask(asked("other.example.com"), "10.244.0.6");
  expect(counts()).toEqual([2, 2]);
});
