import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { ContainerWatch } from "./container-watch.ts";

const withContainer = (containerID: string, running = true) =>
  pod("p")
    .status({
      containerStatuses: [
        {
          ...{ name: "c", image: "i", imageID: "", ready: running, restartCount: 0, containerID, lastState: {} },
          state: running ? { running: {} } : { waiting: { reason: "ContainerCreating" } },
        },
      ],
    })
    .build();

test.each<[string, readonly ReturnType<typeof withContainer>[], number]>([
  ["a container that starts is no finding", [withContainer("", false), withContainer("a")], 0],
  ["nor is one that stays", [withContainer("a"), withContainer("a")], 0],
  ["one that was replaced is", [withContainer("a"), withContainer("b")], 1],
  ["one that was lost is", [withContainer("a"), withContainer("", false)], 1],
])("%s", (_, versions, findings) => {
  const watch = new ContainerWatch();
  for (const version of versions) watch.seen(version);
  expect(watch.takeFindings()).toHaveLength(findings);
  expect(watch.takeFindings()).toEqual([]);
});

test("a pod of another uid has containers of its own", () => {
  const watch = new ContainerWatch();
  const first = withContainer("a");
  watch.seen(first);
  watch.forget(first.metadata.uid);
  watch.seen(withContainer("b"));
  expect(watch.takeFindings()).toEqual([]);
});
