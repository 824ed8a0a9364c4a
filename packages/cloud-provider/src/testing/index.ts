/**
 * For tests of providers and of what uses them: a cloud in memory that misbehaves on request.
 *
 * @module
 */
export { FakeCloud, type FakeMachine, type Misbehaviour } from "./fake-cloud.ts";
