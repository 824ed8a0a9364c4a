/**
 * For tests of providers and of what uses them: the rules that every provider must keep, and a cloud in memory that misbehaves on
 * request.
 *
 * @module
 */
export { type ConformanceCase, type ConformanceOptions, cloudConformance } from "./conformance.ts";
export { FakeCloud, type FakeMachine, type Misbehaviour } from "./fake-cloud.ts";
