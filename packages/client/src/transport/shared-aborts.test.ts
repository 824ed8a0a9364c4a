import { expect, test, vi } from "vitest";
import { SharedAborts } from "./shared-aborts.ts";

const item = () => ({ aborted: vi.fn<() => void>() });

test("a signal that aborts ends what still waits for it, once, and nothing else", () => {
  const aborts = new SharedAborts();
  const [one, other] = [new AbortController(), new AbortController()];
  const items = [item(), item(), item(), item()] as const;
  const added = vi.spyOn(one.signal, "addEventListener");
  const removed = vi.spyOn(one.signal, "removeEventListener");
  aborts.add(one.signal, items[0]);
  aborts.add(one.signal, items[1]);
  aborts.add(other.signal, items[2]);
  aborts.delete(one.signal, items[0]);
  aborts.delete(one.signal, items[0]);
  one.abort();
  one.abort();
  expect(items.map(({ aborted }) => aborted.mock.calls.length)).toEqual([0, 1, 0, 0]);
  expect(added).toHaveBeenCalledTimes(1);
  aborts.delete(other.signal, items[2]);
  other.abort();
  expect(items[2].aborted).not.toHaveBeenCalled();
  expect(removed).not.toHaveBeenCalled();
});
