import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { AvoidedUpstreams } from "./avoided-upstreams.ts";

const upstream = "192.0.2.53:53";

test("what fails for one client is avoided for this client alone, whatever it asks for", () => {
  const clock = new FakeClock();
  const avoided = new AvoidedUpstreams(clock);
  for (let i = 0; i < 2000; i++) avoided.failed(upstream, `n${i}.example.com`, "10.244.0.5");
  expect(avoided.isAvoided(upstream, "10.244.0.5")).toBe(true);
  expect(avoided.isAvoided(upstream, "10.244.0.6")).toBe(false);
  clock.advance(10_001);
  expect(avoided.isAvoided(upstream, "10.244.0.5")).toBe(false);
});

test("one name that fails for many clients is not enough, three names of two clients are", () => {
  const clock = new FakeClock();
  const avoided = new AvoidedUpstreams(clock);
  for (let i = 0; i < 9; i++) avoided.failed(upstream, "evil.example.com", `10.244.0.${i}`);
  expect(avoided.isAvoided(upstream, "10.244.1.1")).toBe(false);
  avoided.failed(upstream, "a.example.com", "10.244.0.1");
  expect(avoided.isAvoided(upstream, "10.244.1.1")).toBe(false);
  avoided.failed(upstream, "b.example.com", "10.244.0.1");
  expect(avoided.isAvoided(upstream, "10.244.1.1")).toBe(true);
  expect(avoided.isAvoided("192.0.2.54:53", "10.244.1.1")).toBe(false);
  clock.advance(10_001);
  expect(avoided.isAvoided(upstream, "10.244.1.1")).toBe(false);
});

test("failures with an answer, or with much time, between them do not add up", () => {
  const clock = new FakeClock();
  const avoided = new AvoidedUpstreams(clock);
  const fail = (name: string, client: string) => avoided.failed(upstream, name, client);
  fail("a.example.com", "10.244.0.1");
  fail("b.example.com", "10.244.0.2");
  avoided.answered(upstream);
  fail("c.example.com", "10.244.0.2");
  clock.advance(10_001);
  fail("d.example.com", "10.244.0.1");
  fail("e.example.com", "10.244.0.1");
  expect(avoided.isAvoided(upstream, "10.244.0.3")).toBe(false);
});

test("a failure of the server's own question counts for everyone", () => {
  const avoided = new AvoidedUpstreams(new FakeClock());
  avoided.failed(upstream, "probe", undefined);
  expect(avoided.isAvoided(upstream, "10.244.0.3")).toBe(true);
});
