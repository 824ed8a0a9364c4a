/** A message bus for tests. */
export { type FakeBus, startFakeBus } from "./fake-bus.ts";
